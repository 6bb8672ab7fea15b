//! Whole documents as Python gives them.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyMemoryView, PySlice, PyString};

/// How much of a buffer that may change under us is copied at a time.
const PIECE: usize = 1 << 18;

/// bytes, str, or any buffer (a memory-mapped file).
pub enum Document<'a> {
    Bytes(&'a [u8]),
    Text(&'a [u8]),
    Buffer(Pieces),
}

impl<'a> Document<'a> {
    pub fn new(document: &'a Bound<'_, PyAny>) -> PyResult<Document<'a>> {
        if let Ok(bytes) = document.cast::<PyBytes>() {
            Ok(Document::Bytes(bytes.as_bytes()))
        } else if let Ok(text) = document.cast::<PyString>() {
            Ok(Document::Text(text.to_str()?.as_bytes()))
        } else if let Ok(view) = PyMemoryView::from(document) {
            Ok(Document::Buffer(Pieces::new(view.call_method1("cast", ("B",))?)?))
        } else {
            let class = document.get_type().name()?;
            Err(PyTypeError::new_err(format!("a document is bytes, str or a buffer, not {class}")))
        }
    }

    /// It is UTF-8 whatever its declaration says.
    pub fn is_text(&self) -> bool {
        matches!(self, Document::Text(_))
    }

    pub fn size(&self) -> usize {
        match self {
            Document::Bytes(bytes) | Document::Text(bytes) => bytes.len(),
            Document::Buffer(pieces) => pieces.length,
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

/// A piece of a document, copied or where Python keeps it.
pub enum Piece<'a> {
    Borrowed(&'a [u8]),
    Copied(Vec<u8>),
}

impl AsRef<[u8]> for Piece<'_> {
    fn as_ref(&self) -> &[u8] {
        match self {
            Piece::Borrowed(bytes) => bytes,
            Piece::Copied(bytes) => bytes,
        }
    }
}

impl<'a> Iterator for Document<'a> {
    type Item = Piece<'a>;

    fn next(&mut self) -> Option<Piece<'a>> {
        match self {
            Document::Bytes(bytes) | Document::Text(bytes) => {
                let bytes = std::mem::take(bytes);
                (!bytes.is_empty()).then_some(Piece::Borrowed(bytes))
            }
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
