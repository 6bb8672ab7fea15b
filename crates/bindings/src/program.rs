//! Compiled queries and sets of them.

use std::sync::Arc;

use penstock_engine::machine::{CompiledProgram, Set as EngineSet};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

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

/// Programs linked into one machine; outputs are numbered in the order given.
#[pyclass(frozen, module = "penstock.kernel._native")]
pub struct Set {
    pub linked: Arc<EngineSet>,
}

#[pymethods]
impl Set {
    #[new]
    fn new(py: Python<'_>, programs: Vec<PyRef<'_, Program>>) -> Set {
        let programs: Vec<_> = programs.iter().map(|program| Arc::clone(&program.compiled)).collect();
        Set { linked: Arc::new(py.detach(|| EngineSet::link(&programs))) }
    }

    #[getter]
    fn steps(&self) -> usize {
        self.linked.steps.len() - 1
    }

    fn __len__(&self) -> usize {
        self.linked.subscriptions.len()
    }
}
