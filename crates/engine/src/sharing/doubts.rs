//! Values that patterns compare as numbers, and that may be none to XQuery, or others.

use super::document::Document;
use super::forms::{compiled, Bindings, Entry, FormId};
use super::messages::Messages;
use super::Sharing;
use crate::error::Stop;
use crate::evaluator::{self, EvalError};
use crate::index::Slot;
use crate::machine::Batch;
use crate::tape::Node;
use crate::xquery::Compiled;

impl Messages {
    /// Whether a value that the pattern compared as a number may mean another number, or none, to XQuery.
    pub(super) fn is_doubtful(
        &mut self,
        form: FormId,
        bindings: &Bindings,
        nodes: &[Node],
        document: &Document<'_>,
    ) -> bool {
        nodes.iter().any(|&node| {
            *self
                .doubts
                .entry((form, node))
                .or_insert_with(|| bindings.doubts.iter().any(|path| is_doubtful(path, node, document).unwrap_or(true)))
        })
    }

    pub(super) fn deliver_residual(
        &mut self,
        sharing: &Sharing,
        slot: Slot,
        entry: &Entry,
        nodes: &[Node],
        document: &Document<'_>,
        batch: &mut Batch,
    ) -> Result<(), Stop> {
        let Some(residual) = sharing.residuals.get(&slot) else { return Ok(()) };
        let made = match compiled(residual) {
            Ok(query) => self.keep(document.evaluate(|context| query.answer_for(nodes, context)), batch),
            Err(error) => self.keep(Err(EvalError::Invalid(error)), batch),
        };
        self.push(slot, &[made], entry.deliver_empty, batch);
        Ok(())
    }
}

/// Whether some value of a path is no plain numeral. Those have the same value in XPath 1.0 and in XQuery.
fn is_doubtful(path: &Compiled, node: Node, document: &Document<'_>) -> Result<bool, EvalError> {
    let values = document.evaluate(|context| path.answer_for(&[node], context))?;
    Ok(values.iter().any(|(_, text)| evaluator::string_to_number(text).is_nan()))
}
