//! Values taken in one by one.

use super::super::program::AggregateFunction;

#[derive(Clone, Default)]
pub struct Aggregate {
    count: u64,
    sum: f64,
    extreme: Option<f64>,
    /// Values and their places, of which some may have to be added after others that are still open: sums of fractions
    /// depend on the order.
    early: Vec<(u64, f64)>,
    /// How many of them were left when they were last sorted.
    left: usize,
}

/// Fewer early values than this are not worth being sorted.
const FEW: usize = 64;

impl Aggregate {
    pub(super) fn take(&mut self, function: AggregateFunction, value: f64) {
        self.count += 1;
        self.sum += value;
        let better = |best: f64| match function {
            AggregateFunction::Min => value < best,
            _ => value > best,
        };
        if value.is_nan() || self.extreme.is_none_or(|best| !best.is_nan() && better(best)) {
            self.extreme = Some(value);
        }
    }

    /// Takes a value of which only the number matters.
    pub(super) fn count_one(&mut self) {
        self.count += 1;
    }

    /// Keeps a value until all before it in the document are known. Whether it is time to look how far they are.
    pub(super) fn keep(&mut self, rank: u64, value: f64) -> bool {
        self.early.push((rank, value));
        self.early.len() >= FEW.max(2 * self.left)
    }

    /// Takes the values that were kept, in the document's order: those before `open_from`, or all. How many.
    pub(super) fn take_kept(&mut self, function: AggregateFunction, open_from: Option<u64>) -> usize {
        let mut early = std::mem::take(&mut self.early);
        early.sort_by_key(|&(rank, _)| rank);
        let certain = open_from.map_or(early.len(), |open| early.partition_point(|&(rank, _)| rank < open));
        for (_, value) in early.drain(..certain) {
            self.take(function, value);
        }
        self.left = early.len();
        self.early = early;
        certain
    }

    /// How many values it has taken.
    pub(super) fn count(&self) -> u64 {
        self.count
    }

    pub(super) fn value(&self, function: AggregateFunction) -> Option<f64> {
        match function {
            AggregateFunction::Count => Some(self.count as f64),
            AggregateFunction::Sum => Some(self.sum),
            AggregateFunction::Avg => (self.count > 0).then(|| self.sum / self.count as f64),
            AggregateFunction::Min | AggregateFunction::Max => self.extreme,
        }
    }
}
