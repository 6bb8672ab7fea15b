//! What an expression gives, and XPath's conversions between the kinds of value.

use crate::names::Names;
use crate::tape::{Kind, Node, Tape};

use super::numbers::{number_to_string, string_to_number};

/// A node of the tape, or one of the namespace nodes of an element, which are not written on it.
///
/// The order is document order: an element, its namespace nodes, its attributes, its content.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeRef {
    pub node: Node,
    /// 0 is the node itself, `n` its n-th namespace in scope.
    pub namespace: u32,
}

impl NodeRef {
    #[inline]
    pub fn new(node: Node) -> NodeRef {
        NodeRef { node, namespace: 0 }
    }

    #[inline]
    pub fn is_namespace(self) -> bool {
        self.namespace != 0
    }
}

/// The kinds of node that XPath knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeKind {
    Document,
    Element,
    Attribute,
    Text,
    Comment,
    Instruction,
    Namespace,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// In document order, each once.
    Nodes(Vec<NodeRef>),
    Boolean(bool),
    Number(f64),
    String(String),
}

impl Value {
    pub fn to_boolean(&self) -> bool {
        match self {
            Value::Nodes(nodes) => !nodes.is_empty(),
            Value::Boolean(value) => *value,
            Value::Number(value) => number_to_boolean(*value),
            Value::String(value) => !value.is_empty(),
        }
    }

    pub fn to_number(&self, tape: &Tape, names: &Names) -> f64 {
        match self {
            Value::Nodes(nodes) => nodes.first().map_or(f64::NAN, |&node| node_number(tape, names, node)),
            Value::Boolean(value) => boolean_to_number(*value),
            Value::Number(value) => *value,
            Value::String(value) => string_to_number(value),
        }
    }

    pub fn to_string(&self, tape: &Tape, names: &Names) -> String {
        match self {
            Value::Nodes(nodes) => nodes.first().map_or("", |&node| string_value(tape, names, node)).to_owned(),
            Value::Boolean(value) => value.to_string(),
            Value::Number(value) => number_to_string(*value),
            Value::String(value) => value.clone(),
        }
    }
}

pub(super) fn boolean_to_number(value: bool) -> f64 {
    f64::from(u8::from(value))
}

pub(super) fn number_to_boolean(value: f64) -> bool {
    value != 0.0 && !value.is_nan()
}

pub fn node_kind(tape: &Tape, node: NodeRef) -> NodeKind {
    if node.is_namespace() {
        return NodeKind::Namespace;
    }
    match tape.record(node.node).kind {
        Kind::Document => NodeKind::Document,
        Kind::Element => NodeKind::Element,
        Kind::Attribute => NodeKind::Attribute,
        Kind::Text => NodeKind::Text,
        Kind::Comment => NodeKind::Comment,
        Kind::Instruction => NodeKind::Instruction,
    }
}

/// The string value of a node. Costs nothing: it is a slice of the tape.
#[inline]
pub fn string_value<'a>(tape: &'a Tape, names: &'a Names, node: NodeRef) -> &'a str {
    match namespace_binding(tape, names, node) {
        Some((_, uri)) => uri,
        None => tape.string_value(node.node),
    }
}

/// Prefix and URI of a namespace node.
#[inline]
pub(super) fn namespace_binding<'a>(tape: &Tape, names: &'a Names, node: NodeRef) -> Option<(&'a str, &'a str)> {
    let index = node.namespace.checked_sub(1)?;
    names.in_scope(tape.record(node.node).namespaces).nth(index as usize)
}

pub(super) fn node_number(tape: &Tape, names: &Names, node: NodeRef) -> f64 {
    string_to_number(string_value(tape, names, node))
}
