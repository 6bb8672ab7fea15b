//! What the index has found in a document, for those who get it.

use std::sync::Arc;

use super::{Catalog, DocumentWorker};
use crate::error::Stop;
use crate::evaluator::NodeRef;
use crate::index::Slot;
use crate::machine::Batch;
use crate::sharing::{Document, Fragments, Selected, Unmade};
use crate::tape::Node;

/// Nodes for those who get them as they are, and for those who have work to be done with them.
#[derive(Default)]
struct Sorted {
    plain: Vec<(Node, Slot)>,
    selected: Selected,
}

impl DocumentWorker {
    /// Adds what the index found. What may be made later is left so if `unmade` is there to take it.
    pub(super) fn add_results(
        &mut self,
        catalog: &Catalog,
        mut unmade: Option<&mut Unmade>,
        batch: &mut Batch,
    ) -> Result<(), Stop> {
        let (mut plain, selected) = if catalog.sharing.is_empty() {
            (self.matching.checked(&catalog.index), Selected::default())
        } else {
            let sorted = self.sorted_out(catalog, unmade.as_deref_mut());
            (sorted.plain, sorted.selected.sorted())
        };
        let mut fragments = Fragments::new(self.matching.sketch(), self.reader.names());
        let mut count = unmade.map_or(0, |unmade| unmade.deliveries) + plain.len() as u64;
        for (node, slots) in self.matching.accepted() {
            if !slots.iter().any(|&slot| catalog.sharing.has(slot)) {
                let fragment = fragments.of(NodeRef::new(*node), batch);
                count += slots.len() as u64;
                batch.shared.push((Arc::clone(slots), fragment));
            }
        }
        self.bound_deliveries(count, batch)?;
        plain.sort_unstable();
        for (node, slot) in plain {
            let fragment = fragments.of(NodeRef::new(node), batch);
            batch.deliveries.push((slot, fragment));
        }
        let document = Document { sketch: self.matching.sketch(), names: self.reader.names(), limits: &self.limits };
        self.messages.begin();
        for (slot, nodes) in selected.iter() {
            self.messages.deliver(&catalog.sharing, slot, nodes, &document, batch)?;
        }
        self.bound_deliveries(0, batch)
    }

    /// Adds the subscriptions that get something; only those messages are made without which this is not known.
    pub(super) fn add_matches(
        &mut self,
        catalog: &Catalog,
        slots: &mut Vec<Slot>,
        batch: &mut Batch,
    ) -> Result<(), Stop> {
        if catalog.sharing.is_empty() {
            slots.extend(self.matching.matched(&catalog.index));
            return Ok(());
        }
        let mut unmade = Unmade::default();
        let sorted = self.sorted_out(catalog, Some(&mut unmade));
        slots.extend_from_slice(unmade.slots());
        slots.extend(sorted.plain.iter().map(|&(_, slot)| slot));
        for (_, all) in self.matching.accepted() {
            slots.extend(all.iter().copied().filter(|&slot| !catalog.sharing.has(slot)));
        }
        let document = Document { sketch: self.matching.sketch(), names: self.reader.names(), limits: &self.limits };
        self.messages.begin();
        for (slot, nodes) in sorted.selected.sorted().iter() {
            if self.messages.surely_delivers(&catalog.sharing, slot, nodes, &document) {
                slots.push(slot);
            } else {
                self.messages.deliver(&catalog.sharing, slot, nodes, &document, batch)?;
            }
        }
        Ok(())
    }

    /// Who has work to be done with what was found, and who gets it as it is. Lists of which all get a node as it is are
    /// left alone.
    fn sorted_out(&self, catalog: &Catalog, mut unmade: Option<&mut Unmade>) -> Sorted {
        let sharing = &catalog.sharing;
        let mut sorted = Sorted::default();
        let mut take = |nodes: &[Node], slots: &[Slot]| {
            if let Some(unmade) = unmade.as_mut() {
                unmade.add(nodes, slots, |slot| sharing.may_wait(slot));
            }
            let waits = unmade.is_some();
            for &slot in slots.iter().filter(|&&slot| !(waits && sharing.may_wait(slot))) {
                if sharing.has(slot) {
                    sorted.selected.add(slot, nodes);
                } else {
                    sorted.plain.extend(nodes.iter().map(|&node| (node, slot)));
                }
            }
        };
        for (node, slots) in self.matching.accepted() {
            if slots.iter().any(|&slot| sharing.has(slot)) {
                take(std::slice::from_ref(node), slots);
            }
        }
        // A plan may hold more than once, with the same nodes or with others.
        let mut held: Vec<_> = self.matching.held(&catalog.index).collect();
        held.sort_unstable_by_key(|&(plan, ..)| plan);
        let mut nodes = Vec::new();
        for group in held.chunk_by(|left, right| left.0 == right.0) {
            nodes.clear();
            group.iter().for_each(|(_, some, _)| nodes.extend_from_slice(some));
            nodes.sort_unstable();
            nodes.dedup();
            take(&nodes, group[0].2);
        }
        // The parts of a union may give the same node to the same subscription.
        sorted.plain.sort_unstable();
        sorted.plain.dedup();
        sorted
    }

    fn bound_deliveries(&self, more: u64, batch: &Batch) -> Result<(), Stop> {
        if batch.deliveries.len() as u64 + more > self.limits.deliveries {
            return Err(Stop::limit(format!("more than {} deliveries (limit deliveries)", self.limits.deliveries)));
        }
        Ok(())
    }
}
