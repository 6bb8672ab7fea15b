//! Which nodes besides elements the subscriptions look at.

use serde::{Deserialize, Serialize};

use super::pattern::{Axis, Condition, Step};
use super::tests::{TestId, COMMENT, INSTRUCTION, NODE, TEXT};
use super::trigger::Cut;

/// What was once asked for stays: it is only a matter of cost.
#[derive(Default, Serialize, Deserialize)]
pub struct Asked {
    /// By number of the test: attributes that pass it are looked for, apart from those that trigger.
    attributes: Vec<bool>,
    every_attribute: bool,
    pub text: bool,
    /// Comments and instructions.
    pub markup: bool,
}

impl Asked {
    pub fn note(&mut self, cut: &Cut, is_named: impl Fn(TestId) -> bool + Copy) {
        for &(axis, test) in &cut.trigger_path {
            self.note_test(axis, test, is_named);
        }
        for step in cut.suffix.iter().filter(|step| step.axis == Axis::Attribute) {
            self.note_attribute(step.test);
        }
        for step in cut.climb.iter().chain(&cut.prefix).chain(&cut.suffix) {
            self.note_test(step.axis, step.test, is_named);
            self.note_conditions(step, is_named);
        }
    }

    /// Someone may ask for any node.
    pub fn note_everything(&mut self) {
        self.every_attribute = true;
        self.text = true;
        self.markup = true;
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
                if step.axis == Axis::Attribute {
                    self.note_attribute(step.test);
                }
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

    fn note_attribute(&mut self, test: TestId) {
        if self.attributes.len() <= test as usize {
            self.attributes.resize(test as usize + 1, false);
        }
        self.attributes[test as usize] = true;
    }

    fn note_test(&mut self, axis: Axis, test: TestId, is_named: impl Fn(TestId) -> bool) {
        if axis == Axis::Attribute {
            return;
        }
        self.text |= matches!(test, NODE | TEXT);
        self.markup |= matches!(test, NODE | COMMENT | INSTRUCTION) || (test > INSTRUCTION && !is_named(test));
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
