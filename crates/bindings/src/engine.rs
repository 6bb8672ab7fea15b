//! Matching whole documents, from any thread.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, RwLock};

use penstock_engine::catalog::DocumentWorker;
use penstock_engine::error::DocumentError;
use penstock_engine::limits::Limits;
use penstock_engine::machine::{Batch, Set as LinkedSet, Worker};
use penstock_engine::registry::Registry;
use penstock_engine::sharing::EarlyMessages;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString};
use pyo3_arrow::PyRecordBatch;

use crate::arrow::{self, Letter};
use crate::documents::{Document, Piece};
use crate::errors::{guarded, to_python, Failure};
use crate::feed::Feed;
use crate::header::{Header, Id};
use crate::idle::{Idle, Kept};
use crate::matches::{Found, Matches};
use crate::program::Set;
use crate::results::{self, Failed};
use crate::subscriptions::Subscriptions;
use crate::taken::Taken;

/// A streaming machine that has run a larger document is let go: its memory has grown, and a new one costs little more
/// than such a document's first kilobytes.
const LARGE: usize = 1 << 20;

/// id and message of subscriptions whose evaluation failed
type Failures = Vec<(String, String)>;

/// What was found in a document, and the document if nothing holds it.
type Matched<T> = Result<(T, Option<Piece>), DocumentError>;

/// Workers for documents. Any number of threads may call it; the interpreter is free while documents are matched.
#[pyclass(frozen, module = "penstock.kernel._native")]
pub struct Engine {
    limits: Limits,
    /// For the subscriptions of a broker.
    workers: Idle<RwLock<Registry>, DocumentWorker>,
    /// For a set alone.
    machines: Idle<LinkedSet, Worker>,
    counts: Counts,
}

/// What became of the documents.
#[derive(Default)]
struct Counts {
    documents: AtomicU64,
    deliveries: AtomicU64,
    errors: AtomicU64,
}

#[pymethods]
impl Engine {
    #[new]
    fn new(limits: &[u8]) -> PyResult<Engine> {
        let limits = serde_json::from_slice(limits).map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok(Engine { limits, workers: Idle::default(), machines: Idle::default(), counts: Counts::default() })
    }

    /// The fragments that a whole document gives for a set, in document order; and the failed.
    fn values<'py>(
        &self,
        py: Python<'py>,
        set: &Set,
        document: &Bound<'py, PyAny>,
    ) -> PyResult<(Bound<'py, PyList>, Failed)> {
        let batch = self.streamed(py, set, document)?;
        Ok((results::values(py, &batch)?, batch.errors))
    }

    /// The same by reference: each distinct fragment once, and who gets which.
    fn references(&self, py: Python<'_>, set: &Set, document: &Bound<'_, PyAny>) -> PyResult<results::References> {
        Ok(results::references(self.streamed(py, set, document)?))
    }

    /// What a whole document of this id, stream and time gives to whom. It is counted.
    fn deliveries<'py>(
        &self,
        py: Python<'py>,
        subscriptions: &Subscriptions,
        document: &Bound<'py, PyAny>,
        id: Id,
        stream: &Bound<'py, PyString>,
        time: Option<Py<PyAny>>,
    ) -> PyResult<(Bound<'py, PyList>, Failures)> {
        // Before the document is read: its time is that of its coming.
        let header = Header::new(id, stream.clone().unbind(), time);
        let taken = self.document(py, subscriptions, document, stream, |worker, registry, stream, document| {
            let is_text = document.is_text();
            let (batch, unused) = worker.document(&registry.catalog, stream, document, is_text)?;
            Ok((Taken::new(registry, batch), unused))
        })?;
        let failures = taken.failures();
        let deliveries = results::deliveries(py, taken, header)?;
        self.count(1, deliveries.len() as u64, 0);
        Ok((deliveries, failures))
    }

    /// The same by reference.
    fn matches(
        &self,
        py: Python<'_>,
        subscriptions: &Subscriptions,
        document: &Bound<'_, PyAny>,
        id: Id,
        stream: &Bound<'_, PyString>,
        time: Option<Py<PyAny>>,
    ) -> PyResult<(Matches, Failures)> {
        let header = Header::new(id, stream.clone().unbind(), time);
        let (found, failures) =
            self.document(py, subscriptions, document, stream, |worker, registry, stream, document| {
                let is_text = document.is_text();
                let (found, unused) = worker.references(&registry.catalog, stream, document, is_text)?;
                let failures = failures(registry, &found.0.errors);
                let found = Found::new(&subscriptions.registry, registry, found, &self.limits);
                Ok(((found, failures), unused))
            })?;
        self.count(1, found.as_ref().map_or(0, |found| found.deliveries()) as u64, 0);
        Ok((Matches::new(header, found), failures))
    }

    /// The ids of those that get anything, oldest first.
    fn matching_ids(
        &self,
        py: Python<'_>,
        subscriptions: &Subscriptions,
        document: &Bound<'_, PyAny>,
        stream: &Bound<'_, PyString>,
    ) -> PyResult<Vec<String>> {
        self.document(py, subscriptions, document, stream, |worker, registry, stream, document| {
            let is_text = document.is_text();
            let (mut slots, unused) = worker.matches(&registry.catalog, stream, document, is_text)?;
            slots.sort_unstable_by_key(|&slot| registry.sequence(slot));
            let ids = slots.into_iter().filter_map(|slot| Some(registry.row(slot)?.id.to_owned()));
            Ok((ids.collect(), unused))
        })
    }

    /// The deliveries of a table of documents (`id`, `stream`, `time`, `xml`) as tables, and what went wrong.
    fn table<'py>(
        &self,
        py: Python<'py>,
        subscriptions: &Subscriptions,
        documents: PyRecordBatch,
        grouped: bool,
        stop: bool,
    ) -> PyResult<(Vec<Bound<'py, PyAny>>, Vec<Letter>)> {
        let documents = documents.into_inner();
        let mut worker = self.worker(subscriptions);
        let outcome = py.detach(|| arrow::table(&mut worker.1, subscriptions, &documents, grouped, stop));
        let (batches, letters) = match outcome {
            Ok(found) => found,
            Err(arrow::Refusal::Internal(text)) => return Err(to_python(py, Failure::Internal(text))),
            Err(arrow::Refusal::Table(text)) => return Err(PyValueError::new_err(text)),
        };
        self.workers.keep(worker);
        Ok((arrow::to_pyarrow(py, batches)?, letters))
    }

    /// Begins a document that comes in chunks.
    fn open(
        &self,
        py: Python<'_>,
        set: &Set,
        id: Py<PyString>,
        stream: Py<PyString>,
        time: Py<PyAny>,
        ordered: bool,
    ) -> PyResult<Feed> {
        let header = Header::new(Id::Given(id), stream, Some(time));
        let early = set.early();
        let worker = Worker::new(Arc::clone(&early.set), self.limits.clone());
        let messages = EarlyMessages::new(Arc::clone(early), self.limits.clone());
        let feed = Feed::new(worker, messages, Arc::clone(&set.takers), header, ordered);
        feed.map_err(|failure| to_python(py, failure))
    }

    /// Adds to the counts.
    fn count(&self, documents: u64, deliveries: u64, errors: u64) {
        let Counts { documents: all, deliveries: delivered, errors: refused } = &self.counts;
        for (count, more) in [(all, documents), (delivered, deliveries), (refused, errors)] {
            if more > 0 {
                count.fetch_add(more, Ordering::Relaxed);
            }
        }
    }

    /// Documents, deliveries and errors so far.
    fn counts(&self) -> (u64, u64, u64) {
        let Counts { documents, deliveries, errors } = &self.counts;
        let now = |count: &AtomicU64| count.load(Ordering::Relaxed);
        (now(documents), now(deliveries), now(errors))
    }

    /// States, transitions and flushes of the automata of idle workers.
    fn automata(&self) -> Vec<(usize, usize, u64)> {
        self.workers.map(|worker| worker.automata())
    }
}

