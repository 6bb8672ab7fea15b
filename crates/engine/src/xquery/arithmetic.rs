//! Arithmetic on numbers of three types.

use super::cast::{decimal, overflow};
use super::decimal::Decimal;
use super::error::{error, wrong_type, Result};
use super::ir::{Arithmetic, AtomicType};
use super::value::Atomic;

/// Two numbers of one type: the lesser of the two is promoted.
enum Pair {
    Integers(i64, i64),
    Decimals(Decimal, Decimal),
    Doubles(f64, f64),
}

/// The value as an operand of arithmetic: what has no type is a double.
pub(super) fn operand(value: Atomic, what: &str) -> Result<Atomic> {
    match value {
        Atomic::Untyped(_) => value.cast(AtomicType::Double),
        number if number.is_number() => Ok(number),
        other => Err(wrong_type(what, other.type_name())),
    }
}

pub(super) fn calculate(operator: Arithmetic, left: Atomic, right: Atomic) -> Result<Atomic> {
    let left = operand(left, "an operand of arithmetic")?;
    let right = operand(right, "an operand of arithmetic")?;
    match pair(&left, &right) {
        Pair::Integers(left, right) => integers(operator, left, right),
        Pair::Decimals(left, right) => decimals(operator, left, right),
        Pair::Doubles(left, right) => doubles(operator, left, right),
    }
}

pub(super) fn negated(value: Atomic) -> Result<Atomic> {
    Ok(match operand(value, "an operand of '-'")? {
        Atomic::Integer(value) => Atomic::Integer(value.checked_neg().ok_or_else(overflow)?),
        Atomic::Decimal(value) => decimal(value.negate()),
        Atomic::Double(value) => Atomic::Double(-value),
        other => other,
    })
}

/// Both must be numbers.
fn pair(left: &Atomic, right: &Atomic) -> Pair {
    match (left, right) {
        (Atomic::Integer(left), Atomic::Integer(right)) => Pair::Integers(*left, *right),
        _ => match (exact(left), exact(right)) {
            (Some(left), Some(right)) => Pair::Decimals(left, right),
            _ => Pair::Doubles(left.to_double().unwrap_or(f64::NAN), right.to_double().unwrap_or(f64::NAN)),
        },
    }
}

/// The value of an integer or a decimal number.
pub(super) fn exact(value: &Atomic) -> Option<Decimal> {
    match value {
        Atomic::Integer(value) => Some(Decimal::from(*value)),
        Atomic::Decimal(value) => Some(**value),
        _ => None,
    }
}

fn integers(operator: Arithmetic, left: i64, right: i64) -> Result<Atomic> {
    let result = match operator {
        Arithmetic::Add => left.checked_add(right),
        Arithmetic::Subtract => left.checked_sub(right),
        Arithmetic::Multiply => left.checked_mul(right),
        Arithmetic::Divide => return decimals(operator, Decimal::from(left), Decimal::from(right)),
        Arithmetic::DivideWhole | Arithmetic::Modulo if right == 0 => return Err(by_zero()),
        Arithmetic::DivideWhole => left.checked_div(right),
        Arithmetic::Modulo => Some(left.checked_rem(right).unwrap_or(0)),
    };
    result.map(Atomic::Integer).ok_or_else(overflow)
}

fn decimals(operator: Arithmetic, left: Decimal, right: Decimal) -> Result<Atomic> {
    let divides = matches!(operator, Arithmetic::Divide | Arithmetic::DivideWhole | Arithmetic::Modulo);
    if divides && right.is_zero() {
        return Err(by_zero());
    }
    let result = match operator {
        Arithmetic::Add => left.add(right),
        Arithmetic::Subtract => left.add(right.negate()),
        Arithmetic::Multiply => left.multiply(right),
        Arithmetic::Divide => left.divide(right),
        Arithmetic::Modulo => left.remainder(right),
        Arithmetic::DivideWhole => {
            let whole = left.divide(right).map(Decimal::truncate).and_then(|whole| i64::try_from(whole).ok());
            return whole.map(Atomic::Integer).ok_or_else(overflow);
        }
    };
    result.map(decimal).ok_or_else(overflow)
}

fn doubles(operator: Arithmetic, left: f64, right: f64) -> Result<Atomic> {
    Ok(Atomic::Double(match operator {
        Arithmetic::Add => left + right,
        Arithmetic::Subtract => left - right,
        Arithmetic::Multiply => left * right,
        Arithmetic::Divide => left / right,
        Arithmetic::Modulo => left % right,
        Arithmetic::DivideWhole => {
            if right == 0.0 {
                return Err(by_zero());
            }
            let whole = (left / right).trunc();
            // 2^63 is the least double that is no 64-bit integer.
            if left.is_nan() || right.is_nan() || left.is_infinite() || whole.abs() >= 9_223_372_036_854_775_808.0 {
                return Err(overflow());
            }
            return Ok(Atomic::Integer(whole as i64));
        }
    }))
}

fn by_zero() -> crate::evaluator::EvalError {
    error("FOAR0001", "division by zero")
}
