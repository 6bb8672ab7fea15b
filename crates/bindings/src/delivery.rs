//! One result for one subscription: made here because there may be millions.

use std::hash::{DefaultHasher, Hash, Hasher};

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple, PyType};

use crate::delivered::Delivered;
use crate::header::Header;
use crate::identity::identity;
use crate::taker::Taker;

/// One result for one subscription.
///
/// `sequence` grows in document order; it is the place of the result's first byte in the document as the engine reads
/// it, and 0 for values that belong to no single node.
///
/// A delivery that is kept keeps the results that came with it: those of its document or, for a feed, of its chunk. Its
/// fields are made when they are asked for.
#[pyclass(frozen, module = "penstock", name = "Delivery")]
pub struct Delivery(Origin);

enum Origin {
    /// One of many, and its place among them.
    Shared(Py<Delivered>, u32),
    Alone(Box<Fields>),
}

struct Fields {
    subscription: Py<PyString>,
    subscriber: Option<Py<PyString>>,
    kind: Py<PyString>,
    fragment: Py<PyString>,
    documents: Py<PyTuple>,
    stream: Py<PyString>,
    time: Py<PyAny>,
    sequence: u64,
}

impl Delivery {
    /// The delivery at a place among many.
    #[inline]
    pub fn shared(delivered: Py<Delivered>, place: u32) -> Delivery {
        Delivery(Origin::Shared(delivered, place))
    }

    /// A delivery with a text of its own.
    pub fn alone(
        py: Python<'_>,
        header: &Header,
        taker: &Taker,
        kind: Py<PyString>,
        fragment: Py<PyString>,
        sequence: u64,
    ) -> PyResult<Py<Delivery>> {
        let fields = Fields {
            subscription: taker.id.to_python(py),
            subscriber: taker.subscriber.as_ref().map(|subscriber| subscriber.to_python(py)),
            kind,
            fragment,
            documents: header.documents(py)?,
            stream: header.stream(py),
            time: header.time(py)?,
            sequence,
        };
        Py::new(py, Delivery(Origin::Alone(Box::new(fields))))
    }

    fn fields<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let fields = (
            self.subscription(py),
            self.subscriber(py),
            self.kind(py),
            self.fragment(py)?,
            self.documents(py)?,
            self.stream(py),
            self.time(py)?,
            self.sequence(),
        );
        fields.into_pyobject(py)
    }
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
        let fields = Fields { subscription, subscriber, kind, fragment, documents, stream, time, sequence };
        Delivery(Origin::Alone(Box::new(fields)))
    }

    #[getter]
    fn subscription(&self, py: Python<'_>) -> Py<PyString> {
        match &self.0 {
            Origin::Shared(delivered, place) => delivered.get().taker(*place).id.to_python(py),
            Origin::Alone(fields) => fields.subscription.clone_ref(py),
        }
    }

    #[getter]
    fn subscriber(&self, py: Python<'_>) -> Option<Py<PyString>> {
        match &self.0 {
            Origin::Shared(delivered, place) => {
                delivered.get().taker(*place).subscriber.as_ref().map(|subscriber| subscriber.to_python(py))
            }
            Origin::Alone(fields) => fields.subscriber.as_ref().map(|subscriber| subscriber.clone_ref(py)),
        }
    }

    #[getter]
    fn kind(&self, py: Python<'_>) -> Py<PyString> {
        match &self.0 {
            Origin::Shared(delivered, place) => kind_name(py, delivered.get().fragment(*place).kind),
            Origin::Alone(fields) => fields.kind.clone_ref(py),
        }
    }

    #[getter]
    fn fragment(&self, py: Python<'_>) -> PyResult<Py<PyString>> {
        match &self.0 {
            Origin::Shared(delivered, place) => delivered.get().text(py, *place),
            Origin::Alone(fields) => Ok(fields.fragment.clone_ref(py)),
        }
    }

    #[getter]
    fn documents(&self, py: Python<'_>) -> PyResult<Py<PyTuple>> {
        match &self.0 {
            Origin::Shared(delivered, _) => delivered.get().header.documents(py),
            Origin::Alone(fields) => Ok(fields.documents.clone_ref(py)),
        }
    }

    #[getter]
    fn stream(&self, py: Python<'_>) -> Py<PyString> {
        match &self.0 {
            Origin::Shared(delivered, _) => delivered.get().header.stream(py),
            Origin::Alone(fields) => fields.stream.clone_ref(py),
        }
    }

    #[getter]
    fn time(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        match &self.0 {
            Origin::Shared(delivered, _) => delivered.get().header.time(py),
            Origin::Alone(fields) => Ok(fields.time.clone_ref(py)),
        }
    }

    #[getter]
    fn sequence(&self) -> u64 {
        match &self.0 {
            Origin::Shared(delivered, place) => delivered.get().fragment(*place).offset,
            Origin::Alone(fields) => fields.sequence,
        }
    }

    /// 128 bits in hexadecimal: the same subscription, documents and nodes give the same, whenever and wherever.
    #[getter]
    fn match_id(&self, py: Python<'_>) -> PyResult<String> {
        let documents: Vec<String> = self.documents(py)?.extract(py)?;
        let (subscription, kind) = (self.subscription(py), self.kind(py));
        Ok(identity(subscription.bind(py).to_str()?, &documents, kind.bind(py).to_str()?, &[self.sequence()]))
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