impl Engine {
    /// Matches one whole document against a set, by the streaming machine.
    fn streamed(&self, py: Python<'_>, set: &Set, document: &Bound<'_, PyAny>) -> PyResult<Batch> {
        let mut document = Document::new(document)?;
        let fresh = || Worker::new(Arc::clone(&set.linked), self.limits.clone());
        let mut worker = self.machines.take(&set.linked, fresh);
        let is_text = document.is_text();
        let is_large = document.size() > LARGE;
        let outcome = py.detach(|| guarded(|| worker.1.document(&mut document, is_text)));
        if !is_large && !matches!(outcome, Err(Failure::Internal(_))) {
            self.machines.keep(worker);
        }
        document.check()?;
        let (mut batch, _) = outcome.map_err(|failure| to_python(py, failure))?;
        results::sort(&mut batch);
        Ok(batch)
    }

    /// Has a worker match one whole document, while the subscriptions stay as they are. What `work` has no use for of the
    /// document is let go of here, where the interpreter is attached.
    fn document<T: Send>(
        &self,
        py: Python<'_>,
        subscriptions: &Subscriptions,
        document: &Bound<'_, PyAny>,
        stream: &Bound<'_, PyString>,
        work: impl FnOnce(&mut DocumentWorker, &Registry, &str, &mut Document) -> Matched<T> + Send,
    ) -> PyResult<T> {
        let mut document = Document::new(document)?;
        let stream = stream.to_str()?;
        let mut worker = self.worker(subscriptions);
        let outcome = py.detach(|| {
            let registry = subscriptions.read();
            guarded(|| work(&mut worker.1, &registry, stream, &mut document))
        });
        if !matches!(outcome, Err(Failure::Internal(_))) {
            self.workers.keep(worker);
        }
        document.check()?;
        outcome.map(|(found, _)| found).map_err(|failure| to_python(py, failure))
    }

    fn worker(&self, subscriptions: &Subscriptions) -> Kept<RwLock<Registry>, DocumentWorker> {
        self.workers.take(&subscriptions.registry, || DocumentWorker::new(self.limits.clone()))
    }
}

fn failures(registry: &Registry, errors: &[(u32, String)]) -> Failures {
    let id = |slot: u32| registry.row(slot).map_or_else(String::new, |row| row.id.to_owned());
    errors.iter().map(|(slot, message)| (id(*slot), message.clone())).collect()
}
