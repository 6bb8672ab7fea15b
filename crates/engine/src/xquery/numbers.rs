//! Functions that give numbers.

use crate::evaluator::round;

use super::arithmetic::{calculate, exact, operand};
use super::cast::{decimal, overflow, parse_double};
use super::compare::{is_nan, make_comparable, sort_order};
use super::decimal::Decimal;
use super::error::{error, Result};
use super::functions::Function;
use super::ir::{Arithmetic, AtomicType};
use super::operation::Operation;
use super::run::{Focus, Run};
use super::value::{Atomic, Value};

impl<'a> Run<'a> {
    pub(super) fn number_call(&self, function: Function, args: &'a [Operation], focus: &Focus<'_>) -> Result<Value> {
        let what = format!("the argument of {}()", function.name());
        let given = self.optional_atomic(&args[0], &what, focus)?;
        if function == Function::Number {
            return Ok(Value::atomic(Atomic::Double(given.as_ref().map_or(f64::NAN, to_number))));
        }
        let Some(given) = given else { return Ok(Value::Empty) };
        let places = match args.get(1) {
            Some(arg) => i32::try_from(self.needed_integer(arg, focus)?).map_err(|_| overflow())?,
            None => 0,
        };
        let number = operand(given, &what)?;
        Ok(Value::atomic(match number {
            Atomic::Double(value) => Atomic::Double(round_double(function, value, places)),
            number => round_exact(function, number, places)?,
        }))
    }

    /// An argument that must be one number.
    pub(super) fn needed_double(&self, arg: &'a Operation, what: &str, focus: &Focus<'_>) -> Result<f64> {
        match self.optional_atomic(arg, "an argument", focus)? {
            Some(value) => Ok(operand(value, &format!("an argument of {what}"))?.to_double().unwrap_or(f64::NAN)),
            None => Err(error("XPTY0004", format!("an argument of {what} is missing"))),
        }
    }

    pub(super) fn aggregate(&self, function: Function, args: &'a [Operation], focus: &Focus<'_>) -> Result<Value> {
        let mut values = Vec::new();
        for value in self.atomics(&args[0], focus)? {
            values.push(if matches!(value, Atomic::Untyped(_)) { value.cast(AtomicType::Double)? } else { value });
        }
        self.charge(values.len() as u64)?;
        if values.is_empty() {
            return match (function, args.get(1)) {
                (Function::Sum, Some(zero)) => {
                    Ok(self.optional_atomic(zero, "the second argument of sum()", focus)?.into())
                }
                (Function::Sum, None) => Ok(Value::atomic(Atomic::Integer(0))),
                _ => Ok(Value::Empty),
            };
        }
        match function {
            Function::Sum => total(values, function).map(Value::atomic),
            Function::Average => {
                let count = Atomic::Integer(values.len() as i64);
                calculate(Arithmetic::Divide, total(values, function)?, count).map(Value::atomic)
            }
            _ => extreme(values, function),
        }
    }
}

/// `number()`: what is no number is NaN.
fn to_number(value: &Atomic) -> f64 {
    match value {
        Atomic::String(text) | Atomic::Untyped(text) => parse_double(text).unwrap_or(f64::NAN),
        Atomic::Boolean(value) => f64::from(u8::from(*value)),
        number => number.to_double().unwrap_or(f64::NAN),
    }
}

fn total(values: Vec<Atomic>, function: Function) -> Result<Atomic> {
    let mut sum: Option<Atomic> = None;
    for value in values {
        if !value.is_number() {
            return Err(error("FORG0006", format!("{}() cannot take {}", function.name(), value.type_name())));
        }
        sum = Some(match sum {
            Some(sum) => calculate(Arithmetic::Add, sum, value)?,
            None => value,
        });
    }
    Ok(sum.unwrap_or(Atomic::Integer(0)))
}

/// The least or the greatest; NaN if there is one.
fn extreme(mut values: Vec<Atomic>, function: Function) -> Result<Value> {
    make_comparable(values.iter_mut())
        .map_err(|_| error("FORG0006", format!("the values given to {}() cannot be compared", function.name())))?;
    if values.iter().any(is_nan) {
        return Ok(Value::atomic(Atomic::Double(f64::NAN)));
    }
    let mut found: Option<Atomic> = None;
    for value in values {
        let better = found.as_ref().is_none_or(|known| {
            let order = sort_order(Some(&value), Some(known), false);
            if function == Function::Least {
                order.is_lt()
            } else {
                order.is_gt()
            }
        });
        if better {
            found = Some(value);
        }
    }
    Ok(found.into())
}

fn round_double(function: Function, value: f64, places: i32) -> f64 {
    match function {
        Function::Abs => value.abs(),
        Function::Floor => value.floor(),
        Function::Ceiling => value.ceil(),
        _ if !value.is_finite() || value == 0.0 => value,
        Function::Round if places == 0 => round(value),
        _ => {
            match Decimal::from_f64(value).and_then(|exact| exact.round(places, function == Function::RoundHalfToEven))
            {
                Some(rounded) => rounded.to_f64().copysign(value),
                // So large or so small that there is nothing to round.
                None => value,
            }
        }
    }
}

fn round_exact(function: Function, number: Atomic, places: i32) -> Result<Atomic> {
    let Some(value) = exact(&number) else { return Ok(number) };
    let whole = |value: i128| i64::try_from(value).map(Decimal::from).map_err(|_| overflow());
    let rounded = match function {
        Function::Abs if value.compare(Decimal::from(0)).is_lt() => value.negate(),
        Function::Abs => value,
        Function::Floor => whole(value.floor())?,
        Function::Ceiling => whole(value.ceiling())?,
        _ => value.round(places, function == Function::RoundHalfToEven).ok_or_else(overflow)?,
    };
    match number {
        Atomic::Integer(_) => i64::try_from(rounded.truncate()).map(Atomic::Integer).map_err(|_| overflow()),
        _ => Ok(decimal(rounded)),
    }
}
