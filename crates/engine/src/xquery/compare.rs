//! Comparisons of atomic values: by value, by the rules of `=` and its like, and for sorting.

use std::cmp::Ordering;

use crate::ir::Comparison;

use super::arithmetic::exact;
use super::error::{error, Result};
use super::ir::AtomicType;
use super::value::Atomic;

/// `eq` and its like: what has no type is a string.
pub(super) fn by_value(comparison: Comparison, left: &Atomic, right: &Atomic) -> Result<bool> {
    match order(left, right) {
        Some(found) => Ok(passes(comparison, found)),
        None => Err(incomparable(left, right)),
    }
}

/// A pair of a general comparison: what has no type takes on the other's.
pub(super) fn general(comparison: Comparison, left: &Atomic, right: &Atomic) -> Result<bool> {
    match (left, right) {
        (Atomic::Untyped(_), other) => match adapted_type(other) {
            Some(kind) => by_value(comparison, &left.cast(kind)?, other),
            None => by_value(comparison, left, right),
        },
        (other, Atomic::Untyped(_)) => match adapted_type(other) {
            Some(kind) => by_value(comparison, other, &right.cast(kind)?),
            None => by_value(comparison, left, right),
        },
        _ => by_value(comparison, left, right),
    }
}

/// The type that an untyped value is given beside this one; none beside a text.
fn adapted_type(other: &Atomic) -> Option<AtomicType> {
    match other {
        Atomic::String(_) | Atomic::Untyped(_) => None,
        Atomic::Boolean(_) => Some(AtomicType::Boolean),
        Atomic::Integer(_) | Atomic::Decimal(_) | Atomic::Double(_) => Some(AtomicType::Double),
    }
}

/// How two values compare: nothing if they cannot be compared, `Some(None)` for NaN.
fn order(left: &Atomic, right: &Atomic) -> Option<Option<Ordering>> {
    if let (Some(left), Some(right)) = (left.as_text(), right.as_text()) {
        return Some(Some(left.cmp(right)));
    }
    match (left, right) {
        (Atomic::Boolean(left), Atomic::Boolean(right)) => Some(Some(left.cmp(right))),
        (Atomic::Integer(left), Atomic::Integer(right)) => Some(Some(left.cmp(right))),
        _ => match (exact(left), exact(right)) {
            (Some(left), Some(right)) => Some(Some(left.compare(right))),
            _ => Some(left.to_double()?.partial_cmp(&right.to_double()?)),
        },
    }
}

/// Two texts, of which at least one is untyped or both are strings.
pub(super) fn text_passes(comparison: Comparison, left: &str, right: &str) -> bool {
    passes(comparison, Some(left.cmp(right)))
}

fn passes(comparison: Comparison, found: Option<Ordering>) -> bool {
    match comparison {
        Comparison::Eq => found == Some(Ordering::Equal),
        Comparison::Ne => found != Some(Ordering::Equal),
        Comparison::Lt => found == Some(Ordering::Less),
        Comparison::Le => matches!(found, Some(Ordering::Less | Ordering::Equal)),
        Comparison::Gt => found == Some(Ordering::Greater),
        Comparison::Ge => matches!(found, Some(Ordering::Greater | Ordering::Equal)),
    }
}

/// Equal for `distinct-values` and `deep-equal`: NaN is itself, and what cannot be compared differs.
pub(super) fn same(left: &Atomic, right: &Atomic) -> bool {
    match order(left, right) {
        Some(Some(found)) => found == Ordering::Equal,
        Some(None) => is_nan(left) && is_nan(right),
        None => false,
    }
}

/// Makes all keys of one place of one type, so that their order is total: all texts, all booleans, or all numbers,
/// which are doubles if one of them is.
pub(super) fn make_comparable<'k>(keys: impl Iterator<Item = &'k mut Atomic>) -> Result<()> {
    let keys: Vec<&mut Atomic> = keys.collect();
    if let Some(first) = keys.first() {
        if let Some(other) = keys.iter().find(|key| order(first, key).is_none()) {
            return Err(incomparable(first, other));
        }
    }
    if keys.iter().any(|key| matches!(key, Atomic::Double(_))) {
        for key in keys {
            if let Some(number) = key.to_double() {
                *key = Atomic::Double(number);
            }
        }
    }
    Ok(())
}

/// The order of two keys of `order by` that can be compared: the empty sequence, then NaN, then all else.
pub(super) fn sort_order(left: Option<&Atomic>, right: Option<&Atomic>, empty_greatest: bool) -> Ordering {
    let rank = |key: Option<&Atomic>| match key {
        None => 0,
        Some(key) if is_nan(key) => 1,
        Some(_) => 2,
    };
    if let (Some(one), Some(other)) = (left, right) {
        if let Some(Some(found)) = order(one, other) {
            return found;
        }
    }
    let found = rank(left).cmp(&rank(right));
    if empty_greatest {
        found.reverse()
    } else {
        found
    }
}

pub(super) fn is_nan(value: &Atomic) -> bool {
    matches!(value, Atomic::Double(value) if value.is_nan())
}

fn incomparable(left: &Atomic, right: &Atomic) -> crate::evaluator::EvalError {
    error("XPTY0004", format!("{} and {} cannot be compared", left.type_name(), right.type_name()))
}
