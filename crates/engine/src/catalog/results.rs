//! What the index has found in a document, for those who get it.

use super::{Catalog, DocumentWorker, Findings};
use crate::error::Stop;
use crate::index::{Given, Results, Seen};
use crate::limits::Limits;
use crate::lists::as_growing;
use crate::machine::Batch;
use crate::sharing::{Document, Fragments, Selected, Sharing};
use crate::tape::Kind;

/// A document up to this size is kept by what was found in it.
const SMALL: u64 = 64 << 10;

/// A larger one is kept if results come to more than this part of it: few of them must not hold on to much else.
const PART: u64 = 8;

impl DocumentWorker {
    /// Adds what the index found. What may be made later is left so if it `may_wait`.
    pub(super) fn add_results(
        &mut self,
        catalog: &Catalog,
        in_place: Option<&[u8]>,
        may_wait: bool,
        found: &mut Findings,
    ) -> Result<(), Stop> {
        let Findings { batch, unmade } = found;
        let DocumentWorker { matching, reader, scopes, messages, limits, .. } = self;
        let (sharing, names) = (&catalog.sharing, reader.names());
        let (results, seen) = matching.results(in_place);
        let is_worth_it = is_worth_the_source(results, seen, in_place.is_some());
        let mut fragments = Fragments::new(seen, names, Some(scopes)).lying_in_source(is_worth_it);
        let mut selected = Selected::default();
        batch.fragments.reserve(results.given.len());
        let mut rest = &results.given[..];
        while let [(node, given), others @ ..] = rest {
            // Those of one node are found together; a list for each of many nodes is what whole documents give.
            if sharing.is_empty() && !matches!(others, [(other, _), ..] if other == node) {
                let shared = fragments.share(rest, batch);
                if shared > 0 {
                    rest = &rest[shared..];
                    continue;
                }
            }
            rest = others;
            let node = *node;
            if works(sharing, results, given) {
                for &slot in results.slots(given) {
                    if may_wait && sharing.may_wait(slot) {
                        unmade.add(slot, node);
                    } else if sharing.has(slot) {
                        selected.add(slot, &[node]);
                    } else {
                        let fragment = fragments.of(node, batch);
                        batch.deliveries.push((slot, fragment));
                    }
                }
                continue;
            }
            let fragment = fragments.of(node, batch);
            match *given {
                Given::One(slot) => batch.deliveries.push((slot, fragment)),
                Given::All(list, count) => batch.share(list, count as usize, fragment),
            }
        }
        bound_deliveries(batch.count(), limits)?;
        batch.lists = std::mem::take(&mut results.lists);
        if !selected.is_empty() {
            let document = Document { seen, names, limits };
            messages.begin();
            for (slot, nodes) in selected.sorted().iter() {
                messages.deliver(sharing, slot, nodes, &document, batch)?;
            }
        }
        bound_deliveries(batch.deliveries.len(), limits)
    }

    /// Adds the subscriptions that get something; only those messages are made without which this is not known.
    pub(super) fn add_matches(
        &mut self,
        catalog: &Catalog,
        in_place: Option<&[u8]>,
        batch: &mut Batch,
    ) -> Result<(), Stop> {
        let DocumentWorker { matching, reader, messages, limits, matched, .. } = self;
        let sharing = &catalog.sharing;
        let (results, seen) = matching.results(in_place);
        let mut selected = Selected::default();
        // Many nodes have the same list.
        let mut known: [Vec<bool>; 2] = Default::default();
        for (node, given) in &results.given {
            let slots = results.slots(given);
            if !works(sharing, results, given) {
                if !is_known(given, &mut known) {
                    slots.iter().for_each(|&slot| matched.add(slot));
                }
                continue;
            }
            for &slot in slots {
                if sharing.has(slot) && !sharing.may_wait(slot) {
                    selected.add(slot, &[*node]);
                } else {
                    matched.add(slot);
                }
            }
        }
        if selected.is_empty() {
            return Ok(());
        }
        let document = Document { seen, names: reader.names(), limits };
        messages.begin();
        for (slot, nodes) in selected.sorted().iter() {
            if messages.surely_delivers(sharing, slot, nodes, &document) {
                matched.add(slot);
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

/// Whether results keep the source, instead of copying their fragments: the document as it came or, if they would be as large
/// as that, the copy of it.
fn is_worth_the_source(results: &Results, seen: Seen<'_>, is_in_place: bool) -> bool {
    let whole = seen.whole().len() as u64;
    if is_in_place && whole <= SMALL {
        return true;
    }
    let enough = if is_in_place { whole / PART } else { whole };
    let each_once = results.given.chunk_by(|left, right| left.0 == right.0);
    let elements = each_once.map(|same| seen.tape().record(same[0].0)).filter(|record| record.kind == Kind::Element);
    let mut bytes = elements.scan(0, |bytes, record| {
        *bytes += record.source.1 - record.source.0;
        Some(*bytes)
    });
    bytes.any(|bytes| bytes > enough)
}

/// Whether some of those who get something have work to be done.
fn works(sharing: &Sharing, results: &Results, given: &Given) -> bool {
    !sharing.is_empty() && results.slots(given).iter().any(|&slot| sharing.has(slot))
}

/// Whether these have been met before, as far as that is easy to tell; now they have.
fn is_known(given: &Given, known: &mut [Vec<bool>; 2]) -> bool {
    let Given::All(list, _) = *given else { return false };
    let Some((which, place)) = as_growing(list) else { return false };
    if known[which].len() <= place {
        known[which].resize(place + 1, false);
    }
    std::mem::replace(&mut known[which][place], true)
}
