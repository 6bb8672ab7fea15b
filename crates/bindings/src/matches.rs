//! The results of a document by reference: made into Python objects only when someone looks.

use penstock_engine::catalog::Findings;
use penstock_engine::error::DocumentError;
use penstock_engine::machine::Batch;
use penstock_engine::registry::{Pin, Registry};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyString, PyTuple};

use crate::engine::Engine;
use crate::errors::{guarded, to_python};
use crate::header::{Header, Id, Time};
use crate::ids::Ids;
use crate::subscriptions::Subscriptions;

/// kind, text, place in document order, subscriptions
type Fragment = (&'static str, String, u64, Ids);

/// The results of one document by reference: each fragment once.
#[pyclass(frozen, module = "penstock", name = "Matches")]
pub struct Matches {
    header: Header,
    found: Option<Found>,
    fragments: PyOnceLock<Py<PyTuple>>,
}

/// What was found in a document, and what fragments are made with.
pub struct Found {
    subscriptions: Py<Subscriptions>,
    engine: Py<Engine>,
    pinned: Pinned,
}

/// What was found in a document, whose subscriptions stay what they are until it is let go.
pub struct Pinned {
    findings: Box<Findings>,
    _pin: Pin,
}

impl Pinned {
    pub fn new(registry: &Registry, mut findings: Box<Findings>) -> Pinned {
        let Batch { deliveries, errors, .. } = &mut findings.batch;
        if !errors.is_empty() {
            deliveries.retain(|(slot, _)| errors.iter().all(|(failed, _)| failed != slot));
        }
        Pinned { findings, _pin: registry.pin() }
    }
}

impl Found {
    pub fn new(engine: &Bound<'_, Engine>, subscriptions: &Bound<'_, Subscriptions>, pinned: Pinned) -> Found {
        Found { subscriptions: subscriptions.clone().unbind(), engine: engine.clone().unbind(), pinned }
    }

    pub fn deliveries(&self) -> usize {
        self.pinned.findings.deliveries()
    }

    /// The fragments in document order, each with its subscriptions, oldest first.
    fn fragments(&self) -> Result<Vec<Fragment>, DocumentError> {
        let registry = self.subscriptions.get().read();
        let Findings { batch, unmade } = &*self.pinned.findings;
        let mut made: Batch;
        let batch = if unmade.is_empty() {
            batch
        } else {
            made = registry.catalog.make(unmade, self.engine.get().limits())?;
            made.absorb(batch);
            &made
        };
        Ok(fragments(&registry, batch))
    }
}

fn fragments(registry: &Registry, batch: &Batch) -> Vec<Fragment> {
    let texts: Vec<_> = (0..batch.fragments.len()).map(|index| batch.text(index)).collect();
    let mut takers: Vec<Vec<u32>> = vec![Vec::new(); batch.fragments.len()];
    for &(slot, fragment) in &batch.deliveries {
        takers[fragment as usize].push(slot);
    }
    for (slots, fragment) in batch.shared() {
        takers[fragment as usize].extend(slots);
    }
    // A node may have been found for some by the machine, for others by the index.
    let mut order: Vec<usize> = (0..takers.len()).filter(|&index| !takers[index].is_empty()).collect();
    let key = |index: usize| {
        let fragment = &batch.fragments[index];
        (fragment.rank(), fragment.kind.as_str(), &*texts[index])
    };
    order.sort_by(|&left, &right| key(left).cmp(&key(right)));
    let mut found: Vec<(usize, Vec<u32>)> = Vec::with_capacity(order.len());
    for index in order {
        let slots = std::mem::take(&mut takers[index]);
        match found.last_mut() {
            Some((last, known)) if key(*last) == key(index) => known.extend(slots),
            _ => found.push((index, slots)),
        }
    }
    let id = |slot: &u32| registry.row(*slot).map_or("", |row| row.id);
    found
        .into_iter()
        .map(|(index, mut slots)| {
            slots.sort_unstable_by_key(|&slot| registry.sequence(slot));
            let (_, kind, text) = key(index);
            (kind, text.to_owned(), batch.fragments[index].offset, slots.iter().map(id).collect())
        })
        .collect()
}

#[pymethods]
impl Matches {
    #[new]
    fn empty(document: Py<PyString>, stream: Py<PyString>, time: Py<PyAny>) -> Matches {
        Matches::new(Header::new(Id::Given(document), stream, Time::Given(time)), None)
    }

    #[getter]
    fn document<'py>(&self, py: Python<'py>) -> Bound<'py, PyString> {
        self.header.id(py)
    }

    #[getter]
    fn stream(&self, py: Python<'_>) -> Py<PyString> {
        self.header.stream(py)
    }

    #[getter]
    fn time(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.header.time(py)
    }

    /// Each distinct fragment with its subscriptions, in document order.
    #[getter]
    fn fragments<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let made = self.fragments.get_or_try_init(py, || {
            let look = || guarded(|| self.found.as_ref().map_or(Ok(Vec::new()), |found| found.fragments()));
            let fragments = py.detach(look).map_err(|failure| to_python(py, failure))?;
            let made = fragments.into_iter().map(|(kind, fragment, sequence, subscriptions)| {
                Py::new(py, FragmentMatch::make(py, kind, &fragment, sequence, &subscriptions)?)
            });
            PyResult::Ok(PyTuple::new(py, made.collect::<PyResult<Vec<_>>>()?)?.unbind())
        })?;
        Ok(made.bind(py).clone())
    }

    /// How many deliveries it stands for.
    #[getter]
    fn deliveries(&self) -> usize {
        self.found.as_ref().map_or(0, |found| found.deliveries())
    }

    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        Ok(self.fragments(py)?.len())
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let document = self.header.id(py).repr()?;
        Ok(format!("<Matches of {document}: {} deliveries>", self.deliveries()))
    }
}

impl Matches {
    pub fn new(header: Header, found: Option<Found>) -> Matches {
        Matches { header, found, fragments: PyOnceLock::new() }
    }
}

/// One fragment and all subscriptions that it is for.
#[pyclass(frozen, module = "penstock", name = "FragmentMatch", get_all)]
pub struct FragmentMatch {
    kind: Py<PyString>,
    fragment: Py<PyString>,
    sequence: u64,
    subscriptions: Py<PyTuple>,
}

impl FragmentMatch {
    fn make(py: Python<'_>, kind: &str, fragment: &str, sequence: u64, subscriptions: &Ids) -> PyResult<FragmentMatch> {
        Ok(FragmentMatch {
            kind: PyString::intern(py, kind).unbind(),
            fragment: PyString::new(py, fragment).unbind(),
            sequence,
            subscriptions: subscriptions.tuple(py)?.unbind(),
        })
    }
}

#[pymethods]
impl FragmentMatch {
    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let (kind, fragment) = (self.kind.bind(py).repr()?, self.fragment.bind(py).repr()?);
        let subscriptions = self.subscriptions.bind(py).repr()?;
        let sequence = self.sequence;
        Ok(format!("FragmentMatch({kind}, {fragment}, sequence={sequence}, subscriptions={subscriptions})"))
    }
}
