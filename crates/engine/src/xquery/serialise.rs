//! Results as text: constructed nodes written out, the document's own bytes where content was copied from it.

use std::rc::Rc;
use std::sync::Arc;

use crate::evaluator::NodeKind;
use crate::fragment;
use crate::machine::FragmentKind;

use super::built::{Built, Element, Piece};
use super::run::Run;
use super::value::{Atomic, Item, Node, SOURCE};

/// The expanded source of the document.
pub trait Source {
    /// The bytes between two offsets.
    fn slice(&self, start: u64, end: u64) -> &[u8];

    fn whole(&self) -> &[u8];
}

/// What an item is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ItemKind {
    Node(NodeKind),
    /// `says_nothing`: it is `false` or the empty string.
    Atomic {
        says_nothing: bool,
    },
}

impl ItemKind {
    /// What it is to those who get it.
    pub fn fragment(self) -> FragmentKind {
        match self {
            ItemKind::Atomic { .. } => FragmentKind::Atomic,
            ItemKind::Node(NodeKind::Element) => FragmentKind::Element,
            ItemKind::Node(NodeKind::Attribute | NodeKind::Namespace) => FragmentKind::Attribute,
            ItemKind::Node(NodeKind::Text) => FragmentKind::Text,
            ItemKind::Node(NodeKind::Comment) => FragmentKind::Comment,
            ItemKind::Node(NodeKind::Instruction) => FragmentKind::Instruction,
            ItemKind::Node(NodeKind::Document) => FragmentKind::Document,
        }
    }
}

/// Prefixes and namespaces that are declared around a place, innermost last.
pub(crate) type Scope = Vec<(Arc<str>, Arc<str>)>;

pub(super) struct Serialiser<'r, 'a> {
    pub(super) run: &'r Run<'a>,
    pub(super) source: &'r dyn Source,
}

impl Serialiser<'_, '_> {
    /// How many bytes an item takes, roughly.
    pub(super) fn weight(&self, item: &Item) -> u64 {
        match item {
            Item::Atomic(atomic) => atomic.as_text().map_or(8, str::len) as u64,
            Item::Node(node) if node.tree == SOURCE => {
                let (start, end) = self.run.source.tape.record(node.at.node).source;
                end.saturating_sub(start)
            }
            Item::Node(node) => match self.run.origin(*node) {
                Some(Piece::Built(built)) => built.size().weight,
                Some(Piece::Source(_)) | None => 8,
            },
        }
    }

    /// Writes an item so that it stands alone.
    pub(super) fn item(&self, item: &Item, out: &mut String) -> ItemKind {
        match item {
            Item::Atomic(atomic) => {
                out.push_str(&atomic.to_text());
                let says_nothing = match atomic {
                    Atomic::Boolean(value) => !value,
                    other => other.as_text().is_some_and(str::is_empty),
                };
                ItemKind::Atomic { says_nothing }
            }
            Item::Node(node) => {
                let kind = self.run.kind(*node);
                self.node(*node, kind, out);
                ItemKind::Node(kind)
            }
        }
    }

    fn node(&self, node: Node, kind: NodeKind, out: &mut String) {
        match kind {
            NodeKind::Document if node.tree == SOURCE => fragment::document(self.source.whole(), out),
            NodeKind::Element | NodeKind::Document | NodeKind::Comment | NodeKind::Instruction => {
                if let Some(piece) = self.run.copied(node) {
                    self.piece(&piece, &mut Vec::new(), out);
                }
            }
            NodeKind::Attribute | NodeKind::Text | NodeKind::Namespace => out.push_str(&self.run.string_value(node)),
        }
    }

    fn piece(&self, piece: &Piece, scope: &mut Scope, out: &mut String) {
        match piece {
            Piece::Source(node) => {
                let record = self.run.source.tape.record(*node);
                let raw = self.source.slice(record.source.0, record.source.1);
                let names = self.run.source.names;
                if scope.is_empty() && !names.declares(record.namespaces) {
                    out.push_str(&String::from_utf8_lossy(raw));
                } else {
                    fragment::within(raw, record.namespaces, names, |prefix| bound(scope, prefix), out);
                }
            }
            Piece::Built(built) => self.built(built, scope, out),
        }
    }

