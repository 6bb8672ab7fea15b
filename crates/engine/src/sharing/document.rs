//! A document that has ended.

use std::cell::Cell;

use crate::evaluator::EvalError;
use crate::index::Seen;
use crate::limits::Limits;
use crate::names::Names;
use crate::xquery::{Context, Items, Source};

/// What messages are made of.
#[derive(Clone, Copy)]
pub struct Document<'a> {
    pub seen: Seen<'a>,
    pub names: &'a Names,
    pub limits: &'a Limits,
}

impl Document<'_> {
    /// Each query has a budget of its own: one that uses it up must not cost the others theirs.
    pub(super) fn evaluate(
        &self,
        evaluate: impl FnOnce(&Context<'_>) -> Result<Items, EvalError>,
    ) -> Result<Items, EvalError> {
        let budget = Cell::new(self.limits.evaluation_steps);
        evaluate(&self.context(&budget))
    }

    pub(super) fn context<'c>(&'c self, budget: &'c Cell<u64>) -> Context<'c> {
        let source: &dyn Source = &self.seen;
        Context { tape: self.seen.tape(), names: self.names, budget, source }
    }
}
