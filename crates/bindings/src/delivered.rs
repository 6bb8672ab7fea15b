//! Where deliveries have their fields from: the results of a document, or of a chunk of one, which they share; or one's own.

use std::ops::Range;
use std::sync::Arc;

use penstock_engine::machine::{Batch, Fragment, FragmentKind};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyString, PyTuple};

use crate::delivery_class::Room;
use crate::header::Header;
use crate::taker::Taker;

/// It is an object of Python because the interpreter counts who holds one without the cost of doing so between threads.
#[pyclass(frozen, module = "penstock.kernel._native")]
pub struct Delivered {
    origin: Origin,
    room: Room,
}

enum Origin {
    Many(Box<Many>),
    One(Box<Fields>),
}

/// Results and whom they are for. Strings are made when someone asks for them.
struct Many {
    header: Arc<Header>,
    takers: Arc<Vec<Taker>>,
    batch: Batch,
    /// The texts of the fragments, where several get the same; else each is asked for once or not at all.
    strings: Vec<PyOnceLock<Py<PyString>>>,
}

/// What a delivery says, in the order of its constructor.
pub struct Fields {
    pub subscription: Py<PyString>,
    pub subscriber: Option<Py<PyString>>,
    pub kind: Py<PyString>,
    pub fragment: Py<PyString>,
    pub documents: Py<PyTuple>,
    pub stream: Py<PyString>,
    pub time: Py<PyAny>,
    pub sequence: u64,
}

impl Delivered {
    pub fn many(header: Arc<Header>, takers: Arc<Vec<Taker>>, batch: Batch) -> Delivered {
        let mut strings = Vec::new();
        if batch.deliveries.len() > batch.fragments.len() {
            strings.resize_with(batch.fragments.len(), PyOnceLock::new);
        }
        let room = Room::of(batch.deliveries.len());
        Delivered { origin: Origin::Many(Box::new(Many { header, takers, batch, strings })), room }
    }

    pub fn one(fields: Fields) -> Delivered {
        Delivered { origin: Origin::One(Box::new(fields)), room: Room::of(1) }
    }

    /// The places of the deliveries.
    pub fn places(&self) -> Range<u32> {
        match &self.origin {
            Origin::Many(many) => 0..many.batch.deliveries.len() as u32,
            Origin::One(_) => 0..1,
        }
    }

    /// The number of the taker of a delivery.
    pub fn taker(&self, place: u32) -> u32 {
        match &self.origin {
            Origin::Many(many) => many.batch.deliveries[place as usize].0,
            Origin::One(_) => 0,
        }
    }

    /// Where the deliveries themselves are.
    pub fn room(&self) -> &Room {
        &self.room
    }

    pub fn subscription(&self, py: Python<'_>, place: u32) -> Py<PyString> {
        match &self.origin {
            Origin::Many(many) => many.taker(place).id.to_python(py),
            Origin::One(fields) => fields.subscription.clone_ref(py),
        }
    }

    pub fn subscriber(&self, py: Python<'_>, place: u32) -> Option<Py<PyString>> {
        match &self.origin {
            Origin::Many(many) => many.taker(place).subscriber.as_ref().map(|subscriber| subscriber.to_python(py)),
            Origin::One(fields) => fields.subscriber.as_ref().map(|subscriber| subscriber.clone_ref(py)),
        }
    }

    pub fn kind(&self, py: Python<'_>, place: u32) -> Py<PyString> {
        match &self.origin {
            Origin::Many(many) => kind_name(py, many.fragment(place).kind),
            Origin::One(fields) => fields.kind.clone_ref(py),
        }
    }

    #[inline]
    pub fn fragment(&self, py: Python<'_>, place: u32) -> PyResult<Py<PyString>> {
        match &self.origin {
            Origin::Many(many) => many.text(py, place),
            Origin::One(fields) => Ok(fields.fragment.clone_ref(py)),
        }
    }

    pub fn documents(&self, py: Python<'_>) -> PyResult<Py<PyTuple>> {
        match &self.origin {
            Origin::Many(many) => many.header.documents(py),
            Origin::One(fields) => Ok(fields.documents.clone_ref(py)),
        }
    }

    pub fn stream(&self, py: Python<'_>) -> Py<PyString> {
        match &self.origin {
            Origin::Many(many) => many.header.stream(py),
            Origin::One(fields) => fields.stream.clone_ref(py),
        }
    }

    pub fn time(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        match &self.origin {
            Origin::Many(many) => many.header.time(py),
            Origin::One(fields) => Ok(fields.time.clone_ref(py)),
        }
    }

    pub fn sequence(&self, place: u32) -> u64 {
        match &self.origin {
            Origin::Many(many) => many.fragment(place).offset,
            Origin::One(fields) => fields.sequence,
        }
    }
}

impl Many {
    fn taker(&self, place: u32) -> &Taker {
        &self.takers[self.batch.deliveries[place as usize].0 as usize]
    }

    fn fragment(&self, place: u32) -> &Fragment {
        &self.batch.fragments[self.batch.deliveries[place as usize].1 as usize]
    }

    fn text(&self, py: Python<'_>, place: u32) -> PyResult<Py<PyString>> {
        let index = self.batch.deliveries[place as usize].1 as usize;
        let make = || Ok(PyString::from_bytes(py, &self.batch.bytes(index))?.unbind());
        match self.strings.get(index) {
            None => make(),
            Some(string) => Ok(string.get_or_try_init(py, make)?.clone_ref(py)),
        }
    }
}

/// The Python string of a fragment's kind.
pub fn kind_name(py: Python<'_>, kind: FragmentKind) -> Py<PyString> {
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
