//! What was found in a document.

use crate::machine::Batch;
use crate::origin::Origin;
use crate::sharing::Unmade;

#[derive(Default)]
pub struct Findings {
    pub batch: Batch,
    /// What is made when someone asks for it.
    pub unmade: Unmade,
}

impl Findings {
    /// No one gets anything, and no evaluation failed.
    pub fn is_nothing(&self) -> bool {
        self.deliveries() == 0 && self.batch.errors.is_empty()
    }

    /// How many deliveries there are, or will be.
    pub fn deliveries(&self) -> usize {
        self.batch.count() + self.unmade.deliveries()
    }

    /// Whether the source of the document must be there when someone looks.
    pub(super) fn lies_in_source(&self) -> bool {
        self.batch.has_parts() || !self.unmade.is_empty()
    }

    pub(super) fn take_source(&mut self, source: Origin) {
        if !self.unmade.is_empty() {
            self.unmade.take_source(source.clone());
        }
        self.batch.take_source(source);
    }
}
