//! The value of an expression, taken apart for a template that is filled in elsewhere.

use crate::tape::Node as SourceNode;

use super::compile::Compiled;
use super::run::Run;
use super::value::{Item, SOURCE};
use super::Context;

/// What can be filled in as it is.
pub(crate) enum HoleItem {
    /// A node of the document.
    Node(SourceNode),
    Value(Box<str>),
}

impl Compiled {
    /// Adds the items for a node; None if the expression fails, or an item is a node of its own making.
    pub(crate) fn hole_items(&self, node: SourceNode, context: &Context<'_>, items: &mut Vec<HoleItem>) -> Option<()> {
        let run = Run::new(self, context.tape, context.names, context.budget);
        run.set(0, super::value_of(&[node]));
        let before = items.len();
        let value = run.answer().ok()?;
        for item in value.items() {
            items.push(match item {
                Item::Atomic(atomic) => HoleItem::Value(atomic.to_text().as_ref().into()),
                Item::Node(node) if node.tree == SOURCE => HoleItem::Node(node.at.node),
                Item::Node(_) => {
                    items.truncate(before);
                    return None;
                }
            });
        }
        Some(())
    }
}
