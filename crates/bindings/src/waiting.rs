//! Subscriptions that wait to become active together.

use std::sync::{Mutex, PoisonError};

use penstock_engine::registry::{Prepared, Registry, Row};
use pyo3::prelude::*;

use crate::subscriptions::{Given, PreparedQuery, Query};

struct Waiter {
    id: Box<str>,
    query: Box<str>,
    others: Option<Box<Others>>,
    options: u32,
    replace: bool,
    /// None: a query of a known shape.
    prepared: Option<Prepared>,
}

/// What few subscriptions have.
struct Others {
    subscriber: Option<Box<str>>,
    stream: Option<Box<str>>,
}

impl Waiter {
    fn new(given: &Given, query: Option<&Query>) -> Waiter {
        let Row { id, query: text, subscriber, stream, options } = given.row();
        let others = || Box::new(Others { subscriber: subscriber.map(Box::from), stream: stream.map(Box::from) });
        Waiter {
            id: id.into(),
            query: text.into(),
            others: (subscriber.is_some() || stream.is_some()).then(others),
            options,
            replace: given.may_replace(),
            prepared: query.map(|query| query.with(Prepared::clone)),
        }
    }

    fn row(&self) -> Row<'_> {
        let other = |text: fn(&Others) -> Option<&str>| self.others.as_deref().and_then(text);
        let (subscriber, stream) = (other(|one| one.subscriber.as_deref()), other(|one| one.stream.as_deref()));
        Row { id: &self.id, query: &self.query, subscriber, stream, options: self.options }
    }
}

/// id, query, subscriber, stream, options, may replace
type Taken = (String, String, Option<String>, Option<String>, u32, bool);

/// Keeps of a million rows what is needed, and none of Python's objects.
#[pyclass(frozen, module = "penstock.kernel._native")]
#[derive(Default)]
pub struct Waiting {
    /// As they came: what was entered is given back while the next ones are.
    waiters: Mutex<Vec<Vec<Waiter>>>,
}

#[pymethods]
impl Waiting {
    #[new]
    fn new() -> Waiting {
        Waiting::default()
    }

    fn extend(&self, py: Python<'_>, rows: Vec<(Given, Option<Query>)>) {
        py.detach(|| {
            let more = rows.iter().map(|(given, query)| Waiter::new(given, query.as_ref())).collect();
            self.waiters.lock().unwrap_or_else(PoisonError::into_inner).push(more);
        });
    }

    /// All of them, as they were given; none is left.
    fn take(&self) -> Vec<(Taken, Option<PreparedQuery>)> {
        let taken = |waiter: Waiter| {
            let Row { id, query, subscriber, stream, options } = waiter.row();
            let text = |text: Option<&str>| text.map(str::to_owned);
            let given = (id.to_owned(), query.to_owned(), text(subscriber), text(stream), options, waiter.replace);
            (given, waiter.prepared.map(PreparedQuery))
        };
        self.all().into_iter().flatten().map(taken).collect()
    }
}

impl Waiting {
    /// Adds all of them; the places and queries of those whose ids are taken.
    pub fn enter(&self, registry: &mut Registry) -> Vec<(usize, String)> {
        let mut refused = Vec::new();
        for (place, waiter) in self.all().into_iter().flatten().enumerate() {
            if !registry.add(waiter.row(), waiter.prepared.as_ref(), waiter.replace) {
                refused.push((place, waiter.query.into()));
            }
        }
        refused
    }

    pub fn len(&self) -> usize {
        self.waiters.lock().unwrap_or_else(PoisonError::into_inner).iter().map(Vec::len).sum()
    }

    fn all(&self) -> Vec<Vec<Waiter>> {
        std::mem::take(&mut self.waiters.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
