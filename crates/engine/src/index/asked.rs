//! Which nodes besides elements the subscriptions look at.

use serde::{Deserialize, Serialize};

use super::pattern::{Axis, Condition, Step};
use super::tests::{TestId, COMMENT, INSTRUCTION, NODE, TEXT};
use super::trigger::Cut;
use super::triggers::{Kind, IS, STARTS};

/// What a leaf of the document is for. Of what only triggers the element around it is enough.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Use {
    #[default]
    None,
    /// Only conditions look at it: it is kept aside.
    Tested,
    /// It may be a result or an anchor.
    Node,
}

/// What was once asked for stays: it is only a matter of cost.
#[derive(Default, Serialize, Deserialize)]
pub struct Asked {
    /// What attributes that pass a test are for, by its number; and how often that was changed.
    attributes: Vec<Use>,
    pub changes: u32,
    every_attribute: bool,
    /// Text nodes may be results: all are nodes of the sketch.
    pub text: bool,
    /// Text nodes that trigger may be results or anchors.
    pub triggering_text: bool,
    /// Conditions look at text nodes.
    tested_text: bool,
    /// Comments and instructions.
    pub markup: bool,
    /// The length of the longest constant that values are compared with, from their first byte on.
    pub longest: usize,
    /// Kinds of triggers.
    pub kinds: Kind,
}

impl Asked {
    /// What is asked besides for triggers.
    pub fn note(&mut self, cut: &Cut, is_named: impl Fn(TestId) -> bool + Copy) {
        for &(axis, test) in &cut.trigger_path {
            self.markup |= axis != Axis::Attribute && is_markup(test, is_named);
        }
        for step in &cut.suffix {
            self.note_test(step.axis, step.test, is_named);
        }
        for step in cut.climb.iter().chain(&cut.prefix).chain(&cut.suffix) {
            self.note_conditions(step, is_named);
        }
    }

    /// Someone may ask for any node.
    pub fn note_everything(&mut self) {
        self.every_attribute = true;
        self.changes += 1;
        self.text = true;
        self.markup = true;
    }

    /// A trigger of this kind with a constant of this length.
    pub fn note_trigger(&mut self, kind: Kind, length: usize) {
        self.kinds |= kind;
        if kind & (IS | STARTS) != 0 {
            self.longest = self.longest.max(length);
        }
    }

    fn note_conditions(&mut self, step: &Step, is_named: impl Fn(TestId) -> bool + Copy) {
        for condition in &step.conditions {
            self.note_condition(condition, is_named);
        }
    }

    fn note_condition(&mut self, condition: &Condition, is_named: impl Fn(TestId) -> bool + Copy) {
        match condition {
            Condition::All(args) | Condition::Any(args) => {
                args.iter().for_each(|arg| self.note_condition(arg, is_named));
            }
            Condition::Not(arg) => self.note_condition(arg, is_named),
            Condition::Exists(step) => {
                match step.axis {
                    Axis::Attribute => self.note_attribute(step.test, Use::Tested),
                    _ => {
                        self.tested_text |= matches!(step.test, NODE | TEXT);
                        self.markup |= is_markup(step.test, is_named);
                    }
                }
                self.note_conditions(step, is_named);
            }
            Condition::Position { test, among, .. } => {
                // Only nodes of the sketch are counted.
                self.note_test(Axis::Child, *test, is_named);
                among.iter().for_each(|one| self.note_condition(one, is_named));
            }
            Condition::Known(_) | Condition::Is(_) | Condition::Value(_) => {}
        }
    }

    /// The last step of a path to what triggers, if that is an anchor, or looked at on the way to one.
    pub fn note_trigger_node(&mut self, (axis, test): (Axis, TestId)) {
        match axis {
            Axis::Attribute => self.note_attribute(test, Use::Node),
            _ => self.triggering_text |= matches!(test, NODE | TEXT),
        }
    }

    fn note_attribute(&mut self, test: TestId, how: Use) {
        if self.attributes.len() <= test as usize {
            self.attributes.resize(test as usize + 1, Use::None);
        }
        let known = &mut self.attributes[test as usize];
        if *known < how {
            *known = how;
            self.changes += 1;
        }
    }

    fn note_test(&mut self, axis: Axis, test: TestId, is_named: impl Fn(TestId) -> bool) {
        if axis == Axis::Attribute {
            self.note_attribute(test, Use::Node);
        } else {
            self.text |= matches!(test, NODE | TEXT);
            self.markup |= is_markup(test, is_named);
        }
    }

    /// Whether any attributes are for more than to trigger.
    pub fn attributes(&self) -> bool {
        self.every_attribute || !self.attributes.is_empty()
    }

    /// What one that passes these tests is for.
    pub fn attribute(&self, passed: &[TestId]) -> Use {
        if self.every_attribute {
            return Use::Node;
        }
        passed.iter().filter_map(|&test| self.attributes.get(test as usize).copied()).max().unwrap_or_default()
    }

    /// What text nodes are for, whether they trigger or not.
    pub fn any_text(&self) -> Use {
        match (self.text, self.tested_text) {
            (true, _) => Use::Node,
            (false, true) => Use::Tested,
            (false, false) => Use::None,
        }
    }

    /// Whether anything is kept aside.
    pub fn aside(&self) -> bool {
        !self.every_attribute && (self.tested_text || self.attributes.contains(&Use::Tested))
    }
}

/// Whether comments or instructions may pass a test.
fn is_markup(test: TestId, is_named: impl Fn(TestId) -> bool) -> bool {
    matches!(test, NODE | COMMENT | INSTRUCTION) || (test > INSTRUCTION && !is_named(test))
}
