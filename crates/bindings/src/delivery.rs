//! One result for one subscription: made here because there may be millions.

use std::hash::{DefaultHasher, Hash, Hasher};

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple, PyType};

use crate::identity::identity;

/// One result for one subscription.
///
/// `sequence` grows in document order; it is the place of the result's first byte in the document as the engine reads
/// it, and 0 for values that belong to no single node.
#[pyclass(frozen, module = "penstock", name = "Delivery")]
pub struct Delivery {
    #[pyo3(get)]
    subscription: Py<PyString>,
    #[pyo3(get)]
    subscriber: Option<Py<PyString>>,
    #[pyo3(get)]
    kind: Py<PyString>,
    #[pyo3(get)]
    fragment: Py<PyString>,
    #[pyo3(get)]
    documents: Py<PyTuple>,
    #[pyo3(get)]
    stream: Py<PyString>,
    #[pyo3(get)]
    time: Py<PyAny>,
    #[pyo3(get)]
    sequence: u64,
}

/// What all deliveries of a document have in common.
pub struct Header {
    pub documents: Py<PyTuple>,
    pub stream: Py<PyString>,
    pub time: Py<PyAny>,
}

impl Header {
    pub fn new(
        py: Python<'_>,
        document: &Bound<'_, PyString>,
        stream: Py<PyString>,
        time: Py<PyAny>,
    ) -> PyResult<Header> {
        Ok(Header { documents: PyTuple::new(py, [document])?.unbind(), stream, time })
    }
}

/// What all deliveries to a subscription have in common.
#[derive(FromPyObject)]
pub struct Target(pub Py<PyString>, pub Option<Py<PyString>>);

impl Delivery {
    pub fn make(
        py: Python<'_>,
        header: &Header,
        target: &Target,
        kind: Py<PyString>,
        fragment: Py<PyString>,
        sequence: u64,
    ) -> PyResult<Py<Delivery>> {
        let delivery = Delivery {
            subscription: target.0.clone_ref(py),
            subscriber: target.1.as_ref().map(|subscriber| subscriber.clone_ref(py)),
            kind,
            fragment,
            documents: header.documents.clone_ref(py),
            stream: header.stream.clone_ref(py),
            time: header.time.clone_ref(py),
            sequence,
        };
        let delivery = Py::new(py, delivery)?;
        untrack(&delivery);
        Ok(delivery)
    }

    fn fields<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let fields = (
            &self.subscription,
            &self.subscriber,
            &self.kind,
            &self.fragment,
            &self.documents,
            &self.stream,
            &self.time,
            self.sequence,
        );
        fields.into_pyobject(py)
    }
}

/// Takes a delivery out of the garbage collector's sight. It holds strings, a tuple of strings and a time, so it is
/// never part of a cycle; visiting hundreds of thousands of them again and again would cost more than matching.
#[allow(unsafe_code)]
fn untrack(delivery: &Py<Delivery>) {
    // SAFETY: the object is alive, was made by us and is tracked; untracking needs nothing else.
    unsafe { pyo3::ffi::PyObject_GC_UnTrack(delivery.as_ptr().cast()) }
}

const NAMES: [&str; 8] = ["subscription", "subscriber", "kind", "fragment", "documents", "stream", "time", "sequence"];

#[pymethods]
impl Delivery {
    #[classattr]
    fn __match_args__(py: Python<'_>) -> PyResult<Py<PyTuple>> {
        Ok(PyTuple::new(py, NAMES)?.unbind())
    }

    #[new]
    #[allow(clippy::too_many_arguments)]
    fn new(
        subscription: Py<PyString>,
        subscriber: Option<Py<PyString>>,
        kind: Py<PyString>,
        fragment: Py<PyString>,
        documents: Py<PyTuple>,
        stream: Py<PyString>,
        time: Py<PyAny>,
        sequence: u64,
    ) -> Delivery {
        Delivery { subscription, subscriber, kind, fragment, documents, stream, time, sequence }
    }

    /// 128 bits in hexadecimal: the same subscription, documents and nodes give the same, whenever and wherever.
    #[getter]
    fn match_id(&self, py: Python<'_>) -> PyResult<String> {
        let documents: Vec<String> = self.documents.extract(py)?;
        let subscription = self.subscription.bind(py).to_str()?;
        Ok(identity(subscription, &documents, self.kind.bind(py).to_str()?, &[self.sequence]))
    }

    /// The fields by name, with `match_id`.
    fn as_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        for (name, value) in NAMES.iter().zip(self.fields(py)?.iter()) {
            dict.set_item(name, value)?;
        }
        dict.set_item("match_id", self.match_id(py)?)?;
        Ok(dict)
    }

    fn __eq__(&self, py: Python<'_>, other: &Bound<'_, PyAny>) -> PyResult<bool> {
        match other.cast::<Delivery>() {
            Ok(other) => self.fields(py)?.eq(other.get().fields(py)?),
            Err(_) => Ok(false),
        }
    }

    fn __hash__(&self, py: Python<'_>) -> PyResult<u64> {
        let mut hasher = DefaultHasher::new();
        self.fields(py)?.hash()?.hash(&mut hasher);
        Ok(hasher.finish())
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let mut parts = Vec::with_capacity(NAMES.len());
        for (name, value) in NAMES.iter().zip(self.fields(py)?.iter()) {
            parts.push(format!("{name}={}", value.repr()?));
        }
        Ok(format!("Delivery({})", parts.join(", ")))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyType>, Bound<'py, PyTuple>)> {
        Ok((py.get_type::<Delivery>(), self.fields(py)?))
    }
}

/// The Python string of a fragment's kind.
pub fn kind_name(py: Python<'_>, kind: penstock_engine::machine::FragmentKind) -> Py<PyString> {
    use penstock_engine::machine::FragmentKind;
    let name = match kind {
        FragmentKind::Element => intern!(py, "element"),
        FragmentKind::Attribute => intern!(py, "attribute"),
        FragmentKind::Text => intern!(py, "text"),
        FragmentKind::Comment => intern!(py, "comment"),
        FragmentKind::Instruction => intern!(py, "pi"),
        FragmentKind::Atomic => intern!(py, "atomic"),
        FragmentKind::Document => intern!(py, "document"),
    };
    name.clone().unbind()
}
