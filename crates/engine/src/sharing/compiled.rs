//! What the planner says about sharing, with its pattern compiled.

use std::sync::Arc;

use super::ir::{self, Work};
use crate::machine::CompiledProgram;

pub struct Shared {
    pub pattern: Arc<CompiledProgram>,
    pub work: Work,
}

impl Shared {
    pub fn new(spec: &ir::Shared) -> Result<Shared, String> {
        let pattern = Arc::new(CompiledProgram::new(&spec.pattern, &[])?);
        Ok(Shared { pattern, work: spec.work.clone() })
    }
}
