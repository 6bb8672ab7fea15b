//! Matching whole documents, from any thread.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, RwLock};

use penstock_engine::catalog::DocumentWorker;
use penstock_engine::learned::Learned;
use penstock_engine::limits::Limits;
use penstock_engine::machine::{Batch, Set as LinkedSet, Worker};
use penstock_engine::registry::Registry;
use penstock_engine::sharing::EarlyMessages;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString};
use pyo3_arrow::PyRecordBatch;

use crate::answer::{matched, Answer, Failures};
use crate::arrow::{self, Letter};
use crate::documents::Document;
use crate::errors::{guarded, to_python, Failure};
use crate::feed::Feed;
use crate::header::{Header, Id, Time};
use crate::idle::{Idle, Kept};
use crate::ids::Ids;
use crate::program::Set;
use crate::results::{self, Failed};
use crate::subscriptions::Subscriptions;

/// A streaming machine that has run a larger document is let go: its memory has grown, and a new one costs little more
/// than such a document's first kilobytes.
const LARGE: usize = 1 << 20;

/// Workers for documents. Any number of threads may call it; the interpreter is free while documents are matched, but for those that
/// take only a moment.
#[pyclass(frozen, module = "penstock.kernel._native")]
pub struct Engine {
    limits: Limits,
    /// For the subscriptions of a broker.
    workers: Idle<RwLock<Registry>, DocumentWorker>,
    /// For a set alone.
    machines: Idle<LinkedSet, Worker>,
    counts: Counts,
    /// The last number that a document without an id was given.
    number: AtomicU64,
}

/// What became of the documents.
#[derive(Default)]
struct Counts {
    documents: AtomicU64,
    deliveries: AtomicU64,
    errors: AtomicU64,
}

/// Adds to a number; what it is then. Only who is attached to the interpreter does so, one at a time: to have the processor
/// see to that again would take longer.
fn add(_: Python<'_>, number: &AtomicU64, more: u64) -> u64 {
    let sum = number.load(Ordering::Relaxed) + more;
    number.store(sum, Ordering::Relaxed);
    sum
}

#[pymethods]
impl Engine {
    #[new]
    fn new(limits: &[u8]) -> PyResult<Engine> {
        let limits = serde_json::from_slice(limits).map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok(Engine {
            limits,
            workers: Idle::default(),
            machines: Idle::default(),
            counts: Counts::default(),
            number: AtomicU64::default(),
        })
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

    /// What a whole document of this id, stream and time gives to whom: deliveries or, if they are grouped, `Matches`; and
    /// the failed. It is counted.
    #[allow(clippy::too_many_arguments)]
    fn publish<'py>(
        this: &Bound<'py, Self>,
        subscriptions: &Bound<'py, Subscriptions>,
        document: &Bound<'py, PyAny>,
        id: Id,
        stream: &Bound<'py, PyString>,
        time: Option<Py<PyAny>>,
        grouped: bool,
    ) -> PyResult<(Bound<'py, PyAny>, Failures)> {
        // Before the document is read: its time is that of its coming.
        let (time, text) = (time.map_or_else(Time::now, Time::Given), stream.to_str()?);
        let known = subscriptions.get();
        let mut answer = this.get().document(this.py(), known, document, |worker, document| {
            Answer::find(this.py(), worker, known, document, (text, grouped))
        })?;
        let failures = answer.take_failures();
        let header = Header::new(id, stream.clone().unbind(), time);
        Ok((Engine::deliver(this, subscriptions, answer, header)?, failures))
    }

    /// The ids of those that get anything, oldest first.
    fn matching_ids<'py>(
        &self,
        py: Python<'py>,
        subscriptions: &Subscriptions,
        document: &Bound<'_, PyAny>,
        stream: &Bound<'_, PyString>,
    ) -> PyResult<Bound<'py, PyList>> {
        let stream = stream.to_str()?;
        let ids: Ids = self.document(py, subscriptions, document, |worker, document| {
            matched(py, worker, subscriptions, document, |worker, registry, document| {
                let is_text = document.is_text();
                let (mut slots, unused) = worker.matches(&registry.catalog, stream, document, is_text)?;
                slots.sort_unstable_by_key(|&slot| registry.sequence(slot));
                let ids = slots.into_iter().filter_map(|slot| Some(registry.row(slot)?.id));
                Ok((ids.collect(), unused))
            })
        })?;
        ids.list(py)
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
        self.keep(worker);
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
        let header = Header::new(Id::Given(id), stream, Time::Given(time));
        let early = set.early();
        let worker = Worker::new(Arc::clone(&early.set), self.limits.clone());
        let messages = EarlyMessages::new(Arc::clone(early), self.limits.clone());
        let feed = Feed::new(worker, messages, Arc::clone(&set.takers), header, ordered);
        feed.map_err(|failure| to_python(py, failure))
    }

    /// Adds to the counts.
    fn count(&self, py: Python<'_>, documents: u64, deliveries: u64, errors: u64) {
        let Counts { documents: all, deliveries: delivered, errors: refused } = &self.counts;
        for (count, more) in [(all, documents), (delivered, deliveries), (refused, errors)] {
            add(py, count, more);
        }
    }

    /// A number for a document without an id.
    pub fn next_number(&self, py: Python<'_>) -> u64 {
        add(py, &self.number, 1)
    }

    /// Documents, deliveries and errors so far.
    fn counts(&self) -> (u64, u64, u64) {
        let Counts { documents, deliveries, errors } = &self.counts;
        let now = |count: &AtomicU64| count.load(Ordering::Relaxed);
        (now(documents), now(deliveries), now(errors))
    }

    /// States, transitions, bytes and flushes of the automata of idle workers.
    fn learned(&self) -> (usize, usize, usize, u64) {
        let Learned { states, transitions, bytes, flushes } =
            self.workers.map(|worker| worker.learned()).into_iter().sum();
        (states, transitions, bytes, flushes)
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

    /// Has an idle worker match one whole document.
    fn document<T>(
        &self,
        py: Python<'_>,
        subscriptions: &Subscriptions,
        document: &Bound<'_, PyAny>,
        work: impl FnOnce(&mut DocumentWorker, &mut Document) -> Result<T, Failure>,
    ) -> PyResult<T> {
        let mut document = Document::new(document)?;
        let mut worker = self.worker(subscriptions);
        let outcome = work(&mut worker.1, &mut document);
        if !matches!(outcome, Err(Failure::Internal(_))) {
            self.keep(worker);
        }
        document.check()?;
        outcome.map_err(|failure| to_python(py, failure))
    }

    /// What was found in a document, for Python. It is counted.
    pub fn deliver<'py>(
        this: &Bound<'py, Self>,
        subscriptions: &Bound<'py, Subscriptions>,
        answer: Answer,
        header: Header,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (found, deliveries) = answer.into_python(this, subscriptions, header)?;
        this.get().count(this.py(), 1, deliveries as u64, 0);
        Ok(found)
    }

    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// A worker for documents; `keep` makes it idle again.
    pub fn worker(&self, subscriptions: &Subscriptions) -> Kept<RwLock<Registry>, DocumentWorker> {
        self.workers.take(&subscriptions.registry, || DocumentWorker::new(self.limits.clone()))
    }

    pub fn keep(&self, worker: Kept<RwLock<Registry>, DocumentWorker>) {
        self.workers.keep(worker);
    }
}
