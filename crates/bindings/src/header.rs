//! What all deliveries of a document have in common.

use std::time::SystemTime;

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyString, PyTuple};

/// A document's id, stream and time. Those that the broker chose become Python objects when someone asks for them: most
/// documents match nothing.
pub struct Header {
    id: Id,
    stream: Py<PyString>,
    time: Time,
    documents: PyOnceLock<Py<PyTuple>>,
}

/// As given, or a number.
pub enum Id {
    Given(Py<PyString>),
    Number(u64),
}

impl FromPyObject<'_, '_> for Id {
    type Error = PyErr;

    fn extract(id: Borrowed<'_, '_, PyAny>) -> PyResult<Id> {
        match id.cast::<PyString>() {
            Ok(given) => Ok(Id::Given(given.to_owned().unbind())),
            Err(_) => Ok(Id::Number(id.extract()?)),
        }
    }
}

pub enum Time {
    Given(Py<PyAny>),
    Taken(SystemTime, PyOnceLock<Py<PyAny>>),
}

impl Time {
    pub fn now() -> Time {
        Time::Taken(SystemTime::now(), PyOnceLock::new())
    }
}

impl Header {
    pub fn new(id: Id, stream: Py<PyString>, time: Time) -> Header {
        Header { id, stream, time, documents: PyOnceLock::new() }
    }

    pub fn id<'py>(&self, py: Python<'py>) -> Bound<'py, PyString> {
        match &self.id {
            Id::Given(id) => id.bind(py).clone(),
            Id::Number(number) => PyString::new(py, &number.to_string()),
        }
    }

    pub fn documents(&self, py: Python<'_>) -> PyResult<Py<PyTuple>> {
        let documents =
            self.documents.get_or_try_init(py, || PyResult::Ok(PyTuple::new(py, [self.id(py)])?.unbind()))?;
        Ok(documents.clone_ref(py))
    }

    pub fn stream(&self, py: Python<'_>) -> Py<PyString> {
        self.stream.clone_ref(py)
    }

    pub fn time(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        match &self.time {
            Time::Given(time) => Ok(time.clone_ref(py)),
            Time::Taken(time, made) => {
                let make = || PyResult::Ok(time.into_pyobject(py)?.into_any().unbind());
                Ok(made.get_or_try_init(py, make)?.clone_ref(py))
            }
        }
    }
}
