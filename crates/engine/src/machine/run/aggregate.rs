//! Values taken in one by one.

use super::super::program::AggregateFunction;

#[derive(Clone, Copy, Default)]
pub struct Aggregate {
    count: u64,
    sum: f64,
    extreme: Option<f64>,
}

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
