//! What the index has found in a document, for those who get it.

use rustc_hash::FxHashSet;

use super::{Catalog, DocumentWorker};
use crate::error::Stop;
use crate::evaluator::NodeRef;
use crate::index::{Sketch, Slot, Slots};
use crate::limits::Limits;
use crate::machine::Batch;
use crate::sharing::{Document, Fragments, Selected, Sharing, Unmade};
use crate::tape::{Kind, Node};

impl DocumentWorker {
    /// Adds what the index found. What may be made later is left so if `unmade` is there to take it.
    pub(super) fn add_results(
        &mut self,
        catalog: &Catalog,
        mut unmade: Option<&mut Unmade>,
        batch: &mut Batch,
    ) -> Result<(), Stop> {
        let DocumentWorker { matching, reader, scopes, messages, limits, .. } = self;
        let (sharing, names) = (&catalog.sharing, reader.names());
        let (results, sketch) = matching.results();
        let count = batch.deliveries.len() + results.iter().map(|(_, slots)| slots.as_slice().len()).sum::<usize>();
        bound_deliveries(count, limits)?;
        let gives_source = sharing.is_empty() && is_worth_the_source(results, sketch);
        let mut fragments = Fragments::new(sketch, names, Some(scopes)).giving_source(gives_source);
        let mut selected = Selected::default();
        for (node, slots) in results.drain(..) {
            if works(sharing, &slots) {
                for &slot in slots.as_slice() {
                    match unmade.as_deref_mut() {
                        Some(unmade) if sharing.may_wait(slot) => unmade.add(slot, node),
                        _ if sharing.has(slot) => selected.add(slot, &[node]),
                        _ => {
                            let fragment = fragments.of(NodeRef::new(node), batch);
                            batch.deliveries.push((slot, fragment));
                        }
                    }
                }
                continue;
            }
            let fragment = fragments.of(NodeRef::new(node), batch);
            match slots {
                Slots::One(slot) => batch.deliveries.push((slot, fragment)),
                Slots::Many(slots) => batch.shared.push((slots, fragment)),
            }
        }
        let document = Document { sketch, names, limits };
        messages.begin();
        for (slot, nodes) in selected.sorted().iter() {
            messages.deliver(sharing, slot, nodes, &document, batch)?;
        }
        bound_deliveries(batch.deliveries.len(), limits)?;
        if gives_source {
            batch.take_source(matching.give_source());
        }
        Ok(())
    }

    /// Adds the subscriptions that get something; only those messages are made without which this is not known.
    pub(super) fn add_matches(
        &mut self,
        catalog: &Catalog,
        found: &mut Vec<Slot>,
        batch: &mut Batch,
    ) -> Result<(), Stop> {
        let DocumentWorker { matching, reader, messages, limits, .. } = self;
        let sharing = &catalog.sharing;
        let (results, sketch) = matching.results();
        let mut selected = Selected::default();
        // Many nodes have the same list.
        let mut known: FxHashSet<*const Slot> = FxHashSet::default();
        for (node, slots) in results {
            if !works(sharing, slots) {
                if slots.as_slice().len() == 1 || known.insert(slots.as_slice().as_ptr()) {
                    found.extend_from_slice(slots.as_slice());
                }
                continue;
            }
            for &slot in slots.as_slice() {
                if sharing.has(slot) && !sharing.may_wait(slot) {
                    selected.add(slot, &[*node]);
                } else {
                    found.push(slot);
                }
            }
        }
        let document = Document { sketch, names: reader.names(), limits };
        messages.begin();
        for (slot, nodes) in selected.sorted().iter() {
            if messages.surely_delivers(sharing, slot, nodes, &document) {
                found.push(slot);
            } else {
                messages.deliver(sharing, slot, nodes, &document, batch)?;
            }
        }
        Ok(())
    }
}

fn bound_deliveries(count: usize, limits: &Limits) -> Result<(), Stop> {
    if count as u64 > limits.deliveries {
        return Err(Stop::limit(format!("more than {} deliveries (limit deliveries)", limits.deliveries)));
    }
    Ok(())
}

/// Whether the fragments of results would be as large as the source: then they keep that, instead of being copied.
fn is_worth_the_source(results: &[(Node, Slots)], sketch: &Sketch) -> bool {
    let each_once = results.chunk_by(|left, right| left.0 == right.0).map(|same| sketch.tape().record(same[0].0));
    let elements = each_once.filter(|record| record.kind == Kind::Element);
    let bytes: u64 = elements.map(|record| record.source.1 - record.source.0).sum();
    bytes > sketch.whole().len() as u64
}

/// Whether some of these have work to be done.
fn works(sharing: &Sharing, slots: &Slots) -> bool {
    !sharing.is_empty() && slots.as_slice().iter().any(|&slot| sharing.has(slot))
}
