//! Nodes of the document as fragments.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::evaluator::{node_kind, string_value, NodeKind, NodeRef};
use crate::fragment::{self, Scope};
use crate::index::Sketch;
use crate::machine::{Batch, FragmentKind};
use crate::names::{Names, NsId};

/// Makes the fragment of each node once.
pub struct Fragments<'a> {
    sketch: &'a Sketch,
    names: &'a Names,
    /// Who is to know the namespaces of elements: they get their declarations only when someone asks for their texts.
    scopes: Option<&'a mut Scopes>,
    /// Elements are not copied: the batch will get the source.
    gives_source: bool,
    last: Option<(NodeRef, u32)>,
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
    pub fn new(sketch: &'a Sketch, names: &'a Names, scopes: Option<&'a mut Scopes>) -> Fragments<'a> {
        Fragments { sketch, names, scopes, gives_source: false, last: None }
    }

    /// The batch will get the source of the document, and elements lie in that.
    pub fn giving_source(self, gives_source: bool) -> Fragments<'a> {
        Fragments { gives_source, ..self }
    }

    /// Nodes come in groups: who asks for the last one again gets the same.
    pub fn of(&mut self, node: NodeRef, batch: &mut Batch) -> u32 {
        match self.last {
            Some((last, fragment)) if last == node => fragment,
            _ => {
                let offset = self.sketch.tape().record(node.node).source.0;
                let fragment = self.numbered(node, offset, batch);
                self.last = Some((node, fragment));
                fragment
            }
        }
    }

    /// The fragment of a node, at a place that is given.
    pub fn numbered(&mut self, node: NodeRef, offset: u64, batch: &mut Batch) -> u32 {
        let tape = self.sketch.tape();
        let value = || string_value(tape, self.names, node);
        let plain = |batch: &mut Batch, kind: FragmentKind, text: &str| {
            batch.add(kind, offset, |out| out.extend_from_slice(text.as_bytes()))
        };
        let mut written = String::new();
        match node_kind(tape, node) {
            NodeKind::Attribute | NodeKind::Namespace => plain(batch, FragmentKind::Attribute, value()),
            NodeKind::Text => plain(batch, FragmentKind::Text, value()),
            NodeKind::Comment => {
                fragment::comment(value(), &mut written);
                plain(batch, FragmentKind::Comment, &written)
            }
            NodeKind::Instruction => {
                fragment::instruction(tape.target(node.node), value(), &mut written);
                plain(batch, FragmentKind::Instruction, &written)
            }
            NodeKind::Document => {
                fragment::document(self.sketch.whole(), &mut written);
                plain(batch, FragmentKind::Document, &written)
            }
            NodeKind::Element => {
                let raw = self.sketch.source(node.node);
                let namespaces = tape.record(node.node).namespaces;
                let scope = match &mut self.scopes {
                    _ if !self.names.declares(namespaces) => None,
                    Some(scopes) => Some(scopes.get(namespaces, self.names)),
                    None => {
                        fragment::standalone(raw, namespaces, self.names, &mut written);
                        return plain(batch, FragmentKind::Element, &written);
                    }
                };
                if self.gives_source {
                    batch.add_part(tape.record(node.node).source, scope)
                } else {
                    batch.add_element(offset, raw, scope)
                }
            }
        }
    }
}
