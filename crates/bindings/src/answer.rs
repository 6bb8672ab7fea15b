//! What a whole document gives: its results by reference, or one delivery for each.

use penstock_engine::catalog::DocumentWorker;
use penstock_engine::error::DocumentError;
use penstock_engine::registry::Registry;
use pyo3::prelude::*;

use crate::documents::{Document, Piece};
use crate::engine::Engine;
use crate::errors::{guarded, Failure};
use crate::header::Header;
use crate::matches::{Found, Matches, Pinned};
use crate::results;
use crate::subscriptions::Subscriptions;
use crate::taken::Taken;

/// id and message of subscriptions whose evaluation failed
pub type Failures = Vec<(String, String)>;

/// What was found in a document, and the document if nothing holds it.
pub type Matched<T> = Result<(T, Option<Piece>), DocumentError>;

/// A document up to this size that only meets paths is matched in a few microseconds: to let go of the interpreter and to get
/// it back would take a good part of that.
const SHORT: usize = 4096;

/// Has a worker match a document, while the subscriptions stay as they are and the interpreter is free, unless that takes
/// but a moment.
pub fn matched<T: Send>(
    py: Python<'_>,
    worker: &mut DocumentWorker,
    subscriptions: &Subscriptions,
    document: &mut Document,
    work: impl FnOnce(&mut DocumentWorker, &Registry, &mut Document) -> Matched<T> + Send,
) -> Result<T, Failure> {
    document.bring();
    let quick = subscriptions.read_at_once().filter(|read| document.size() <= SHORT && read.catalog.has_paths_only());
    let outcome = match quick {
        Some(registry) => guarded(|| work(worker, &registry, document)),
        None => py.detach(|| {
            let registry = subscriptions.read();
            guarded(|| work(worker, &registry, document))
        }),
    };
    // The document, if nothing holds it, is let go of here, where the interpreter is attached.
    outcome.map(|(found, _)| found)
}

/// Nothing, most of the time.
pub enum Answer {
    Grouped(Option<Pinned>, Failures),
    Exploded(Option<Box<Taken>>),
}

impl Answer {
    /// What a document of a stream gives.
    pub fn find(
        py: Python<'_>,
        worker: &mut DocumentWorker,
        subscriptions: &Subscriptions,
        document: &mut Document,
        (stream, grouped): (&str, bool),
    ) -> Result<Answer, Failure> {
        matched(py, worker, subscriptions, document, |worker, registry, document| {
            let is_text = document.is_text();
            let (found, unused) = worker.document(&registry.catalog, stream, document, is_text, grouped)?;
            let answer = if grouped {
                let failures = found.as_ref().map_or_else(Vec::new, |found| failures(registry, &found.batch.errors));
                Answer::Grouped(found.map(|found| Pinned::new(registry, found)), failures)
            } else {
                Answer::Exploded(found.map(|found| Box::new(Taken::new(registry, found.batch))))
            };
            Ok((answer, unused))
        })
    }

    pub fn has_failures(&self) -> bool {
        match self {
            Answer::Grouped(_, failures) => !failures.is_empty(),
            Answer::Exploded(taken) => taken.as_ref().is_some_and(|taken| !taken.batch.errors.is_empty()),
        }
    }

    pub fn take_failures(&mut self) -> Failures {
        match self {
            Answer::Grouped(_, failures) => std::mem::take(failures),
            Answer::Exploded(taken) => taken.as_ref().map_or_else(Vec::new, |taken| taken.failures()),
        }
    }

    /// The `Matches`, or the list of deliveries; and how many deliveries these are.
    pub fn into_python<'py>(
        self,
        engine: &Bound<'py, Engine>,
        subscriptions: &Bound<'py, Subscriptions>,
        header: Header,
    ) -> PyResult<(Bound<'py, PyAny>, usize)> {
        let py = engine.py();
        match self {
            Answer::Grouped(found, _) => {
                let found = found.map(|pinned| Found::new(engine, subscriptions, pinned));
                let count = found.as_ref().map_or(0, |found| found.deliveries());
                Ok((Bound::new(py, Matches::new(header, found))?.into_any(), count))
            }
            Answer::Exploded(taken) => {
                let deliveries = results::deliveries(py, taken, header)?;
                let count = deliveries.len();
                Ok((deliveries.into_any(), count))
            }
        }
    }
}

fn failures(registry: &Registry, errors: &[(u32, String)]) -> Failures {
    let id = |slot: u32| registry.row(slot).map_or_else(String::new, |row| row.id.to_owned());
    errors.iter().map(|(slot, message)| (id(*slot), message.clone())).collect()
}
