//! The one place where the engine's errors become Python's.

use std::panic::{catch_unwind, AssertUnwindSafe};

use penstock_engine::error::DocumentError;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;

static DOCUMENT_ERROR: PyOnceLock<Py<PyType>> = PyOnceLock::new();

/// What went wrong while a document was matched.
pub enum Failure {
    Document(DocumentError),
    /// A fault of ours. The worker it happened in is not used again.
    Internal(String),
}

/// Runs the engine so that no panic of it crosses into Python.
pub fn guarded<T>(work: impl FnOnce() -> Result<T, DocumentError>) -> Result<T, Failure> {
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(result) => result.map_err(Failure::Document),
        Err(panic) => {
            let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
            let text = text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
            Err(Failure::Internal(text))
        }
    }
}

pub fn to_python(py: Python<'_>, failure: Failure) -> PyErr {
    match failure {
        Failure::Document(error) => document_error(py, &error).unwrap_or_else(|other| other),
        Failure::Internal(text) => PyRuntimeError::new_err(format!("internal error in the engine: {text}")),
    }
}

fn document_error(py: Python<'_>, error: &DocumentError) -> PyResult<PyErr> {
    let class = DOCUMENT_ERROR.import(py, "penstock.errors", "DocumentError")?;
    let arguments = (error.class.as_str(), &error.message, error.line, error.column, error.offset);
    Ok(PyErr::from_value(class.call1(arguments)?))
}
