//! One result for one subscription: what Python sees of it.

use std::ffi::CStr;

use pyo3::basic::CompareOp;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple};

use crate::delivered::{Delivered, Fields};
use crate::delivery_class;
use crate::identity::identity;

/// The signature and what `help` says.
pub const DOC: &CStr = c"Delivery(subscription, subscriber, kind, fragment, documents, stream, time, sequence)
--

One result for one subscription.

`sequence` grows in document order; it is the place of the result's first byte in the document as the engine reads
it, and 0 for values that belong to no single node.

A delivery that is kept keeps the results that came with it: those of its document or, for a feed, of its chunk. Its
fields are made when they are asked for.";

pub const NAMES: [&CStr; 8] =
    [c"subscription", c"subscriber", c"kind", c"fragment", c"documents", c"stream", c"time", c"sequence"];

/// A delivery: where its fields are, and its place there.
#[derive(Clone, Copy)]
pub struct Delivery<'a> {
    pub origin: &'a Delivered,
    pub place: u32,
}

impl Delivery<'_> {
    #[inline]
    pub fn fragment<'py>(self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(self.origin.fragment(py, self.place)?.into_bound(py).into_any())
    }

    /// The fields in the order of [`NAMES`].
    pub fn fields<'py>(self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let Delivery { origin, place } = self;
        let fields = (
            origin.subscription(py, place),
            origin.subscriber(py, place),
            origin.kind(py, place),
            origin.fragment(py, place)?,
            origin.documents(py)?,
            origin.stream(py),
            origin.time(py)?,
            origin.sequence(place),
        );
        fields.into_pyobject(py)
    }

    /// 128 bits in hexadecimal: the same subscription, documents and nodes give the same, whenever and wherever.
    pub fn match_id(self, py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
        let Delivery { origin, place } = self;
        let documents: Vec<String> = origin.documents(py)?.extract(py)?;
        let (subscription, kind) = (origin.subscription(py, place), origin.kind(py, place));
        let (subscription, kind) = (subscription.bind(py).to_str()?, kind.bind(py).to_str()?);
        let id = identity(subscription, &documents, kind, &[origin.sequence(place)]);
        Ok(PyString::new(py, &id).into_any())
    }

    /// The fields by name, with `match_id`.
    pub fn as_dict(self, py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
        let dict = PyDict::new(py);
        for (name, value) in NAMES.iter().zip(self.fields(py)?.iter()) {
            dict.set_item(name.to_string_lossy(), value)?;
        }
        dict.set_item("match_id", self.match_id(py)?)?;
        Ok(dict.into_any())
    }

    /// How it is copied and pickled.
    pub fn reduce(self, py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
        Ok((delivery_class::class(py)?, self.fields(py)?).into_pyobject(py)?.into_any())
    }

    pub fn repr(self, py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
        let mut parts = Vec::with_capacity(NAMES.len());
        for (name, value) in NAMES.iter().zip(self.fields(py)?.iter()) {
            parts.push(format!("{}={}", name.to_string_lossy(), value.repr()?));
        }
        Ok(PyString::new(py, &format!("Delivery({})", parts.join(", "))).into_any())
    }

    pub fn hash(self, py: Python<'_>) -> PyResult<isize> {
        self.fields(py)?.hash()
    }

    /// Deliveries are equal or not, nothing else.
    pub fn compare<'py>(self, other: Option<Self>, op: CompareOp, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        match (op, other) {
            (CompareOp::Eq | CompareOp::Ne, Some(other)) => self.fields(py)?.rich_compare(other.fields(py)?, op),
            _ => Ok(py.NotImplemented().into_bound(py)),
        }
    }
}

/// The constructor.
#[pyfunction]
#[pyo3(name = "Delivery")]
#[allow(clippy::too_many_arguments)]
pub fn construct(
    py: Python<'_>,
    subscription: Py<PyString>,
    subscriber: Option<Py<PyString>>,
    kind: Py<PyString>,
    fragment: Py<PyString>,
    documents: Py<PyTuple>,
    stream: Py<PyString>,
    time: Py<PyAny>,
    sequence: u64,
) -> PyResult<Bound<'_, PyAny>> {
    let fields = Fields { subscription, subscriber, kind, fragment, documents, stream, time, sequence };
    delivery_class::make(py, fields)
}
