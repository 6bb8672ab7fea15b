//! Whole documents as Python gives them.

use penstock_engine::near::bring_lines;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::pybacked::{PyBackedBytes, PyBackedStr};
use pyo3::types::{PyBytes, PyMemoryView, PySlice, PyString};

/// How much of a buffer that may change under us is copied at a time.
const PIECE: usize = 1 << 18;
/// Lines of memory of a document that are brought near.
const LINES: usize = 48;

/// bytes, str, or any buffer (a memory-mapped file). The first two are one piece each, if they are not empty.
pub enum Document {
    Bytes(Option<PyBackedBytes>),
    Text(Option<PyBackedStr>),
    Buffer(Pieces),
}

impl Document {
    pub fn new(document: &Bound<'_, PyAny>) -> PyResult<Document> {
        if let Some(plain) = Document::plain(document)? {
            Ok(plain)
        } else if let Ok(view) = PyMemoryView::from(document) {
            Ok(Document::Buffer(Pieces::new(view.call_method1("cast", ("B",))?)?))
        } else {
            let class = document.get_type().name()?;
            Err(PyTypeError::new_err(format!("a document is bytes, str or a buffer, not {class}")))
        }
    }

    /// bytes or str; None if it is something else.
    pub fn plain(document: &Bound<'_, PyAny>) -> PyResult<Option<Document>> {
        Ok(if let Ok(bytes) = document.cast::<PyBytes>() {
            Some(Document::Bytes(Some(bytes.clone().into()).filter(|bytes: &PyBackedBytes| !bytes.is_empty())))
        } else if let Ok(text) = document.cast::<PyString>() {
            Some(Document::Text(Some(text.clone().try_into()?).filter(|text: &PyBackedStr| !text.is_empty())))
        } else {
            None
        })
    }

    /// It is UTF-8 whatever its declaration says.
    pub fn is_text(&self) -> bool {
        matches!(self, Document::Text(_))
    }

    pub fn size(&self) -> usize {
        match self {
            Document::Bytes(bytes) => bytes.as_ref().map_or(0, |bytes| bytes.len()),
            Document::Text(text) => text.as_ref().map_or(0, |text| text.len()),
            Document::Buffer(pieces) => pieces.length,
        }
    }

    /// Brings its beginning near, which is soon to be read: the memory of many documents is far away, and that of a short one is not
    /// read long enough for the processor to foresee it.
    pub fn bring(&self) {
        match self {
            Document::Bytes(Some(bytes)) => bring_lines(bytes, 0, LINES),
            Document::Text(Some(text)) => bring_lines(text.as_bytes(), 0, LINES),
            _ => {}
        }
    }

    /// What went wrong while a buffer was copied.
    pub fn check(self) -> PyResult<()> {
        match self {
            Document::Buffer(Pieces { error: Some(error), .. }) => Err(error),
            _ => Ok(()),
        }
    }
}

/// A piece of a document, copied or where Python keeps it. Those are best let go of while attached to the interpreter.
pub enum Piece {
    Bytes(PyBackedBytes),
    Text(PyBackedStr),
    Copied(Vec<u8>),
}

impl AsRef<[u8]> for Piece {
    #[inline]
    fn as_ref(&self) -> &[u8] {
        match self {
            Piece::Bytes(bytes) => bytes,
            Piece::Text(text) => text.as_bytes(),
            Piece::Copied(bytes) => bytes,
        }
    }
}

impl Iterator for Document {
    type Item = Piece;

    fn next(&mut self) -> Option<Piece> {
        match self {
            Document::Bytes(bytes) => bytes.take().map(Piece::Bytes),
            Document::Text(text) => text.take().map(Piece::Text),
            Document::Buffer(pieces) => pieces.next().map(Piece::Copied),
        }
    }
}

/// A buffer may change under us while the interpreter is free: it is copied piece by piece.
pub struct Pieces {
    view: Py<PyAny>,
    next: usize,
    length: usize,
    error: Option<PyErr>,
}

impl Pieces {
    fn new(view: Bound<'_, PyAny>) -> PyResult<Pieces> {
        Ok(Pieces { next: 0, length: view.len()?, view: view.unbind(), error: None })
    }

    fn copy(&self) -> PyResult<Vec<u8>> {
        Python::attach(|py| {
            let end = (self.next + PIECE).min(self.length);
            let piece = self.view.bind(py).get_item(PySlice::new(py, self.next as isize, end as isize, 1))?;
            Ok(piece.call_method0("tobytes")?.cast::<PyBytes>()?.as_bytes().to_vec())
        })
    }

    fn next(&mut self) -> Option<Vec<u8>> {
        if self.next >= self.length {
            return None;
        }
        let piece = self.copy();
        self.next += PIECE;
        piece.map_err(|error| self.error = Some(error)).ok()
    }
}
