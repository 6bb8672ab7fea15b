//! Documents that come in chunks.

use std::sync::{Arc, Mutex, PoisonError};

use penstock_engine::error::DocumentError;
use penstock_engine::machine::{Batch, Order, Worker};
use penstock_engine::sharing::EarlyMessages;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::delivered::Delivered;
use crate::delivery_class;
use crate::errors::{guarded, to_python, Failure};
use crate::header::Header;
use crate::results::{self, Failed};
use crate::taker::Taker;

struct State {
    worker: Worker,
    messages: EarlyMessages,
    order: Option<Order>,
}

/// Deliveries, the failed, and the error that ended the document, if one did.
type Advance<'py> = (Bound<'py, PyList>, Failed, Option<Py<PyAny>>);

/// One open document. Used by one thread at a time; after an error or `close` it is over.
#[pyclass(frozen, module = "penstock.kernel._native")]
pub struct Feed {
    state: Mutex<Option<State>>,
    takers: Arc<Vec<Taker>>,
    header: Arc<Header>,
}

impl Feed {
    pub fn new(
        mut worker: Worker,
        messages: EarlyMessages,
        takers: Arc<Vec<Taker>>,
        header: Header,
        ordered: bool,
    ) -> Result<Feed, Failure> {
        guarded(|| worker.begin(false))?;
        let order = ordered.then(Order::default);
        Ok(Feed { state: Mutex::new(Some(State { worker, messages, order })), takers, header: Arc::new(header) })
    }
}

#[pymethods]
impl Feed {
    /// What this chunk made certain.
    fn write<'py>(&self, py: Python<'py>, chunk: &[u8]) -> PyResult<Advance<'py>> {
        self.advance(py, |worker| worker.feed(chunk), false)
    }

    /// Ends the document: what was left.
    fn close<'py>(&self, py: Python<'py>) -> PyResult<Advance<'py>> {
        self.advance(py, Worker::finish, true)
    }

    /// Bytes held for what is undecided.
    #[getter]
    fn buffered(&self) -> u64 {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.as_ref().map_or(0, |state| state.worker.run().buffered())
    }
}

impl Feed {
    fn advance<'py>(
        &self,
        py: Python<'py>,
        work: impl FnOnce(&mut Worker) -> Result<Batch, DocumentError> + Send,
        is_last: bool,
    ) -> PyResult<Advance<'py>> {
        let outcome = py.detach(|| {
            let mut guard = self.state.lock().unwrap_or_else(PoisonError::into_inner);
            let state = guard.as_mut()?;
            let outcome = guarded(|| work(&mut state.worker));
            let batch = match outcome {
                Ok(batch) => state.arrange(batch, is_last).map(|batch| (batch, None)),
                // What was certain before the error stays delivered.
                Err(Failure::Document(error)) => {
                    let batch = state.worker.take_batch();
                    state.arrange(batch, false).map(|batch| (batch, Some(Failure::Document(error))))
                }
                Err(failure) => Err(failure),
            };
            if is_last || !matches!(batch, Ok((_, None))) {
                *guard = None;
            }
            Some(batch)
        });
        match outcome {
            None => Err(PyValueError::new_err("the feed is closed")),
            Some(Err(failure)) => Err(to_python(py, failure)),
            Some(Ok((mut batch, failure))) => {
                let error = failure.map(|failure| to_python(py, failure).into_value(py).into_any());
                let errors = std::mem::take(&mut batch.errors);
                let delivered = Delivered::many(Arc::clone(&self.header), Arc::clone(&self.takers), batch);
                let mut failed: Vec<u32> = errors.iter().map(|(output, _)| *output).collect();
                failed.sort_unstable();
                let deliveries = delivery_class::list(py, delivered, &failed)?;
                Ok((deliveries, errors, error))
            }
        }
    }
}

impl State {
    fn arrange(&mut self, batch: Batch, is_last: bool) -> Result<Batch, Failure> {
        let run = if is_last { None } else { Some(self.worker.run()) };
        let mut batch = guarded(|| self.messages.fill(batch, run))?;
        match &mut self.order {
            None => {
                results::sort(&mut batch);
                Ok(batch)
            }
            Some(order) => Ok(order.arrange(batch, run)),
        }
    }
}
