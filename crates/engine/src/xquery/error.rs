//! Dynamic errors, by their W3C codes.

use crate::evaluator::EvalError;

pub(super) type Result<T> = std::result::Result<T, EvalError>;

/// An error of a query on a document; `code` is W3C's.
pub(super) fn error(code: &str, message: impl AsRef<str>) -> EvalError {
    EvalError::Invalid(format!("{code}: {}", message.as_ref()))
}

/// A sequence stands where one item is allowed.
pub(super) fn too_many(what: &str) -> EvalError {
    error("XPTY0004", format!("{what} must be one item at most, but is a sequence of several"))
}

pub(super) fn wrong_type(what: &str, found: &str) -> EvalError {
    error("XPTY0004", format!("{what} cannot be {found}"))
}
