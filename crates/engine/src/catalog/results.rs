//! What the index has found in a document, for those who get it.

use std::sync::Arc;

use super::{Catalog, DocumentWorker};
use crate::error::Stop;
use crate::evaluator::NodeRef;
use crate::index::{Slot, Slots};
use crate::machine::Batch;
use crate::sharing::{Document, Fragments, Selected, Sharing, Unmade};

impl DocumentWorker {
    /// Adds what the index found. What may be made later is left so if `unmade` is there to take it.
    pub(super) fn add_results(
        &mut self,
        catalog: &Catalog,
        mut unmade: Option<&mut Unmade>,
        batch: &mut Batch,
    ) -> Result<(), Stop> {
        let sharing = &catalog.sharing;
        let results = self.matching.results();
        let count = batch.deliveries.len() + results.iter().map(|(_, slots)| slots.as_slice().len()).sum::<usize>();
        self.bound_deliveries(count as u64)?;
        let (sketch, names) = (self.matching.sketch(), self.reader.names());
        let mut fragments = Fragments::new(sketch, names, Some(&mut self.scopes));
        let mut selected = Selected::default();
        for (node, slots) in results {
            if works(sharing, slots) {
                for &slot in slots.as_slice() {
                    match unmade.as_deref_mut() {
                        Some(unmade) if sharing.may_wait(slot) => unmade.add(slot, *node),
                        _ if sharing.has(slot) => selected.add(slot, &[*node]),
                        _ => {
                            let fragment = fragments.of(NodeRef::new(*node), batch);
                            batch.deliveries.push((slot, fragment));
                        }
                    }
                }
                continue;
            }
            let fragment = fragments.of(NodeRef::new(*node), batch);
            match slots {
                Slots::One(slot) => batch.deliveries.push((*slot, fragment)),
                Slots::Many(slots) => batch.shared.push((Arc::clone(slots), fragment)),
            }
        }
        let document = Document { sketch, names, limits: &self.limits };
        self.messages.begin();
        for (slot, nodes) in selected.sorted().iter() {
            self.messages.deliver(sharing, slot, nodes, &document, batch)?;
        }
        self.bound_deliveries(batch.deliveries.len() as u64)
    }

    /// Adds the subscriptions that get something; only those messages are made without which this is not known.
    pub(super) fn add_matches(
        &mut self,
        catalog: &Catalog,
        found: &mut Vec<Slot>,
        batch: &mut Batch,
    ) -> Result<(), Stop> {
        let sharing = &catalog.sharing;
        let mut selected = Selected::default();
        for (node, slots) in self.matching.results() {
            for &slot in slots.as_slice() {
                if sharing.has(slot) && !sharing.may_wait(slot) {
                    selected.add(slot, &[*node]);
                } else {
                    found.push(slot);
                }
            }
        }
        let document = Document { sketch: self.matching.sketch(), names: self.reader.names(), limits: &self.limits };
        self.messages.begin();
        for (slot, nodes) in selected.sorted().iter() {
            if self.messages.surely_delivers(sharing, slot, nodes, &document) {
                found.push(slot);
            } else {
                self.messages.deliver(sharing, slot, nodes, &document, batch)?;
            }
        }
        Ok(())
    }

    fn bound_deliveries(&self, count: u64) -> Result<(), Stop> {
        if count > self.limits.deliveries {
            return Err(Stop::limit(format!("more than {} deliveries (limit deliveries)", self.limits.deliveries)));
        }
        Ok(())
    }
}

/// Whether some of these have work to be done.
fn works(sharing: &Sharing, slots: &Slots) -> bool {
    !sharing.is_empty() && slots.as_slice().iter().any(|&slot| sharing.has(slot))
}
