//! An error while it is still a place in the window; the reader makes a document error of it.

use std::borrow::Cow;

use crate::error::{ErrorClass, Stop};

pub(super) struct Failure {
    pub class: ErrorClass,
    pub message: Cow<'static, str>,
    /// Index in the window.
    pub at: usize,
}

/// Boxed: errors are rare, results are returned per event.
pub(super) type Outcome<T> = Result<T, Box<Failure>>;

fn failure(class: ErrorClass, at: usize, message: impl Into<Cow<'static, str>>) -> Box<Failure> {
    Box::new(Failure { class, message: message.into(), at })
}

#[cold]
pub(super) fn malformed(at: usize, message: impl Into<Cow<'static, str>>) -> Box<Failure> {
    failure(ErrorClass::NotWellFormed, at, message)
}

#[cold]
pub(super) fn namespace(at: usize, message: impl Into<Cow<'static, str>>) -> Box<Failure> {
    failure(ErrorClass::Namespace, at, message)
}

#[cold]
pub(super) fn encoding(at: usize, message: impl Into<Cow<'static, str>>) -> Box<Failure> {
    failure(ErrorClass::Encoding, at, message)
}

#[cold]
pub(super) fn limit(at: usize, message: impl Into<Cow<'static, str>>) -> Box<Failure> {
    failure(ErrorClass::Limit, at, message)
}

#[cold]
pub(super) fn stopped(at: usize, stop: Stop) -> Box<Failure> {
    let (class, message) = stop.reason();
    failure(class, at, message)
}

/// A name as a message shows it.
pub(super) fn shown(name: &[u8]) -> Cow<'_, str> {
    const LONGEST: usize = 80;
    match name.get(..LONGEST) {
        Some(head) => Cow::Owned(format!("{}...", String::from_utf8_lossy(head))),
        None => String::from_utf8_lossy(name),
    }
}
