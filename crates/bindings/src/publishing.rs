//! Documents that are published one after the other.

use std::sync::{Mutex, RwLock};

use penstock_engine::catalog::DocumentWorker;
use penstock_engine::registry::Registry;
use pyo3::prelude::*;
use pyo3::types::{PyIterator, PyString};

use crate::answer::Answer;
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
        // If another thread asks for the next document meanwhile, it gets another worker.
        let (mut kept, mut other) = (self.worker.try_lock().ok(), None);
        let worker = kept.as_deref_mut().unwrap_or(&mut other);
        let (_, known) = worker.get_or_insert_with(|| engine.worker(subscriptions));
        let answer = Answer::find(py, known, subscriptions, &mut document, (stream, self.grouped));
        if matches!(answer, Err(Failure::Internal(_))) {
            *worker = None;
        }
        drop(kept);
        self.dismiss(other);
        let Some(answer) = answer.ok().filter(|answer| !answer.has_failures()) else { return Ok(None) };
        let header = Header::new(Id::Number(engine.next_number(py)), self.stream.clone_ref(py), time);
        Engine::deliver(self.engine.bind(py), self.subscriptions.bind(py), answer, header).map(Some)
    }

    /// The worker, if no other thread is at work with it: it is never waited for.
    fn take_worker(&self) -> Option<Worker> {
        self.worker.try_lock().ok().and_then(|mut worker| worker.take())
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
