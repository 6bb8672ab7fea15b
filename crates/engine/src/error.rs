//! What can go wrong with a document, and where.

use std::fmt;

/// The class of a document error; its name is part of the public face.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorClass {
    /// Breaks a well-formedness rule of XML 1.0.
    NotWellFormed,
    /// Breaks a rule of Namespaces in XML 1.0.
    Namespace,
    /// Bytes that are not of the document's encoding, or an encoding we do not know.
    Encoding,
    /// Over one of the [`crate::limits::Limits`].
    Limit,
    /// Evaluating a query on this document failed.
    Evaluation,
}

impl ErrorClass {
    pub fn as_str(self) -> &'static str {
        match self {
            ErrorClass::NotWellFormed => "not-well-formed",
            ErrorClass::Namespace => "namespace",
            ErrorClass::Encoding => "encoding",
            ErrorClass::Limit => "limit",
            ErrorClass::Evaluation => "evaluation",
        }
    }
}

/// An error in a document. Line and column count characters from 1, the offset bytes of the source from 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocumentError {
    pub class: ErrorClass,
    pub message: String,
    pub line: u64,
    pub column: u64,
    pub offset: u64,
}

impl fmt::Display for DocumentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (line {}, column {})", self.message, self.line, self.column)
    }
}

impl std::error::Error for DocumentError {}

/// Why a handler stops the reader: the reader adds the place and makes a [`DocumentError`] of it. Boxed, as it comes back
/// from every event and hardly ever says anything.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stop(Box<(ErrorClass, String)>);

impl Stop {
    #[cold]
    pub fn new(class: ErrorClass, message: String) -> Stop {
        Stop(Box::new((class, message)))
    }

    #[cold]
    pub fn limit(message: impl Into<String>) -> Stop {
        Stop::new(ErrorClass::Limit, message.into())
    }

    pub fn reason(self) -> (ErrorClass, String) {
        *self.0
    }

    pub fn at(self, (line, column, offset): (u64, u64, u64)) -> DocumentError {
        let (class, message) = self.reason();
        DocumentError { class, message, line, column, offset }
    }
}
