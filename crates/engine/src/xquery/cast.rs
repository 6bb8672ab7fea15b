//! Conversions between atomic types, and their written forms.

use std::borrow::Cow;
use std::sync::Arc;

use crate::evaluator::is_space;

use super::decimal::Decimal;
use super::error::{error, Result};
use super::ir::AtomicType;
use super::value::Atomic;

impl Atomic {
    pub(super) fn type_name(&self) -> &'static str {
        match self {
            Atomic::String(_) => "xs:string",
            Atomic::Untyped(_) => "xs:untypedAtomic",
            Atomic::Boolean(_) => "xs:boolean",
            Atomic::Integer(_) => "xs:integer",
            Atomic::Decimal(_) => "xs:decimal",
            Atomic::Double(_) => "xs:double",
        }
    }

    pub(super) fn is_number(&self) -> bool {
        matches!(self, Atomic::Integer(_) | Atomic::Decimal(_) | Atomic::Double(_))
    }

    /// The text of a string or an untyped value.
    pub(super) fn as_text(&self) -> Option<&str> {
        match self {
            Atomic::String(text) | Atomic::Untyped(text) => Some(text),
            _ => None,
        }
    }

    /// The value as `fn:string` gives it.
    pub(super) fn to_text(&self) -> Cow<'_, str> {
        match self {
            Atomic::String(text) | Atomic::Untyped(text) => Cow::Borrowed(text),
            Atomic::Boolean(value) => Cow::Borrowed(if *value { "true" } else { "false" }),
            Atomic::Integer(value) => Cow::Owned(value.to_string()),
            Atomic::Decimal(value) => Cow::Owned(value.to_string()),
            Atomic::Double(value) => Cow::Owned(double_text(*value)),
        }
    }

    pub(super) fn to_arc(&self) -> Arc<str> {
        match self {
            Atomic::String(text) | Atomic::Untyped(text) => Arc::clone(text),
            other => other.to_text().into(),
        }
    }

    /// The value of a number as a double.
    pub(super) fn to_double(&self) -> Option<f64> {
        match self {
            Atomic::Integer(value) => Some(*value as f64),
            Atomic::Decimal(value) => Some(value.to_f64()),
            Atomic::Double(value) => Some(*value),
            _ => None,
        }
    }

    pub(super) fn cast(&self, to: AtomicType) -> Result<Atomic> {
        let impossible = || {
            let text = self.to_text();
            let shown: String = text.chars().take(40).collect();
            error("FORG0001", format!("'{shown}' cannot be made {}", type_name(to)))
        };
        match to {
            AtomicType::String => Ok(Atomic::String(self.to_arc())),
            AtomicType::UntypedAtomic => Ok(Atomic::Untyped(self.to_arc())),
            AtomicType::Boolean => self.to_boolean().map(Atomic::Boolean).ok_or_else(impossible),
            AtomicType::Double => match self {
                Atomic::Boolean(value) => Ok(Atomic::Double(f64::from(u8::from(*value)))),
                Atomic::String(text) | Atomic::Untyped(text) => {
                    parse_double(text).map(Atomic::Double).ok_or_else(impossible)
                }
                number => number.to_double().map(Atomic::Double).ok_or_else(impossible),
            },
            AtomicType::Decimal => self.to_decimal(impossible).map(decimal),
            AtomicType::Integer => {
                if let Some(text) = self.as_text() {
                    return parse_integer(text.trim_matches(is_space)).map(Atomic::Integer).ok_or_else(impossible);
                }
                let whole = self.to_decimal(impossible)?.truncate();
                i64::try_from(whole).map(Atomic::Integer).map_err(|_| overflow())
            }
        }
    }

    fn to_boolean(&self) -> Option<bool> {
        match self {
            Atomic::Boolean(value) => Some(*value),
            Atomic::String(text) | Atomic::Untyped(text) => match text.trim_matches(is_space) {
                "true" | "1" => Some(true),
                "false" | "0" => Some(false),
                _ => None,
            },
            number => number.to_double().map(|value| value != 0.0 && !value.is_nan()),
        }
    }

    fn to_decimal(&self, impossible: impl Fn() -> crate::evaluator::EvalError) -> Result<Decimal> {
        match self {
            Atomic::Integer(value) => Ok(Decimal::from(*value)),
            Atomic::Decimal(value) => Ok(**value),
            Atomic::Boolean(value) => Ok(Decimal::from(i64::from(*value))),
            Atomic::Double(value) if !value.is_finite() => {
                Err(error("FOCA0002", format!("{} is no decimal number", double_text(*value))))
            }
            Atomic::Double(value) => Decimal::from_f64(*value).ok_or_else(overflow),
            Atomic::String(text) | Atomic::Untyped(text) => {
                Decimal::parse(text.trim_matches(is_space)).ok_or_else(impossible)
            }
        }
    }
}

