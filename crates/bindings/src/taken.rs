//! The results of a document together with those who get them, so that the subscriptions may change meanwhile.

use std::collections::BTreeMap;

use penstock_engine::machine::Batch;
use penstock_engine::registry::Registry;
use rustc_hash::FxHashMap;

use crate::taker::Taker;

/// Results, in document order, whose outputs are places in the list of takers, which has the oldest first.
pub struct Taken {
    pub batch: Batch,
    pub takers: Vec<Taker>,
}

impl Taken {
    pub fn new(registry: &Registry, mut batch: Batch) -> Taken {
        batch.explode();
        let Batch { deliveries, errors, fragments, .. } = &mut batch;
        let failed: Vec<u32> = errors.iter().map(|(slot, _)| *slot).collect();
        if !failed.is_empty() {
            deliveries.retain(|(slot, _)| !failed.contains(slot));
        }
        let mut slots = failed;
        for &(slot, _) in deliveries.iter() {
            // Many results in a row may be one subscription's.
            if slots.last() != Some(&slot) {
                slots.push(slot);
            }
        }
        slots.sort_unstable();
        slots.dedup();
        let mut by_age: Vec<(u64, u32)> = slots.into_iter().map(|slot| (registry.sequence(slot), slot)).collect();
        by_age.sort_unstable();
        let places = by_age.iter().enumerate().map(|(place, &(_, slot))| (slot, place as u32));
        let places: FxHashMap<u32, u32> = places.collect();
        let mut last = (u32::MAX, 0);
        let mut place = |slot: &mut u32| {
            if *slot != last.0 {
                last = (*slot, places.get(slot).copied().unwrap_or_default());
            }
            *slot = last.1;
        };
        deliveries.iter_mut().for_each(|(slot, _)| place(slot));
        errors.iter_mut().for_each(|(slot, _)| place(slot));
        let order = |&(taker, fragment): &(u32, u32)| (fragments[fragment as usize].rank(), taker);
        if !deliveries.is_sorted_by_key(order) {
            deliveries.sort_by_cached_key(order);
        }
        let taker = |&(_, slot): &(u64, u32)| {
            let row = registry.row(slot);
            row.map_or_else(
                || Taker::new("", None, false),
                |row| Taker::new(row.id, row.subscriber, row.options & 1 == 1),
            )
        };
        Taken { takers: by_age.iter().map(taker).collect(), batch }
    }

    /// Failed evaluations by subscription.
    pub fn failures(&self) -> Vec<(String, String)> {
        let id = |taker: u32| self.takers[taker as usize].id.as_str().to_owned();
        self.batch.errors.iter().map(|(taker, message)| (id(*taker), message.clone())).collect()
    }

    /// What is joined to one delivery a document: taker, place and text.
    pub fn joined(&self) -> Vec<(u32, u64, String)> {
        let mut joined: BTreeMap<u32, (u64, String)> = BTreeMap::new();
        if !self.takers.iter().any(|taker| taker.joins) {
            return Vec::new();
        }
        for &(taker, index) in self.batch.deliveries.iter().filter(|(taker, _)| self.takers[*taker as usize].joins) {
            let offset = self.batch.fragments[index as usize].offset;
            let (_, whole) = joined.entry(taker).or_insert_with(|| (offset, String::new()));
            whole.push_str(&self.batch.text(index as usize));
        }
        joined.into_iter().map(|(taker, (sequence, text))| (taker, sequence, text)).collect()
    }
}
