//! The results of a document, or of a chunk of one, as their deliveries share them.

use std::sync::Arc;

use penstock_engine::machine::{Batch, Fragment};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyString;

use crate::header::Header;
use crate::taker::Taker;

/// Results and whom they are for. Strings are made when someone asks for them.
///
/// It is an object of Python because the interpreter counts who holds one without the cost of doing so between threads.
#[pyclass(frozen, module = "penstock.kernel._native")]
pub struct Delivered {
    pub header: Arc<Header>,
    takers: Arc<Vec<Taker>>,
    batch: Batch,
    /// The texts of the fragments, where several get the same; else each is asked for once or not at all.
    strings: Vec<PyOnceLock<Py<PyString>>>,
}

impl Delivered {
    pub fn new(header: Arc<Header>, takers: Arc<Vec<Taker>>, batch: Batch) -> Delivered {
        let mut strings = Vec::new();
        if batch.deliveries.len() > batch.fragments.len() {
            strings.resize_with(batch.fragments.len(), PyOnceLock::new);
        }
        Delivered { header, takers, batch, strings }
    }

    /// The places of the deliveries, without those to the takers left out (in ascending order).
    pub fn places(&self, left_out: &[u32]) -> Vec<u32> {
        let all = 0..self.batch.deliveries.len() as u32;
        if left_out.is_empty() {
            return all.collect();
        }
        all.filter(|&place| left_out.binary_search(&self.batch.deliveries[place as usize].0).is_err()).collect()
    }

    pub fn taker(&self, place: u32) -> &Taker {
        &self.takers[self.batch.deliveries[place as usize].0 as usize]
    }

    pub fn fragment(&self, place: u32) -> &Fragment {
        &self.batch.fragments[self.batch.deliveries[place as usize].1 as usize]
    }

    pub fn text(&self, py: Python<'_>, place: u32) -> PyResult<Py<PyString>> {
        let index = self.batch.deliveries[place as usize].1 as usize;
        let make = || Ok(PyString::from_bytes(py, &self.batch.bytes(index))?.unbind());
        match self.strings.get(index) {
            None => make(),
            Some(string) => Ok(string.get_or_try_init(py, make)?.clone_ref(py)),
        }
    }
}
