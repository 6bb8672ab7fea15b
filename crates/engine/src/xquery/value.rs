//! Sequences of items: nodes, of the document or constructed, and atomic values.

use std::rc::Rc;
use std::sync::Arc;

use crate::evaluator::NodeRef;

use super::decimal::Decimal;

/// The document's own tree; those with greater numbers are constructed, in their order.
pub(super) const SOURCE: u32 = 0;

/// A node; the order is document order, constructed trees after the document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Node {
    pub(super) tree: u32,
    pub(super) at: NodeRef,
}

#[derive(Clone, Debug)]
pub(super) enum Atomic {
    String(Arc<str>),
    Untyped(Arc<str>),
    Boolean(bool),
    Integer(i64),
    Decimal(Box<Decimal>),
    Double(f64),
}

#[derive(Clone, Debug)]
pub(super) enum Item {
    Node(Node),
    Atomic(Atomic),
}

/// A sequence; cheap to clone.
#[derive(Clone, Debug)]
pub(super) enum Value {
    Empty,
    One(Item),
    Many(Rc<Vec<Item>>),
}

impl Value {
    pub(super) fn items(&self) -> &[Item] {
        match self {
            Value::Empty => &[],
            Value::One(item) => std::slice::from_ref(item),
            Value::Many(items) => items,
        }
    }

    pub(super) fn into_items(self) -> Vec<Item> {
        match self {
            Value::Empty => Vec::new(),
            Value::One(item) => vec![item],
            Value::Many(items) => Rc::try_unwrap(items).unwrap_or_else(|shared| (*shared).clone()),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.items().len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.items().is_empty()
    }

    pub(super) fn atomic(atomic: Atomic) -> Value {
        Value::One(Item::Atomic(atomic))
    }

    pub(super) fn boolean(value: bool) -> Value {
        Value::atomic(Atomic::Boolean(value))
    }

    pub(super) fn string(text: &str) -> Value {
        Value::atomic(Atomic::String(text.into()))
    }

    pub(super) fn integer(value: usize) -> Value {
        Value::atomic(Atomic::Integer(i64::try_from(value).unwrap_or(i64::MAX)))
    }
}

impl From<Vec<Item>> for Value {
    fn from(mut items: Vec<Item>) -> Value {
        match items.len() {
            0 => Value::Empty,
            1 => items.pop().map_or(Value::Empty, Value::One),
            _ => Value::Many(Rc::new(items)),
        }
    }
}

impl From<Vec<Node>> for Value {
    fn from(nodes: Vec<Node>) -> Value {
        nodes.into_iter().map(Item::Node).collect::<Vec<_>>().into()
    }
}

impl From<Option<Atomic>> for Value {
    fn from(atomic: Option<Atomic>) -> Value {
        atomic.map_or(Value::Empty, Value::atomic)
    }
}
