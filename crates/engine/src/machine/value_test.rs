//! Comparing a node's string value with a constant.

use memchr::memmem::Finder;

use super::program::ValueTest;
use crate::evaluator::string_to_number;
use crate::ir::Comparison;

/// A [`ValueTest`] made ready to run on UTF-8.
pub enum Test {
    Text { equal: bool, value: Box<[u8]> },
    Number { comparison: Comparison, value: f64 },
    Contains(Box<Finder<'static>>),
    StartsWith(Box<[u8]>),
    EndsWith(Box<[u8]>),
}

impl Test {
    pub fn new(test: &ValueTest) -> Test {
        match test {
            ValueTest::Text { comparison, value } => {
                Test::Text { equal: *comparison == Comparison::Eq, value: value.as_bytes().into() }
            }
            ValueTest::Number { comparison, value } => Test::Number { comparison: *comparison, value: *value },
            ValueTest::Contains { value } => Test::Contains(Box::new(Finder::new(value.as_bytes()).into_owned())),
            ValueTest::StartsWith { value } => Test::StartsWith(value.as_bytes().into()),
            ValueTest::EndsWith { value } => Test::EndsWith(value.as_bytes().into()),
        }
    }

    pub fn passes(&self, value: &[u8]) -> bool {
        match self {
            Test::Text { equal, value: constant } => (value == &**constant) == *equal,
            Test::Number { comparison, value: constant } => compare(*comparison, to_number(value), *constant),
            Test::Contains(finder) => finder.find(value).is_some(),
            Test::StartsWith(constant) => value.starts_with(constant),
            Test::EndsWith(constant) => value.ends_with(constant),
        }
    }

    /// The same for a value of which only the beginning is there, if that decides it. Up to `seen` it did not.
    pub fn passes_already(&self, beginning: &[u8], seen: usize) -> Option<bool> {
        match self {
            Test::Text { equal, value } => (!value.starts_with(beginning)).then_some(!equal),
            Test::Contains(finder) => {
                let from = (seen + 1).saturating_sub(finder.needle().len());
                finder.find(&beginning[from.min(seen)..]).map(|_| true)
            }
            Test::StartsWith(constant) if beginning.starts_with(constant) => Some(true),
            Test::StartsWith(constant) => (!constant.starts_with(beginning)).then_some(false),
            Test::Number { .. } | Test::EndsWith(_) => None,
        }
    }
}

/// The number that a string value stands for.
pub fn to_number(value: &[u8]) -> f64 {
    std::str::from_utf8(value).map_or(f64::NAN, string_to_number)
}

pub fn compare(comparison: Comparison, left: f64, right: f64) -> bool {
    match comparison {
        Comparison::Eq => left == right,
        Comparison::Ne => left != right,
        Comparison::Lt => left < right,
        Comparison::Le => left <= right,
        Comparison::Gt => left > right,
        Comparison::Ge => left >= right,
    }
}
