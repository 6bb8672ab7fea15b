//! Queries of XPath that an index cannot hold: evaluated when their triggers were found.

use std::cell::Cell;

use super::document::Document;
use super::forms::Form;
use super::fragments::Fragments;
use super::messages::{Item, Made, Messages};
use crate::error::Stop;
use crate::evaluator::{self, EvalError, NodeRef, Value};
use crate::index::Slot;
use crate::machine::{Batch, FragmentKind};

impl Messages {
    /// The fragments of a query of XPath; they have their places in the document.
    pub(super) fn verify(&mut self, form: &Form, document: &Document<'_>, batch: &mut Batch) -> Result<Made, Stop> {
        let budget = Cell::new(document.limits.evaluation_steps);
        let context = evaluator::Context::at(document.seen.tape(), document.names, NodeRef::new(0), &budget);
        let first = self.items.len() as u32;
        let outcome = match form {
            Form::Nodes(expr) => expr.evaluate(&context).map(|value| {
                let mut fragments = Fragments::new(document.seen, document.names, None);
                for node in if let Value::Nodes(nodes) = value { nodes } else { Vec::new() } {
                    let offset = document.seen.tape().record(node.node).source.0;
                    let fragment = fragments.numbered(node, offset, batch);
                    self.items.push(Item { fragment, says_nothing: false });
                }
            }),
            Form::Truth(expr) => expr.is_true(&context).map(|truth| {
                // A subscription that wants to hear of `false` has no trigger.
                if truth {
                    let fragment = batch.add(FragmentKind::Atomic, 0, |out| out.extend_from_slice(b"true"));
                    self.items.push(Item { fragment, says_nothing: false });
                }
            }),
            Form::Bindings(_) | Form::Query(_) => Ok(()),
        };
        match outcome {
            Ok(()) => Ok(Made::Items(first, self.items.len() as u32)),
            Err(EvalError::OutOfSteps) => Err(EvalError::OutOfSteps.into()),
            Err(error) => Ok(self.keep(Err(error), batch)),
        }
    }

    pub(super) fn push_placed(&self, slot: Slot, made: Made, batch: &mut Batch) {
        match made {
            Made::Items(first, end) => {
                let items = &self.items[first as usize..end as usize];
                batch.deliveries.extend(items.iter().map(|item| (slot, item.fragment)));
            }
            Made::Failed(failure) => batch.errors.push((slot, self.failures[failure as usize].clone())),
        }
    }
}
