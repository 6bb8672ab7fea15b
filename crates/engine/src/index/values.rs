//! Constants of value tests, each stored once; text and numbers are kept apart, as XPath keeps them.

use serde::{Deserialize, Serialize};

use super::interner::Interner;
use super::pattern::Constant;
use super::table::Table;
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
    /// Texts that are short are found by themselves.
    #[serde(skip)]
    short: Table<(u64, ConstantId)>,
    /// As bits; a zero is positive.
    numbers: Interner<u64>,
}

impl Constants {
    pub fn intern_text(&mut self, text: &[u8]) -> ConstantId {
        let (constant, is_new) = self.texts.intern(text.into());
        if let (Some(short), true) = (as_number(text), is_new) {
            self.short.add((short, constant));
        }
        constant
    }

    pub fn intern_number(&mut self, number: f64) -> ConstantId {
        self.numbers.intern(bits(number)).0
    }

    pub fn release(&mut self, operator: Operator, constant: ConstantId) {
        if operator.is_numeric() {
            self.numbers.release(constant);
        } else {
            let forgotten = self.texts.release(constant);
            if let Some(short) = forgotten.and_then(|text| as_number(&text)) {
                self.short.remove(short);
            }
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
        match as_number(value) {
            Some(short) => self.short.get(short).map(|(_, constant)| *constant),
            None => self.texts.find(value, |text| **text == *value),
        }
    }

    pub fn find_number(&self, value: f64) -> Option<ConstantId> {
        self.numbers.find(&bits(value), |found| *found == bits(value))
    }

    /// Makes anew what is not stored.
    pub fn restore(&mut self) {
        self.texts.restore();
        self.short = Table::default();
        for (constant, text) in self.texts.all() {
            if let Some(short) = as_number(text) {
                self.short.add((short, constant));
            }
        }
        self.numbers.restore();
    }

    pub fn len(&self) -> usize {
        self.texts.len() + self.numbers.len()
    }

    pub fn bytes(&self) -> usize {
        // The texts themselves are not counted one by one; an allocation of the usual size is taken for each.
        self.texts.bytes() + self.numbers.bytes() + self.texts.len() * 24 + self.short.len() * 48
    }
}

/// A text of a few bytes as one number, which no other such text has.
#[inline]
fn as_number(text: &[u8]) -> Option<u64> {
    let number = match *text {
        [] => 0,
        [a] => u32::from(a).into(),
        [a, b] => u32::from_le_bytes([a, b, 0, 0]).into(),
        [a, b, c] => u32::from_le_bytes([a, b, c, 0]).into(),
        // The first four bytes and the last three are all, some of them twice.
        [a, b, c, d, ..] if text.len() <= 7 => {
            let [.., x, y, z] = *text else { return None };
            u64::from_le_bytes([a, b, c, d, x, y, z, 0])
        }
        _ => return None,
    };
    Some(number | (text.len() as u64) << 56)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_all_lengths_are_found_until_their_last_user_goes() {
        let texts = ["", "\0", "\0\0", "a", "b", "ab", "ba", "seven77", "eight888", "a longer text than that"];
        let mut constants = Constants::default();
        let ids = texts.map(|text| constants.intern_text(text.as_bytes()));
        let find = |constants: &Constants| texts.map(|text| constants.find_text(text.as_bytes()));
        assert_eq!(find(&constants), ids.map(Some));
        assert_eq!(constants.find_text(b"ac"), None);
        constants.restore();
        assert_eq!(find(&constants), ids.map(Some));
        constants.intern_text(b"ab");
        ids.iter().for_each(|&id| constants.release(Operator::Is, id));
        assert_eq!(find(&constants), texts.map(|text| (text == "ab").then_some(ids[5])));
    }
}
