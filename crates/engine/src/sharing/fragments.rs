//! Nodes of the document as fragments.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::evaluator::{node_kind, string_value, NodeKind, NodeRef};
use crate::fragment::{self, Scope};
use crate::index::Seen;
use crate::machine::{Batch, FragmentKind, ScopeNumber};
use crate::names::{Names, NsId};
use crate::tape::{Kind, Node};

/// Makes the fragment of each node once.
pub struct Fragments<'a> {
    seen: Seen<'a>,
    names: &'a Names,
    /// Who is to know the namespaces of elements: they get their declarations only when someone asks for their texts.
    scopes: Option<&'a mut Scopes>,
    /// Elements are not copied: the batch will get the source.
    lie_in_source: bool,
    last: Option<(NodeRef, u32)>,
    /// The last namespaces, and what the batch knows them by.
    scope: Option<(NsId, ScopeNumber)>,
}

/// Scopes that fragments were given; those of a feed are mostly the same.
#[derive(Default)]
pub struct Scopes {
    known: FxHashMap<NsId, Arc<Scope>>,
    /// Of the names whose scopes are known.
    generation: u64,
}

impl Scopes {
    fn get(&mut self, namespaces: NsId, names: &Names) -> &Arc<Scope> {
        if self.generation != names.generation() {
            self.known.clear();
            self.generation = names.generation();
        }
        self.known.entry(namespaces).or_insert_with(|| Arc::new(Scope::of(namespaces, names)))
    }
}

impl<'a> Fragments<'a> {
    pub fn new(seen: Seen<'a>, names: &'a Names, scopes: Option<&'a mut Scopes>) -> Fragments<'a> {
        Fragments { seen, names, scopes, lie_in_source: false, last: None, scope: None }
    }

    /// The batch will get the source of the document, and elements lie in that.
    pub fn lying_in_source(self, lie_in_source: bool) -> Fragments<'a> {
        Fragments { lie_in_source, ..self }
    }

    /// Nodes come in groups: who asks for the last one again gets the same.
    #[inline]
    pub fn of(&mut self, node: NodeRef, batch: &mut Batch) -> u32 {
        match self.last {
            Some((last, fragment)) if last == node => fragment,
            _ => {
                let record = self.seen.tape().record(node.node);
                let (offset, is_element) = (record.source.0, record.kind == Kind::Element && !node.is_namespace());
                let fragment = if is_element {
                    self.element(node.node, offset, batch)
                } else {
                    self.numbered(node, offset, batch)
                };
                self.last = Some((node, fragment));
                fragment
            }
        }
    }

    #[inline(always)]
    fn element(&mut self, node: Node, offset: u64, batch: &mut Batch) -> u32 {
        let record = self.seen.tape().record(node);
        let scope = match self.scope {
            _ if !self.names.declares(record.namespaces) => None,
            Some((namespaces, scope)) if namespaces == record.namespaces => Some(scope),
            _ => match self.enter_scope(record.namespaces, batch) {
                None => return self.written(node, offset, batch),
                entered => entered,
            },
        };
        if self.lie_in_source {
            batch.add_part(record.source, scope)
        } else {
            batch.add_element(offset, self.seen.source(node), scope)
        }
    }

    /// Gives the batch the namespaces of an element, if someone is to know them; most elements have those of the last one.
    #[inline(never)]
    fn enter_scope(&mut self, namespaces: NsId, batch: &mut Batch) -> Option<ScopeNumber> {
        let scope = batch.add_scope(self.scopes.as_mut()?.get(namespaces, self.names))?;
        self.scope = Some((namespaces, scope));
        Some(scope)
    }

    /// An element with the declarations that it needs to stand alone.
    #[inline(never)]
    fn written(&self, node: Node, offset: u64, batch: &mut Batch) -> u32 {
        let mut written = String::new();
        let namespaces = self.seen.tape().record(node).namespaces;
        fragment::standalone(self.seen.source(node), namespaces, self.names, &mut written);
        batch.add(FragmentKind::Element, offset, |out| out.extend_from_slice(written.as_bytes()))
    }

    /// The fragment of a node, at a place that is given.
    pub fn numbered(&mut self, node: NodeRef, offset: u64, batch: &mut Batch) -> u32 {
        let tape = self.seen.tape();
        let value = || string_value(tape, self.names, node);
        let mut written = String::new();
        let (kind, text) = match node_kind(tape, node) {
            NodeKind::Element => return self.element(node.node, offset, batch),
            NodeKind::Attribute | NodeKind::Namespace => (FragmentKind::Attribute, value()),
            NodeKind::Text => (FragmentKind::Text, value()),
            NodeKind::Comment => {
                fragment::comment(value(), &mut written);
                (FragmentKind::Comment, written.as_str())
            }
            NodeKind::Instruction => {
                fragment::instruction(tape.target(node.node), value(), &mut written);
                (FragmentKind::Instruction, written.as_str())
            }
            NodeKind::Document => {
                fragment::document(self.seen.whole(), &mut written);
                (FragmentKind::Document, written.as_str())
            }
        };
        batch.add(kind, offset, |out| out.extend_from_slice(text.as_bytes()))
    }
}