pub(super) fn decimal(value: Decimal) -> Atomic {
    Atomic::Decimal(Box::new(value))
}

pub(super) fn overflow() -> crate::evaluator::EvalError {
    error("FOAR0002", "a number is too large")
}

pub(super) fn type_name(kind: AtomicType) -> &'static str {
    match kind {
        AtomicType::String => "a string",
        AtomicType::Boolean => "a boolean",
        AtomicType::Integer => "an integer",
        AtomicType::Decimal => "a decimal number",
        AtomicType::Double => "a number",
        AtomicType::UntypedAtomic => "an untyped value",
    }
}

fn parse_integer(text: &str) -> Option<i64> {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    (!digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())).then(|| text.parse().ok()).flatten()
}

/// The double that a text denotes by the rules of XML Schema.
pub(super) fn parse_double(text: &str) -> Option<f64> {
    let text = text.trim_matches(is_space);
    match text {
        "INF" | "+INF" => return Some(f64::INFINITY),
        "-INF" => return Some(f64::NEG_INFINITY),
        "NaN" => return Some(f64::NAN),
        _ => {}
    }
    // Rust reads more: "inf", "nan", "infinity".
    let is_numeral = text.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'e' | b'E' | b'+' | b'-'));
    (is_numeral && text.bytes().any(|byte| byte.is_ascii_digit())).then(|| text.parse().ok()).flatten()
}

/// A double as XQuery writes it: an exponent below a millionth and from a million on.
pub(super) fn double_text(value: f64) -> String {
    if value.is_nan() {
        return "NaN".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { "INF" } else { "-INF" }.to_owned();
    }
    let size = value.abs();
    if size == 0.0 || (1e-6..1e6).contains(&size) {
        // Rust's Display gives the shortest digits that read back the same, and no exponent.
        return value.to_string();
    }
    let written = format!("{value:E}");
    match written.split_once('E') {
        Some((digits, exponent)) if !digits.contains('.') => format!("{digits}.0E{exponent}"),
        _ => written,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doubles_are_written_as_xquery_does() {
        for (value, text) in [
            (1.0, "1"),
            (-0.0, "-0"),
            (0.1 + 0.2, "0.30000000000000004"),
            (1e6, "1.0E6"),
            (999_999.5, "999999.5"),
            (1.5e-7, "1.5E-7"),
            (1e-6, "0.000001"),
            (-1.25e300, "-1.25E300"),
            (f64::INFINITY, "INF"),
        ] {
            assert_eq!(double_text(value), text);
        }
    }

    #[test]
    fn doubles_are_read_by_the_rules_of_xml_schema() {
        assert_eq!(parse_double(" 1e3 "), Some(1000.0));
        assert_eq!(parse_double("-INF"), Some(f64::NEG_INFINITY));
        assert_eq!(parse_double("+5."), Some(5.0));
        for text in ["", "inf", "nan", "1 2", "0x1", "--1", "e5", "infinity"] {
            assert_eq!(parse_double(text), None, "{text:?}");
        }
    }
}
