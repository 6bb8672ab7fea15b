//! Numbers: the conversions of XPath 1.0, rounding, arithmetic.

use crate::ir::Arithmetic;

use super::functions::Function;
use super::operation::Operation;
use super::run::{Frame, Run};
use super::EvalError;

impl<'a> Run<'a> {
    pub(super) fn number_call(
        &self,
        function: Function,
        args: &'a [Operation],
        frame: &Frame<'_>,
    ) -> Result<f64, EvalError> {
        Ok(match function {
            Function::Position => frame.position as f64,
            Function::Last => frame.size as f64,
            Function::Count => self.nodes(&args[0], frame)?.len() as f64,
            Function::StringLength => self.whole_string(&args[0], frame)?.chars().count() as f64,
            Function::Sum => self.sum(&args[0], frame)?,
            Function::Floor => self.number(&args[0], frame)?.floor(),
            Function::Ceiling => self.number(&args[0], frame)?.ceil(),
            Function::Round => round(self.number(&args[0], frame)?),
            _ => self.number(&args[0], frame)?,
        })
    }
}

/// The number that a string denotes: an optional minus, digits with an optional fraction, white space around;
/// NaN for anything else. No exponent and no plus sign.
pub fn string_to_number(text: &str) -> f64 {
    let text = trim(text);
    let digits = text.strip_prefix('-').unwrap_or(text);
    let mut seen_digit = false;
    let mut seen_point = false;
    for byte in digits.bytes() {
        match byte {
            b'0'..=b'9' => seen_digit = true,
            b'.' if !seen_point => seen_point = true,
            _ => return f64::NAN,
        }
    }
    if !seen_digit {
        return f64::NAN;
    }
    text.parse().unwrap_or(f64::NAN)
}

/// The string of a number as XPath 1.0 writes it: never an exponent, no `.0`, no minus on zero.
pub fn number_to_string(number: f64) -> String {
    if number.is_nan() {
        "NaN".to_owned()
    } else if number.is_infinite() {
        if number > 0.0 { "Infinity" } else { "-Infinity" }.to_owned()
    } else if number == 0.0 {
        "0".to_owned()
    } else {
        // Rust's Display gives the shortest digits that read back the same, and no exponent.
        number.to_string()
    }
}

/// The closest integer, the greater one of two.
pub(crate) fn round(number: f64) -> f64 {
    if !number.is_finite() {
        return number;
    }
    let below = number.floor();
    // Not floor(number + 0.5): the sum may round up by itself.
    let rounded = if number - below >= 0.5 { below + 1.0 } else { below };
    if rounded == 0.0 {
        rounded.copysign(number)
    } else {
        rounded
    }
}

pub(super) fn arithmetic(operator: Arithmetic, left: f64, right: f64) -> f64 {
    match operator {
        Arithmetic::Add => left + right,
        Arithmetic::Subtract => left - right,
        Arithmetic::Multiply => left * right,
        Arithmetic::Divide => left / right,
        Arithmetic::Modulo => left % right,
    }
}

pub(crate) fn is_space(character: char) -> bool {
    matches!(character, ' ' | '\t' | '\n' | '\r')
}

/// Without the white space of XML at both ends.
fn trim(text: &str) -> &str {
    text.trim_matches(is_space)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_by_the_grammar_of_xpath_1() {
        assert_eq!(string_to_number(" -12.5\n"), -12.5);
        assert_eq!(string_to_number(".5"), 0.5);
        assert_eq!(string_to_number("5."), 5.0);
        for text in
            ["", " ", "+1", "1e3", "1 2", "--1", "- 1", ".", "-", "-.", "1.2.3", "NaN", "Infinity", "0x10", "\u{a0}1"]
        {
            assert!(string_to_number(text).is_nan(), "{text:?}");
        }
    }

    #[test]
    fn numbers_are_written_without_exponent() {
        assert_eq!(number_to_string(1e21), "1000000000000000000000");
        assert_eq!(number_to_string(1.5e-7), "0.00000015");
        assert_eq!(number_to_string(-0.0), "0");
        assert_eq!(number_to_string(3.0), "3");
        assert_eq!(number_to_string(f64::NAN), "NaN");
        assert_eq!(number_to_string(f64::NEG_INFINITY), "-Infinity");
    }

    #[test]
    fn halves_are_rounded_up() {
        assert_eq!(round(2.5), 3.0);
        assert_eq!(round(-2.5), -2.0);
        assert_eq!(round(0.499_999_999_999_999_94), 0.0);
        assert!(round(-0.2).is_sign_negative());
        assert!(round(f64::NAN).is_nan());
        assert_eq!(round(f64::INFINITY), f64::INFINITY);
    }
}
