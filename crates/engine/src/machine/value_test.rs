//! Comparing a node's string value with a constant.

use super::program::ValueTest;
use crate::evaluator::string_to_number;
use crate::ir::Comparison;

pub fn passes(test: &ValueTest, value: &str) -> bool {
    match test {
        ValueTest::Text { comparison: Comparison::Eq, value: constant } => value == constant,
        ValueTest::Text { value: constant, .. } => value != constant,
        ValueTest::Number { comparison, value: constant } => compare(*comparison, string_to_number(value), *constant),
        ValueTest::Contains { value: constant } => memchr::memmem::find(value.as_bytes(), constant.as_bytes()).is_some(),
        ValueTest::StartsWith { value: constant } => value.starts_with(constant.as_str()),
        ValueTest::EndsWith { value: constant } => value.ends_with(constant.as_str()),
    }
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
