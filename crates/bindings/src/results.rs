//! Batches of results as Python data.

use penstock_engine::machine::{self, Batch, FragmentKind};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString};

use crate::delivery::{kind_name, Delivery, Header, Target};
use crate::taken::Taken;

/// Subscription's number and message.
pub type Failed = Vec<(u32, String)>;

/// kind, text, offset
type Fragment = (&'static str, String, u64);

/// Results by reference: each distinct fragment once, (subscription, fragment) pairs, and the failed.
pub type References = (Vec<Fragment>, Vec<(u32, u32)>, Failed);

pub fn sort(batch: &mut Batch) {
    let Batch { fragments, deliveries, .. } = batch;
    deliveries.sort_by_key(|&(output, fragment)| (fragments[fragment as usize].rank(), output));
}

pub fn references(batch: Batch) -> References {
    let text = batch.text();
    let fragment = |one: &machine::Fragment| (one.kind.as_str(), text[one.start..one.end].to_owned(), one.offset);
    let fragments = batch.fragments.iter().map(fragment).collect();
    (fragments, batch.deliveries, batch.errors)
}

/// The fragments alone, in the order of the deliveries.
pub fn values<'py>(py: Python<'py>, batch: &Batch) -> PyResult<Bound<'py, PyList>> {
    let text = batch.text();
    let values = batch.deliveries.iter().map(|&(_, index)| {
        let fragment = &batch.fragments[index as usize];
        PyString::new(py, &text[fragment.start..fragment.end])
    });
    PyList::new(py, values)
}

/// One delivery a pair; at last those that are joined to one a document.
pub fn deliveries<'py>(py: Python<'py>, taken: &Taken, header: &Header) -> PyResult<Bound<'py, PyList>> {
    let Taken { batch, takers } = taken;
    let targets = taken.targets(py);
    let mut made = streamed(py, batch, &targets, header, |taker| !takers[taker as usize].joins)?;
    for (taker, sequence, fragment) in taken.joined() {
        let kind = kind_name(py, FragmentKind::Document);
        let fragment = PyString::new(py, &fragment).unbind();
        made.push(Delivery::make(py, header, &targets[taker as usize], kind, fragment, sequence)?);
    }
    PyList::new(py, made)
}

/// One delivery a pair that is asked for.
pub fn streamed(
    py: Python<'_>,
    batch: &Batch,
    targets: &[Target],
    header: &Header,
    is_asked: impl Fn(u32) -> bool,
) -> PyResult<Vec<Py<Delivery>>> {
    let text = batch.text();
    let mut made = Vec::with_capacity(batch.deliveries.len());
    let mut shared: Vec<Option<Py<PyString>>> = Vec::new();
    shared.resize_with(batch.fragments.len(), || None);
    for &(output, index) in batch.deliveries.iter().filter(|(output, _)| is_asked(*output)) {
        let fragment = &batch.fragments[index as usize];
        let make_text = || PyString::new(py, &text[fragment.start..fragment.end]).unbind();
        let text = shared[index as usize].get_or_insert_with(make_text).clone_ref(py);
        let kind = kind_name(py, fragment.kind);
        made.push(Delivery::make(py, header, &targets[output as usize], kind, text, fragment.offset)?);
    }
    Ok(made)
}
