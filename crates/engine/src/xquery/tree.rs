//! A tape for a constructed tree: written when someone navigates in it, so that axes work as on the document's.

use std::rc::Rc;

use crate::names::{NameId, Names, NsId};
use crate::tape::{Kind, Node, Record, Tape, NO_PARENT, OPEN};

use super::built::{Built, Element, Piece};
use super::operation::QName;

/// The records, and of each element what it was made from.
pub(super) struct Shape {
    pub(super) tape: Tape,
    pub(super) origins: Vec<Option<Piece>>,
}

/// What names and texts come from.
pub(super) struct Source<'a> {
    pub(super) tape: &'a Tape,
    pub(super) names: &'a Names,
}

impl Shape {
    pub(super) fn of(built: &Rc<Built>, source: &Source<'_>, names: &mut Names) -> Shape {
        let mut writer =
            Writer { shape: Shape { tape: Tape::default(), origins: Vec::new() }, source, names, place: 0 };
        writer.built(built, NO_PARENT);
        writer.shape
    }
}

struct Writer<'a> {
    shape: Shape,
    source: &'a Source<'a>,
    names: &'a mut Names,
    /// Places grow in document order.
    place: u64,
}

impl Writer<'_> {
    fn built(&mut self, built: &Rc<Built>, parent: Node) {
        match &**built {
            Built::Element(Element { name, attributes, content, .. }) => {
                let name = self.name(name);
                let element = self.open(Kind::Element, name, parent, Some(Piece::Built(Rc::clone(built))));
                for (name, value) in attributes {
                    let name = self.name(name);
                    self.leaf(Kind::Attribute, name, element, "", value);
                }
                self.pieces(content, element);
                self.close(element);
            }
            Built::Document(content, _) => {
                let document = self.open(Kind::Document, NO_NAME, parent, Some(Piece::Built(Rc::clone(built))));
                self.pieces(content, document);
                self.close(document);
            }
            Built::Attribute(name, value) => {
                let name = self.name(name);
                self.leaf(Kind::Attribute, name, parent, "", value);
            }
            Built::Text(text) => self.text(parent, text),
            Built::Comment(text) => self.leaf(Kind::Comment, NO_NAME, parent, "", text),
            Built::Instruction(target, text) => self.leaf(Kind::Instruction, NO_NAME, parent, target, text),
        }
    }

    fn pieces(&mut self, content: &[Piece], parent: Node) {
        for piece in content {
            match piece {
                Piece::Built(built) => self.built(built, parent),
                Piece::Source(node) => self.copy(*node, parent),
            }
        }
    }

    /// Copies a subtree of the document. Its depth is limited by the reader, but not by the stack: no recursion.
    fn copy(&mut self, root: Node, parent: Node) {
        let tape = self.source.tape;
        let mut open: Vec<(Node, Node)> = Vec::new();
        for node in root..tape.end(root) {
            while let Some(&(ended, copied)) = open.last().filter(|(open, _)| tape.end(*open) <= node) {
                debug_assert!(ended < node);
                self.close(copied);
                open.pop();
            }
            let record = tape.record(node);
            let parent = open.last().map_or(parent, |&(_, copied)| copied);
            let value = tape.string_value(node);
            match record.kind {
                Kind::Element => {
                    let name = self.translated(record.name);
                    let copied = self.open(Kind::Element, name, parent, Some(Piece::Source(node)));
                    open.push((node, copied));
                }
                // The root is an element: no document is inside one.
                Kind::Document => {}
                Kind::Attribute => {
                    let name = self.translated(record.name);
                    self.leaf(Kind::Attribute, name, parent, "", value);
                }
                Kind::Text => self.text(parent, value),
                Kind::Comment => self.leaf(Kind::Comment, NO_NAME, parent, "", value),
                Kind::Instruction => self.leaf(Kind::Instruction, NO_NAME, parent, tape.target(node), value),
            }
        }
        while let Some((_, copied)) = open.pop() {
            self.close(copied);
        }
    }

    fn name(&mut self, name: &QName) -> NameId {
        self.names.intern(&name.prefix, &name.local, &name.uri)
    }

    fn translated(&mut self, name: NameId) -> NameId {
        let names = self.source.names;
        self.names.intern(names.prefix(name), names.local(name), names.uri(name))
    }

    fn open(&mut self, kind: Kind, name: NameId, parent: Node, origin: Option<Piece>) -> Node {
        let text = self.shape.tape.text.len() as u32;
        self.push(kind, name, parent, (text, text), origin)
    }

    fn close(&mut self, node: Node) {
        let after = self.shape.tape.len();
        let end = self.shape.tape.text.len() as u32;
        let record = &mut self.shape.tape.records[node as usize];
        record.after = after;
        record.text.1 = end;
    }

    fn text(&mut self, parent: Node, text: &str) {
        let start = self.shape.tape.text.len() as u32;
        self.shape.tape.text.push_str(text);
        let node = self.push(Kind::Text, NO_NAME, parent, (start, self.shape.tape.text.len() as u32), None);
        self.close(node);
    }

    fn leaf(&mut self, kind: Kind, name: NameId, parent: Node, target: &str, value: &str) {
        let values = &mut self.shape.tape.values;
        values.extend_from_slice(target.as_bytes());
        let start = values.len() as u32;
        values.extend_from_slice(value.as_bytes());
        let end = values.len() as u32;
        let node = self.push(kind, name, parent, (start, end), None);
        let record = &mut self.shape.tape.records[node as usize];
        record.mark = start - target.len() as u32;
        record.after = node + 1;
    }

    fn push(&mut self, kind: Kind, name: NameId, parent: Node, text: (u32, u32), origin: Option<Piece>) -> Node {
        self.place += 1;
        self.shape.origins.push(origin);
        self.shape.tape.records.push(Record {
            kind,
            is_id: false,
            name,
            parent,
            after: OPEN,
            namespaces: NsId(0),
            text,
            mark: self.shape.tape.values.len() as u32,
            source: (self.place, self.place),
        });
        self.shape.tape.len() - 1
    }
}

/// Stands in a record that has no name.
const NO_NAME: NameId = NameId(u32::MAX);
