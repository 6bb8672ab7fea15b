//! Matching whole documents, from any thread.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use penstock_engine::limits::Limits;
use penstock_engine::machine::{Batch, Worker};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyMemoryView, PySlice, PyString};
use pyo3_arrow::PyRecordBatch;

use crate::arrow::{self, Letter};
use crate::delivery::Header;
use crate::errors::{guarded, to_python, Failure};
use crate::feed::Feed;
use crate::program::Set;
use crate::results::{self, Failed, Matches};

/// Idle workers beyond this number are let go.
const IDLE_WORKERS: usize = 16;
/// How much of a buffer that may change under us is copied at a time.
const PIECE: usize = 1 << 18;

/// Workers for documents. Any number of threads may call it; the interpreter is free while documents are matched.
#[pyclass(frozen, module = "penstock.kernel._native")]
pub struct Engine {
    limits: Limits,
    idle: Mutex<Vec<Worker>>,
}

#[pymethods]
impl Engine {
    #[new]
    fn new(limits: &[u8]) -> PyResult<Engine> {
        let limits = serde_json::from_slice(limits).map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok(Engine { limits, idle: Mutex::new(Vec::new()) })
    }

    /// The fragments that a whole document gives, in document order; and the failed.
    fn values<'py>(
        &self,
        py: Python<'py>,
        set: &Set,
        document: &Bound<'py, PyAny>,
    ) -> PyResult<(Bound<'py, PyList>, Failed)> {
        let batch = self.document(py, set, document)?;
        Ok((results::values(py, &batch)?, batch.errors))
    }

    /// The same by reference: each distinct fragment once, and who gets which.
    fn matches(&self, py: Python<'_>, set: &Set, document: &Bound<'_, PyAny>) -> PyResult<Matches> {
        Ok(results::matches(self.document(py, set, document)?))
    }

    /// The same as deliveries of a document of this id, stream and time.
    fn deliveries<'py>(
        &self,
        py: Python<'py>,
        set: &Set,
        document: &Bound<'py, PyAny>,
        id: &Bound<'py, PyString>,
        stream: Py<PyString>,
        time: Py<PyAny>,
    ) -> PyResult<(Bound<'py, PyList>, Failed)> {
        let header = Header::new(py, id, stream, time)?;
        let batch = self.document(py, set, document)?;
        Ok((results::deliveries(py, &batch, &set.targets, &header)?, batch.errors))
    }

    /// The deliveries of a table of documents (`id`, `stream`, `time`, `xml`) as tables, and what went wrong.
    fn table<'py>(
        &self,
        py: Python<'py>,
        sets: HashMap<String, Py<Set>>,
        documents: PyRecordBatch,
        grouped: bool,
        stop: bool,
    ) -> PyResult<(Vec<Bound<'py, PyAny>>, Vec<Letter>)> {
        let (batches, letters) = arrow::table(py, self, &sets, &documents.into_inner(), grouped, stop)?;
        Ok((arrow::to_pyarrow(py, batches)?, letters))
    }

    /// Begins a document that comes in chunks.
    fn open(
        &self,
        py: Python<'_>,
        set: &Set,
        id: &Bound<'_, PyString>,
        stream: Py<PyString>,
        time: Py<PyAny>,
        ordered: bool,
    ) -> PyResult<Feed> {
        let header = Header::new(py, id, stream, time)?;
        let worker = Worker::new(Arc::clone(&set.linked), self.limits.clone());
        Feed::new(worker, Arc::clone(&set.targets), header, ordered).map_err(|failure| to_python(py, failure))
    }

    /// States, transitions and flushes of the automata of idle workers.
    fn automata(&self) -> Vec<(usize, usize, u64)> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        idle.iter().map(|worker| (worker.run().states(), worker.run().transitions(), worker.run().flushes())).collect()
    }
}

impl Engine {
    /// Matches one whole document: bytes, str, or any buffer (a memory-mapped file).
    fn document(&self, py: Python<'_>, set: &Set, document: &Bound<'_, PyAny>) -> PyResult<Batch> {
        let mut worker = self.worker(set);
        let outcome = if let Ok(bytes) = document.cast::<PyBytes>() {
            let bytes = bytes.as_bytes();
            py.detach(|| guarded(|| worker.document(bytes, false)))
        } else if let Ok(text) = document.cast::<PyString>() {
            let text = text.to_str()?;
            py.detach(|| guarded(|| worker.document(text.as_bytes(), true)))
        } else if let Ok(view) = PyMemoryView::from(document) {
            in_pieces(py, &mut worker, &view.call_method1("cast", ("B",))?)?
        } else {
            let class = document.get_type().name()?;
            return Err(PyTypeError::new_err(format!("a document is bytes, str or a buffer, not {class}")));
        };
        self.give_back(worker, &outcome);
        let mut batch = outcome.map_err(|failure| to_python(py, failure))?;
        results::sort(&mut batch);
        Ok(batch)
    }

    pub fn worker(&self, set: &Set) -> Worker {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let place = idle.iter().position(|worker| worker.uses(&set.linked)).or(idle.len().checked_sub(1));
        match place {
            Some(place) => {
                let mut worker = idle.swap_remove(place);
                worker.use_set(&set.linked);
                worker
            }
            None => Worker::new(Arc::clone(&set.linked), self.limits.clone()),
        }
    }

    fn give_back<T>(&self, worker: Worker, outcome: &Result<T, Failure>) {
        if !matches!(outcome, Err(Failure::Internal(_))) {
            self.keep(worker);
        }
    }

    /// Keeps a worker for the next document.
    pub fn keep(&self, worker: Worker) {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.len() < IDLE_WORKERS {
            idle.push(worker);
        }
    }
}

/// A buffer may change under us while the interpreter is free: it is copied piece by piece.
fn in_pieces(py: Python<'_>, worker: &mut Worker, view: &Bound<'_, PyAny>) -> PyResult<Result<Batch, Failure>> {
    if let Err(failure) = guarded(|| worker.begin(false)) {
        return Ok(Err(failure));
    }
    let length = view.len()?;
    for start in (0..length).step_by(PIECE) {
        let piece = PySlice::new(py, start as isize, (start + PIECE).min(length) as isize, 1);
        let piece = view.get_item(piece)?.call_method0("tobytes")?;
        let piece = piece.cast::<PyBytes>()?.as_bytes();
        if let Err(failure) = py.detach(|| guarded(|| worker.add(piece))) {
            return Ok(Err(failure));
        }
    }
    Ok(py.detach(|| guarded(|| worker.finish())))
}
