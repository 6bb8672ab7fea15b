//! Batches of results as Python data.

use penstock_engine::machine::Batch;

/// kind, text, offset
type Fragment = (&'static str, String, u64);
/// subscription's number, fragment's number
type Delivery = (u32, u32);
/// subscription's number, message
type Failed = (u32, String);

pub type Results = (Vec<Fragment>, Vec<Delivery>, Vec<Failed>);

/// Each distinct fragment once, then who gets which, in document order.
pub fn in_document_order(batch: Batch) -> Results {
    let (fragments, mut deliveries, errors) = as_emitted(batch);
    deliveries.sort_by_key(|&(output, fragment)| (fragments[fragment as usize].2, output));
    (fragments, deliveries, errors)
}

pub fn as_emitted(batch: Batch) -> Results {
    let fragments = batch.fragments.into_iter().map(|one| (one.kind.as_str(), one.text, one.offset)).collect();
    (fragments, batch.deliveries, batch.errors)
}
