//! Which nodes besides elements the subscriptions look at.

use serde::{Deserialize, Serialize};

use super::pattern::{Axis, Condition, Step};
use super::tests::{TestId, COMMENT, INSTRUCTION, NODE, TEXT};
use super::trigger::Cut;
use super::triggers::{Kind, IS, STARTS};

/// What was once asked for stays: it is only a matter of cost.
#[derive(Default, Serialize, Deserialize)]
pub struct Asked {
    /// By number of the test: attributes that pass it are looked for. Of those that only trigger, the element is enough.
    attributes: Vec<bool>,
    every_attribute: bool,
    pub text: bool,
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
                self.note_test(step.axis, step.test, is_named);
                self.note_conditions(step, is_named);
            }
            Condition::Position { test, among, .. } => {
                self.note_test(Axis::Child, *test, is_named);
                among.iter().for_each(|one| self.note_condition(one, is_named));
            }
            Condition::Known(_) | Condition::Is(_) | Condition::Value(_) => {}
        }
    }

    /// Attributes that pass a test are looked for.
    pub fn note_attribute(&mut self, test: TestId) {
        if self.attributes.len() <= test as usize {
            self.attributes.resize(test as usize + 1, false);
        }
        self.attributes[test as usize] = true;
    }

    fn note_test(&mut self, axis: Axis, test: TestId, is_named: impl Fn(TestId) -> bool) {
        if axis == Axis::Attribute {
            self.note_attribute(test);
        } else {
            self.text |= matches!(test, NODE | TEXT);
            self.markup |= is_markup(test, is_named);
        }
    }

    /// Whether any attributes are looked for.
    pub fn attributes(&self) -> bool {
        self.every_attribute || !self.attributes.is_empty()
    }

    /// Whether one that passes these tests is.
    pub fn attribute(&self, passed: &[TestId]) -> bool {
        self.every_attribute || passed.iter().any(|&test| self.attributes.get(test as usize).copied().unwrap_or(false))
    }
}

/// Whether comments or instructions may pass a test.
fn is_markup(test: TestId, is_named: impl Fn(TestId) -> bool) -> bool {
    matches!(test, NODE | COMMENT | INSTRUCTION) || (test > INSTRUCTION && !is_named(test))
}
