//! Queries that wait to be added: many are compiled by and by, and become active together.

use std::sync::Arc;

use crate::catalog::Catalog;
use crate::index::Path;
use crate::machine::CompiledProgram;

/// A compiled query, as the registry that made it takes it.
#[derive(Clone)]
pub enum Prepared {
    /// Paths for the index, packed: a program takes many times as many bytes.
    Paths(Box<[u8]>),
    Program(Arc<CompiledProgram>),
}

impl Prepared {
    pub fn new(catalog: &mut Catalog, program: &Arc<CompiledProgram>) -> Prepared {
        let paths = if catalog.takes_paths() { catalog.paths(program) } else { None };
        match paths.map(|paths| postcard::to_stdvec(&paths)) {
            Some(Ok(packed)) => Prepared::Paths(packed.into()),
            _ => Prepared::Program(Arc::clone(program)),
        }
    }
}

/// What [`Prepared::new`] packed; None for anything else.
pub fn unpacked(packed: &[u8]) -> Option<Vec<Path>> {
    postcard::from_bytes(packed).ok()
}
