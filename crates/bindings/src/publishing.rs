//! Documents that are published one after the other.

use std::sync::{Mutex, MutexGuard, PoisonError, RwLock};

use penstock_engine::catalog::DocumentWorker;
use penstock_engine::registry::Registry;
use pyo3::prelude::*;
use pyo3::types::{PyIterator, PyString};

use crate::documents::Document;
use crate::engine::Engine;
use crate::errors::Failure;
use crate::header::{Header, Id, Time};
use crate::idle::Kept;
use crate::subscriptions::Subscriptions;

type Worker = Kept<RwLock<Registry>, DocumentWorker>;

/// Gives for each document what publishing it gives, before it asks for the next. A worker stays with it all the time.
///
/// It deals with bytes and str of which only the caller is to hear. All else is published by `publish`, which begins anew
/// with a document that went wrong here.
#[pyclass(frozen, module = "penstock.kernel._native")]
pub struct Publishing {
    engine: Py<Engine>,
    subscriptions: Py<Subscriptions>,
    documents: Py<PyIterator>,
    stream: Py<PyString>,
    grouped: bool,
    publish: Py<PyAny>,
    worker: Mutex<Option<Worker>>,
}

#[pymethods]
impl Publishing {
    #[new]
    fn new(
        engine: Py<Engine>,
        subscriptions: Py<Subscriptions>,
        documents: &Bound<'_, PyAny>,
        stream: Py<PyString>,
        grouped: bool,
        publish: Py<PyAny>,
    ) -> PyResult<Publishing> {
        let documents = documents.try_iter()?.unbind();
        Ok(Publishing { engine, subscriptions, documents, stream, grouped, publish, worker: Mutex::default() })
    }

    fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let Some(document) = self.documents.bind(py).clone().next() else {
            self.dismiss(self.take_worker());
            return Ok(None);
        };
        let document = document?;
        match self.answer(py, &document)? {
            Some(found) => Ok(Some(found)),
            None => self.publish.bind(py).call1((document,)).map(Some),
        }
    }
}

impl Publishing {
    /// What a document gives, if there is nothing out of the ordinary about it.
    fn answer<'py>(&self, py: Python<'py>, document: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let (engine, subscriptions) = (self.engine.get(), self.subscriptions.get());
        if subscriptions.is_attended() {
            return Ok(None);
        }
        let Ok(Some(mut document)) = Document::plain(document) else { return Ok(None) };
        // Before the document is read: its time is that of its coming.
        let time = Time::now();
        let stream = self.stream.bind(py).to_str()?;
        let mut worker = self.take_worker().unwrap_or_else(|| engine.worker(subscriptions));
        let answer = engine.answer(py, &mut worker.1, subscriptions, &mut document, stream, self.grouped);
        if !matches!(answer, Err(Failure::Internal(_))) {
            let other = self.worker().replace(worker);
            self.dismiss(other);
        }
        let Some(answer) = answer.ok().filter(|answer| !answer.has_failures()) else { return Ok(None) };
        let header = Header::new(Id::Number(engine.next_number()), self.stream.clone_ref(py), time);
        engine.deliver(py, answer, header).map(Some)
    }

    /// Held for a moment only: if another thread asks for the next document meanwhile, it gets another worker.
    fn worker(&self) -> MutexGuard<'_, Option<Worker>> {
        self.worker.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take_worker(&self) -> Option<Worker> {
        self.worker().take()
    }

    fn dismiss(&self, worker: Option<Worker>) {
        if let Some(worker) = worker {
            self.engine.get().keep(worker);
        }
    }
}

impl Drop for Publishing {
    fn drop(&mut self) {
        self.dismiss(self.take_worker());
    }
}
