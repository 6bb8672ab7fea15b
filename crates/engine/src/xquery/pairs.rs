//! General comparisons: is there a pair of items that passes?

use crate::evaluator::{NodeKind, BYTES_PER_STEP};
use crate::ir::Comparison;

use super::compare::{general, text_passes};
use super::error::Result;
use super::run::Run;
use super::value::{Atomic, Item, Value, SOURCE};

impl Run<'_> {
    pub(super) fn some_pair(&self, comparison: Comparison, left: &Value, right: &Value) -> Result<bool> {
        // Values are made of the shorter side once; those of the other one by one, as long as none has passed.
        if left.len() < right.len() {
            self.some_against(mirrored(comparison), right, left)
        } else {
            self.some_against(comparison, left, right)
        }
    }

    fn some_against(&self, comparison: Comparison, items: &Value, others: &Value) -> Result<bool> {
        let others: Vec<Atomic> = others.items().iter().map(|item| self.atomized(item)).collect();
        for item in items.items() {
            self.charge(1 + others.len() as u64)?;
            let atomic = match self.document_text(item) {
                Some(text) if others.iter().all(|other| other.as_text().is_some()) => {
                    let mut texts = others.iter().filter_map(Atomic::as_text);
                    if texts.any(|other| text_passes(comparison, text, other)) {
                        return Ok(true);
                    }
                    continue;
                }
                _ => self.atomized(item),
            };
            self.charge(atomic.as_text().map_or(0, str::len) as u64 / BYTES_PER_STEP)?;
            for other in &others {
                if general(comparison, &atomic, other)? {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// The untyped value of a node of the document, which costs nothing: it is a slice of the tape.
    fn document_text(&self, item: &Item) -> Option<&str> {
        match item {
            Item::Node(node) if node.tree == SOURCE => match self.kind(*node) {
                NodeKind::Comment | NodeKind::Instruction => None,
                _ => Some(self.source.tape.string_value(node.at.node)),
            },
            _ => None,
        }
    }
}

/// The comparison that says the same with its sides changed.
fn mirrored(comparison: Comparison) -> Comparison {
    match comparison {
        Comparison::Eq => Comparison::Eq,
        Comparison::Ne => Comparison::Ne,
        Comparison::Lt => Comparison::Gt,
        Comparison::Le => Comparison::Ge,
        Comparison::Gt => Comparison::Lt,
        Comparison::Ge => Comparison::Le,
    }
}
