//! The results of a document together with those who get them, so that the subscriptions may change meanwhile.

use std::collections::BTreeMap;

use penstock_engine::machine::Batch;
use penstock_engine::registry::Registry;
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::delivered::Target;

/// Whom results are for.
pub struct Taker {
    pub id: String,
    pub subscriber: Option<String>,
    /// Gets the results of a document as one.
    pub joins: bool,
}

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
        let mut slots: Vec<u32> = deliveries.iter().map(|(slot, _)| *slot).chain(failed).collect();
        slots.sort_unstable();
        slots.dedup();
        let mut by_age: Vec<(u64, u32)> = slots.iter().map(|&slot| (registry.sequence(slot), slot)).collect();
        by_age.sort_unstable();
        let mut places: Vec<u32> = vec![0; slots.len()];
        for (place, (_, slot)) in by_age.iter().enumerate() {
            if let Ok(found) = slots.binary_search(slot) {
                places[found] = place as u32;
            }
        }
        let place = |slot: u32| slots.binary_search(&slot).map_or(0, |found| places[found]);
        deliveries.iter_mut().for_each(|(slot, _)| *slot = place(*slot));
        errors.iter_mut().for_each(|(slot, _)| *slot = place(*slot));
        deliveries.sort_by_key(|&(taker, fragment)| (fragments[fragment as usize].rank(), taker));
        let taker = |&(_, slot): &(u64, u32)| {
            let row = registry.row(slot);
            Taker {
                id: row.map_or_else(String::new, |row| row.id.to_owned()),
                subscriber: row.and_then(|row| row.subscriber).map(str::to_owned),
                joins: row.is_some_and(|row| row.options & 1 == 1),
            }
        };
        Taken { takers: by_age.iter().map(taker).collect(), batch }
    }

    /// Failed evaluations by subscription.
    pub fn failures(&self) -> Vec<(String, String)> {
        let id = |taker: u32| self.takers[taker as usize].id.clone();
        self.batch.errors.iter().map(|(taker, message)| (id(*taker), message.clone())).collect()
    }

    /// What is joined to one delivery a document: taker, place and text.
    pub fn joined(&self) -> Vec<(u32, u64, String)> {
        let mut joined: BTreeMap<u32, (u64, String)> = BTreeMap::new();
        for &(taker, index) in self.batch.deliveries.iter().filter(|(taker, _)| self.takers[*taker as usize].joins) {
            let offset = self.batch.fragments[index as usize].offset;
            let (_, whole) = joined.entry(taker).or_insert_with(|| (offset, String::new()));
            whole.push_str(&self.batch.text(index as usize));
        }
        joined.into_iter().map(|(taker, (sequence, text))| (taker, sequence, text)).collect()
    }

    pub fn targets(&self, py: Python<'_>) -> Vec<Target> {
        let string = |text: &String| PyString::new(py, text).unbind();
        self.takers.iter().map(|taker| Target(string(&taker.id), taker.subscriber.as_ref().map(string))).collect()
    }
}