    fn built(&self, built: &Rc<Built>, scope: &mut Scope, out: &mut String) {
        match &**built {
            Built::Element(element) => self.element(element, scope, out),
            Built::Document(content, _) => content.iter().for_each(|piece| self.piece(piece, scope, out)),
            Built::Text(text) => fragment::escape_text(text, out),
            Built::Comment(text) => fragment::comment(text, out),
            Built::Instruction(target, text) => fragment::instruction(target, text, out),
            Built::Attribute(_, value) => out.push_str(value),
        }
    }

    fn element(&self, element: &Element, scope: &mut Scope, out: &mut String) {
        let outer = scope.len();
        for (prefix, uri) in &element.namespaces {
            declare(scope, outer, prefix, uri);
        }
        let prefix = bind(scope, outer, &element.name.prefix, &element.name.uri, false);
        let attributes: Vec<_> = element
            .attributes
            .iter()
            .map(|(name, value)| (bind(scope, outer, &name.prefix, &name.uri, true), &name.local, value))
            .collect();
        out.push('<');
        push_name(&prefix, &element.name.local, out);
        for (prefix, uri) in &scope[outer..] {
            fragment::declare(prefix, uri, out);
        }
        for (prefix, local, value) in attributes {
            out.push(' ');
            push_name(&prefix, local, out);
            out.push_str("=\"");
            fragment::escape_attribute(value, out);
            out.push('"');
        }
        if element.content.is_empty() {
            out.push_str("/>");
        } else {
            out.push('>');
            element.content.iter().for_each(|piece| self.piece(piece, scope, out));
            out.push_str("</");
            push_name(&prefix, &element.name.local, out);
            out.push('>');
        }
        scope.truncate(outer);
    }
}

pub(crate) fn push_name(prefix: &str, local: &str, out: &mut String) {
    if !prefix.is_empty() {
        out.push_str(prefix);
        out.push(':');
    }
    out.push_str(local);
}

/// The namespace of a prefix; an empty one undeclares it.
pub(crate) fn bound<'s>(scope: &'s Scope, prefix: &str) -> Option<&'s str> {
    scope.iter().rev().find(|(known, _)| &**known == prefix).map(|(_, uri)| &**uri)
}

pub(crate) fn declare(scope: &mut Scope, outer: usize, prefix: &Arc<str>, uri: &Arc<str>) {
    let undeclares_nothing = uri.is_empty() && bound(scope, prefix).is_none_or(str::is_empty);
    let is_new = !scope[outer..].iter().any(|(known, _)| known == prefix);
    if is_new && bound(scope, prefix) != Some(uri) && !undeclares_nothing && &**prefix != "xml" {
        scope.push((Arc::clone(prefix), Arc::clone(uri)));
    }
}

/// The prefix for a name on an element, declared there if need be: the one it would like, else one that is bound to
/// its namespace already, else a new one. Only elements may go without.
pub(crate) fn bind(scope: &mut Scope, outer: usize, wanted: &Arc<str>, uri: &Arc<str>, attribute: bool) -> Arc<str> {
    if uri.is_empty() {
        if !attribute {
            declare(scope, outer, &Arc::from(""), uri);
        }
        return Arc::from("");
    }
    if &**wanted == "xml" {
        return Arc::clone(wanted);
    }
    let may_be_used = !wanted.is_empty() || !attribute;
    if may_be_used {
        declare(scope, outer, wanted, uri);
        if bound(scope, wanted) == Some(uri) {
            return Arc::clone(wanted);
        }
    }
    let known = scope.iter().rev().find(|(prefix, known)| known == uri && (!attribute || !prefix.is_empty()));
    if let Some(prefix) = known.map(|(prefix, _)| Arc::clone(prefix)).filter(|prefix| bound(scope, prefix) == Some(uri))
    {
        return prefix;
    }
    let stem = if wanted.is_empty() { "ns" } else { wanted };
    let mut number = 1;
    loop {
        let prefix: Arc<str> = format!("{stem}_{number}").into();
        if bound(scope, &prefix).is_none() {
            scope.push((Arc::clone(&prefix), Arc::clone(uri)));
            return prefix;
        }
        number += 1;
    }
}
