//! The results of a document that the index finds, as fragments.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::evaluator::{node_kind, NodeKind, NodeRef};
use crate::fragment::{self, Scope};
use crate::index::Sketch;
use crate::machine::{Batch, FragmentKind};
use crate::names::{Names, NsId};
use crate::tape::Node;

/// Makes the fragment of each node once.
pub struct Fragments<'a> {
    sketch: &'a Sketch,
    names: &'a Names,
    scopes: &'a mut Scopes,
    last: Option<(Node, u32)>,
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
    pub fn new(sketch: &'a Sketch, names: &'a Names, scopes: &'a mut Scopes) -> Fragments<'a> {
        Fragments { sketch, names, scopes, last: None }
    }

    /// Nodes come in groups: who asks for the last one again gets the same.
    pub fn of(&mut self, node: Node, batch: &mut Batch) -> u32 {
        match self.last {
            Some((last, fragment)) if last == node => fragment,
            _ => {
                let fragment = self.make(node, batch);
                self.last = Some((node, fragment));
                fragment
            }
        }
    }

    fn make(&mut self, node: Node, batch: &mut Batch) -> u32 {
        let tape = self.sketch.tape();
        let record = tape.record(node);
        let value = tape.string_value(node);
        let offset = record.source.0;
        let plain = |batch: &mut Batch, kind: FragmentKind, text: &str| {
            batch.add(kind, offset, |out| out.extend_from_slice(text.as_bytes()))
        };
        let mut written = String::new();
        match node_kind(tape, NodeRef::new(node)) {
            NodeKind::Attribute | NodeKind::Namespace => plain(batch, FragmentKind::Attribute, value),
            NodeKind::Text => plain(batch, FragmentKind::Text, value),
            NodeKind::Comment => {
                fragment::comment(value, &mut written);
                plain(batch, FragmentKind::Comment, &written)
            }
            NodeKind::Instruction => {
                fragment::instruction(tape.target(node), value, &mut written);
                plain(batch, FragmentKind::Instruction, &written)
            }
            NodeKind::Element | NodeKind::Document => {
                let scope = self.names.declares(record.namespaces);
                let scope = scope.then(|| self.scopes.get(record.namespaces, self.names));
                batch.add_element(offset, self.sketch.source(node), scope)
            }
        }
    }
}
