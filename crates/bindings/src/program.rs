//! Compiled queries and sets of them.

use std::sync::{Arc, OnceLock};

use penstock_engine::machine::{CompiledProgram, Set as EngineSet};
use penstock_engine::sharing::Early;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;

use crate::taker::Taker;

/// One query, compiled from its versioned JSON form.
#[pyclass(frozen, module = "penstock.kernel._native")]
pub struct Program {
    pub compiled: Arc<CompiledProgram>,
}

#[pymethods]
impl Program {
    #[new]
    fn new(json: &[u8]) -> PyResult<Program> {
        let compiled = CompiledProgram::from_json(json).map_err(PyValueError::new_err)?;
        Ok(Program { compiled: Arc::new(compiled) })
    }
}

/// id, subscriber
type Target = (PyBackedStr, Option<PyBackedStr>);

/// Programs linked into one streaming machine, each with the id and subscriber that its deliveries bear.
#[pyclass(frozen, module = "penstock.kernel._native")]
pub struct Set {
    programs: Vec<Arc<CompiledProgram>>,
    pub linked: Arc<EngineSet>,
    /// For documents that come in chunks.
    early: OnceLock<Arc<Early>>,
    pub takers: Arc<Vec<Taker>>,
}

impl Set {
    pub fn early(&self) -> &Arc<Early> {
        self.early.get_or_init(|| Arc::new(Early::link(&self.programs)))
    }
}

#[pymethods]
impl Set {
    #[new]
    fn new(py: Python<'_>, programs: Vec<PyRef<'_, Program>>, targets: Vec<Target>) -> PyResult<Set> {
        if programs.len() != targets.len() {
            return Err(PyValueError::new_err("one target is needed for each program"));
        }
        let programs: Vec<_> = programs.iter().map(|program| Arc::clone(&program.compiled)).collect();
        let taker = |(id, subscriber): &Target| Taker::new(id, subscriber.as_deref(), false);
        let takers = targets.iter().map(taker).collect();
        let linked = py.detach(|| EngineSet::link(&programs));
        Ok(Set { programs, linked: Arc::new(linked), early: OnceLock::new(), takers: Arc::new(takers) })
    }

    #[getter]
    fn steps(&self) -> usize {
        self.linked.steps.len() - 1
    }

    fn __len__(&self) -> usize {
        self.linked.subscriptions.len()
    }
}
