//! Constants of value tests, each stored once; text and numbers are kept apart, as XPath keeps them.

use serde::{Deserialize, Serialize};

use super::interner::Interner;
use super::pattern::Constant;
use crate::ir::Comparison;

/// Number of a constant among the texts or among the numbers.
pub type ConstantId = u32;

/// How a node's string value is compared with a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Operator {
    Is,
    IsNot,
    Contains,
    StartsWith,
    EndsWith,
    /// As numbers.
    Number(Comparison),
}

impl Operator {
    pub fn is_numeric(self) -> bool {
        matches!(self, Operator::Number(_))
    }
}

#[derive(Default, Serialize, Deserialize)]
pub struct Constants {
    texts: Interner<Box<[u8]>>,
    /// As bits; a zero is positive.
    numbers: Interner<u64>,
}

impl Constants {
    pub fn intern_text(&mut self, text: &[u8]) -> ConstantId {
        self.texts.intern(text.into()).0
    }

    pub fn intern_number(&mut self, number: f64) -> ConstantId {
        self.numbers.intern(bits(number)).0
    }

    pub fn release(&mut self, operator: Operator, constant: ConstantId) {
        if operator.is_numeric() {
            self.numbers.release(constant);
        } else {
            self.texts.release(constant);
        }
    }

    pub fn text(&self, constant: ConstantId) -> &[u8] {
        self.texts.get(constant).map_or(&[], |text| text)
    }

    pub fn number(&self, constant: ConstantId) -> f64 {
        self.numbers.get(constant).map_or(f64::NAN, |bits| f64::from_bits(*bits))
    }

    /// How many conditions and triggers have a constant.
    pub fn users(&self, constant: &Constant) -> u32 {
        match constant {
            Constant::Text(text) => self.find_text(text).map_or(0, |id| self.texts.users(id)),
            Constant::Number(number) => self.find_number(*number).map_or(0, |id| self.numbers.users(id)),
            Constant::Hole(_) => 0,
        }
    }

    /// The constant that a value equals.
    #[inline]
    pub fn find_text(&self, value: &[u8]) -> Option<ConstantId> {
        self.texts.find(value, |text| **text == *value)
    }

    pub fn find_number(&self, value: f64) -> Option<ConstantId> {
        self.numbers.find(&bits(value), |found| *found == bits(value))
    }

    /// Makes anew what is not stored.
    pub fn restore(&mut self) {
        self.texts.restore();
        self.numbers.restore();
    }

    pub fn len(&self) -> usize {
        self.texts.len() + self.numbers.len()
    }

    pub fn bytes(&self) -> usize {
        // The texts themselves are not counted one by one; an allocation of the usual size is taken for each.
        self.texts.bytes() + self.numbers.bytes() + self.texts.len() * 24
    }
}

fn bits(number: f64) -> u64 {
    // Adding zero turns the negative zero into the positive one, which it equals.
    (number + 0.0).to_bits()
}

/// Whether a value passes the test.
pub fn passes(constants: &Constants, operator: Operator, constant: ConstantId, value: &[u8]) -> bool {
    match operator {
        Operator::Is => value == constants.text(constant),
        Operator::IsNot => value != constants.text(constant),
        Operator::Contains => memchr::memmem::find(value, constants.text(constant)).is_some(),
        Operator::StartsWith => value.starts_with(constants.text(constant)),
        Operator::EndsWith => value.ends_with(constants.text(constant)),
        Operator::Number(comparison) => {
            crate::machine::compare(comparison, crate::machine::to_number(value), constants.number(constant))
        }
    }
}
