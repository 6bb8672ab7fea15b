//! Whom results are for.

use compact_str::CompactString;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyString;

/// A subscription that gets results, as it was when they were found.
pub struct Taker {
    pub id: Name,
    pub subscriber: Option<Name>,
    /// Gets the results of a document as one.
    pub joins: bool,
}

impl Taker {
    pub fn new(id: &str, subscriber: Option<&str>, joins: bool) -> Taker {
        Taker { id: Name::new(id), subscriber: subscriber.map(Name::new), joins }
    }
}

/// A string, which becomes one of Python when someone asks for it.
pub struct Name {
    text: CompactString,
    made: PyOnceLock<Py<PyString>>,
}

impl Name {
    fn new(text: &str) -> Name {
        Name { text: text.into(), made: PyOnceLock::new() }
    }

    pub fn as_str(&self) -> &str {
        &self.text
    }

    pub fn to_python(&self, py: Python<'_>) -> Py<PyString> {
        self.made.get_or_init(py, || PyString::new(py, &self.text).unbind()).clone_ref(py)
    }
}
