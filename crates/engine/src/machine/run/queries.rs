//! XQuery at the document's end.

use std::cell::Cell;

use super::super::capture::{CaptureId, Captures};
use super::super::set::{Output, SinkKind};
use super::Runner;
use crate::error::Stop;
use crate::evaluator::EvalError;
use crate::names::Names;
use crate::xquery::{Compiled, Context, ItemKind, Source};

impl Runner<'_> {
    /// Comes last: the items of queries are numbered, not placed, and no element may be taken for one of them.
    pub(super) fn answer_queries(&mut self, names: &Names) -> Result<(), Stop> {
        let set = self.set;
        for (output, subscription) in set.subscriptions.iter().enumerate() {
            if let SinkKind::Query { query } = &subscription.sink {
                self.answer(output as Output, query, subscription.deliver_empty, names)?;
            }
        }
        Ok(())
    }

    fn answer(&mut self, output: Output, query: &Compiled, deliver_empty: bool, names: &Names) -> Result<(), Stop> {
        let run = &*self.run;
        let source = Captured { captures: &run.captures, document: run.document_capture };
        // Each query has a budget of its own: one that uses it up must not cost the others theirs.
        let budget = Cell::new(run.limits.evaluation_steps);
        let context = Context { tape: run.tape.tape(), names, budget: &budget, source: &source };
        let result = query.answer(&context).map_err(|error| EvalError::Invalid(error.to_string()));
        let Some(items) = self.settle_evaluation(output, result)? else { return Ok(()) };
        if !deliver_empty && matches!(items[..], [(ItemKind::Atomic { says_nothing: true }, _)]) {
            return Ok(());
        }
        for (index, (kind, text)) in items.iter().enumerate() {
            self.push(output, kind.fragment(), text, index as u64 + 1)?;
        }
        Ok(())
    }
}

/// The source of the document; nothing for a query that said it would not ask for it.
struct Captured<'r> {
    captures: &'r Captures,
    document: Option<CaptureId>,
}

impl Source for Captured<'_> {
    fn slice(&self, start: u64, end: u64) -> &[u8] {
        self.document.map_or(&[], |capture| self.captures.slice(capture, start, end))
    }

    fn whole(&self) -> &[u8] {
        self.document.map_or(&[], |capture| self.captures.whole(capture))
    }
}
