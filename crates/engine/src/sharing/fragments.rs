//! Nodes of the document as fragments.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::evaluator::{node_kind, string_value, NodeKind, NodeRef};
use crate::fragment::{self, Scope};
use crate::index::{Given, Seen};
use crate::machine::{Batch, FragmentKind, ScopeNumber};
use crate::names::{Names, NsId, NO_DECLARATIONS};
use crate::tape::{Kind, Node};

/// Makes the fragment of each node once.
pub struct Fragments<'a> {
    seen: Seen<'a>,
    names: &'a Names,
    /// Who is to know the namespaces of elements: they get their declarations only when someone asks for their texts.
    scopes: Option<&'a mut Scopes>,
    /// Elements are not copied: the batch will get the source.
    lie_in_source: bool,
    /// The last node, and its fragment.
    last: Option<(Node, u32)>,
    /// The last namespaces, and what the batch knows them by.
    scope: (NsId, Option<ScopeNumber>),
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
        Fragments { seen, names, scopes, lie_in_source: false, last: None, scope: (NO_DECLARATIONS, None) }
    }

    /// The batch will get the source of the document, and elements lie in that.
    pub fn lying_in_source(self, lie_in_source: bool) -> Fragments<'a> {
        Fragments { lie_in_source, ..self }
    }

    /// Nodes come in groups: who asks for the last one again gets the same.
    #[inline(always)]
    pub fn of(&mut self, node: Node, batch: &mut Batch) -> u32 {
        match self.last {
            Some((last, fragment)) if last == node => fragment,
            _ => {
                let record = self.seen.tape().record(node);
                let is_in_last_scope = record.kind == Kind::Element && record.namespaces == self.scope.0;
                let fragment = if is_in_last_scope && self.lie_in_source {
                    batch.add_part(record.source, self.scope.1)
                } else {
                    self.numbered(NodeRef::new(node), record.source.0, batch)
                };
                self.last = Some((node, fragment));
                fragment
            }
        }
    }

    /// Adds the first of `given` as long as each is another element, with the last namespaces, that is for all of a list: how
    /// many these are. Where most of a document is results, this is what they are.
    pub fn share(&mut self, given: &[(Node, Given)], batch: &mut Batch) -> usize {
        if !self.lie_in_source {
            return 0;
        }
        let tape = self.seen.tape();
        let (namespaces, scope) = self.scope;
        let mut last = self.last.map(|(node, _)| node);
        let elements = given.iter().map_while(|&(node, ref given)| {
            let record = tape.record(node);
            let is_plain = record.kind == Kind::Element
                && record.namespaces == namespaces
                && last.replace(node) != Some(node)
                && matches!(given, Given::All(..));
            is_plain.then_some(record.source)
        });
        let lists = given.iter().map_while(|(_, given)| match *given {
            Given::All(list, count) => Some((list, count as usize)),
            Given::One(_) => None,
        });
        let added = batch.share_parts(elements, scope, lists);
        if let Some((node, _)) = added.checked_sub(1).and_then(|last| given.get(last)) {
            self.last = Some((*node, batch.fragments.len() as u32 - 1));
        }
        added
    }

    fn element(&mut self, node: Node, offset: u64, batch: &mut Batch) -> u32 {
        let record = self.seen.tape().record(node);
        if record.namespaces != self.scope.0 && !self.enter_scope(record.namespaces, batch) {
            return self.written(node, offset, batch);
        }
        if self.lie_in_source {
            batch.add_part(record.source, self.scope.1)
        } else {
            batch.add_element(offset, self.seen.source(node), self.scope.1)
        }
    }

    /// Gives the batch the namespaces of an element, if there are any and someone is to know them. Most elements have those
    /// of the last one.
    fn enter_scope(&mut self, namespaces: NsId, batch: &mut Batch) -> bool {
        let scope = match &mut self.scopes {
            _ if !self.names.declares(namespaces) => None,
            Some(scopes) => batch.add_scope(scopes.get(namespaces, self.names)),
            None => return false,
        };
        self.scope = (namespaces, scope);
        true
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
    #[inline(never)]
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
