//! Ids on their way to the interpreter.

use pyo3::prelude::*;
use pyo3::types::{PyList, PyString, PyTuple};

/// Texts one after the other: to make a string of each, and another when the interpreter is attached, would take twice as long.
#[derive(Default)]
pub struct Ids {
    text: String,
    ends: Vec<usize>,
}

impl<'a> FromIterator<&'a str> for Ids {
    fn from_iter<I: IntoIterator<Item = &'a str>>(ids: I) -> Ids {
        let mut all = Ids::default();
        for id in ids {
            all.text.push_str(id);
            all.ends.push(all.text.len());
        }
        all
    }
}

impl Ids {
    pub fn list<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        PyList::new(py, self.strings(py))
    }

    pub fn tuple<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.strings(py))
    }

    fn strings<'py>(&self, py: Python<'py>) -> impl ExactSizeIterator<Item = Bound<'py, PyString>> + use<'py, '_> {
        (0..self.ends.len()).map(move |number| {
            let start = number.checked_sub(1).map_or(0, |before| self.ends[before]);
            PyString::new(py, &self.text[start..self.ends[number]])
        })
    }
}
