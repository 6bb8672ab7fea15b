//! Batches of results as Python data.

use std::sync::Arc;

use penstock_engine::machine::{self, Batch, FragmentKind};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString};

use crate::delivered::{kind_name, Delivered, Fields};
use crate::delivery_class;
use crate::header::Header;
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
    let fragment =
        |(place, one): (usize, &machine::Fragment)| (one.kind.as_str(), batch.text(place).into_owned(), one.offset);
    let fragments = batch.fragments.iter().enumerate().map(fragment).collect();
    (fragments, batch.deliveries, batch.errors)
}

/// The fragments alone, in the order of the deliveries.
pub fn values<'py>(py: Python<'py>, batch: &Batch) -> PyResult<Bound<'py, PyList>> {
    let values = batch.deliveries.iter().map(|&(_, index)| PyString::new(py, &batch.text(index as usize)));
    PyList::new(py, values)
}

/// One delivery a pair; at last those that are joined to one a document.
pub fn deliveries(py: Python<'_>, taken: Option<Box<Taken>>, header: Header) -> PyResult<Bound<'_, PyList>> {
    let Some(taken) = taken.filter(|taken| !taken.batch.deliveries.is_empty()) else {
        return Ok(PyList::empty(py));
    };
    let joined = taken.joined();
    let Taken { batch, takers } = *taken;
    let takers = Arc::new(takers);
    let header = Arc::new(header);
    let delivered = Delivered::many(Arc::clone(&header), Arc::clone(&takers), batch);
    let are_joined: Vec<u32> = joined.iter().map(|(taker, ..)| *taker).collect();
    let made = delivery_class::list(py, delivered, &are_joined)?;
    for (taker, sequence, fragment) in joined {
        let taker = &takers[taker as usize];
        let fields = Fields {
            subscription: taker.id.to_python(py),
            subscriber: taker.subscriber.as_ref().map(|subscriber| subscriber.to_python(py)),
            kind: kind_name(py, FragmentKind::Document),
            fragment: PyString::new(py, &fragment).unbind(),
            documents: header.documents(py)?,
            stream: header.stream(py),
            time: header.time(py)?,
            sequence,
        };
        made.append(delivery_class::make(py, fields)?)?;
    }
    Ok(made)
}
