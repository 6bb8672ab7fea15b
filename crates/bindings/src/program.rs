//! Compiled queries and sets of them.

use std::sync::Arc;

use penstock_engine::machine::{CompiledProgram, Set as EngineSet};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::delivered::Target;

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

/// Programs linked into one streaming machine, each with the id and subscriber that its deliveries bear.
#[pyclass(frozen, module = "penstock.kernel._native")]
pub struct Set {
    pub linked: Arc<EngineSet>,
    pub targets: Arc<Vec<Target>>,
}

#[pymethods]
impl Set {
    #[new]
    fn new(py: Python<'_>, programs: Vec<PyRef<'_, Program>>, targets: Vec<Target>) -> PyResult<Set> {
        if programs.len() != targets.len() {
            return Err(PyValueError::new_err("one target is needed for each program"));
        }
        let programs: Vec<_> = programs.iter().map(|program| Arc::clone(&program.compiled)).collect();
        let linked = py.detach(|| EngineSet::link(&programs));
        Ok(Set { linked: Arc::new(linked), targets: Arc::new(targets) })
    }

    #[getter]
    fn steps(&self) -> usize {
        self.linked.steps.len() - 1
    }

    fn __len__(&self) -> usize {
        self.linked.subscriptions.len()
    }
}
