//! The tape: nodes of a document, or of the part of it that someone still needs, in document order.
//!
//! Not a tree of objects: fixed-size records in one vector, their text in two strings. While the machine
//! streams, the tape grows at an element's start and is cut back at its end unless something undecided
//! refers to that element's content.
//!
//! Text nodes have a string of their own, apart from the values of attributes, comments and instructions:
//! so the string value of an element is one slice, however deep its content.

mod builder;

pub use builder::TapeBuilder;

use crate::names::{NameId, NsId};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Document,
    Element,
    Attribute,
    Text,
    Comment,
    Instruction,
}

/// Index of a record on the tape.
pub type Node = u32;

/// So many nodes a tape may have: numbers from here on are free for what is kept elsewhere.
pub const MOST_NODES: Node = 1 << 31;

/// `Record::after` of a node that is still open.
pub const OPEN: Node = Node::MAX;

/// `Record::parent` of the document node.
pub const NO_PARENT: Node = Node::MAX;

#[derive(Clone, Copy, Debug)]
pub struct Record {
    pub kind: Kind,
    /// An attribute that the DTD declares as ID.
    pub is_id: bool,
    /// Elements and attributes; means nothing elsewhere.
    pub name: NameId,
    pub parent: Node,
    /// Index after the last record of the subtree (attributes included); while open: `OPEN`.
    pub after: Node,
    /// Namespaces in scope (elements).
    pub namespaces: NsId,
    /// The string value: in `Tape::text` for the document, elements and text, else in `Tape::values`.
    /// The end means nothing while the node is open.
    pub text: (u32, u32),
    /// Where `Tape::values` stood before this record: an element is cut back to it; an instruction's target
    /// lies from here to the start of its data.
    pub mark: u32,
    /// Offsets in the expanded source, `<` to after the end tag's `>` (an attribute: that of its name, twice);
    /// they also name the node. The end means nothing while the node is open.
    pub source: (u64, u64),
}

/// The records; record 0 is the document node. An element's attributes follow it directly.
#[derive(Default)]
pub struct Tape {
    pub records: Vec<Record>,
    /// The text nodes, one after the other.
    pub text: String,
    /// The values of attributes, comments and instructions (each after its target). UTF-8, since the reader has checked it:
    /// to know that of each would cost more than most of them are ever asked for.
    pub values: Vec<u8>,
}

impl Tape {
    #[inline]
    pub fn record(&self, node: Node) -> &Record {
        &self.records[node as usize]
    }

    /// One past the last node.
    #[inline]
    pub fn len(&self) -> Node {
        self.records.len() as Node
    }

    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// Index after the last record of the node's subtree, as far as it is known.
    #[inline]
    pub fn end(&self, node: Node) -> Node {
        // OPEN is greater than any index, so an open node ends where the tape ends.
        self.record(node).after.min(self.len())
    }

    /// The string value, as far as it is known.
    pub fn string_value(&self, node: Node) -> &str {
        let record = self.record(node);
        let (start, end) = record.text;
        match record.kind {
            Kind::Document | Kind::Element | Kind::Text if record.after == OPEN => &self.text[start as usize..],
            Kind::Document | Kind::Element | Kind::Text => &self.text[start as usize..end as usize],
            Kind::Attribute | Kind::Comment | Kind::Instruction => self.value(start, end),
        }
    }

    /// The same as bytes.
    #[inline]
    pub fn value_bytes(&self, node: Node) -> &[u8] {
        match self.record(node) {
            Record { kind: Kind::Attribute | Kind::Comment | Kind::Instruction, text: (start, end), .. } => {
                &self.values[*start as usize..*end as usize]
            }
            _ => self.string_value(node).as_bytes(),
        }
    }

    fn value(&self, start: u32, end: u32) -> &str {
        std::str::from_utf8(&self.values[start as usize..end as usize]).unwrap_or_default()
    }

    /// The target of an instruction.
    pub fn target(&self, node: Node) -> &str {
        let record = self.record(node);
        self.value(record.mark, record.text.0)
    }

    /// The attributes of a node.
    pub fn attributes(&self, node: Node) -> impl Iterator<Item = Node> + '_ {
        (node + 1..self.len()).take_while(move |&next| {
            let record = self.record(next);
            record.kind == Kind::Attribute && record.parent == node
        })
    }

    /// Bytes held, roughly.
    pub fn bytes(&self) -> u64 {
        (self.records.len() * std::mem::size_of::<Record>() + self.text.len() + self.values.len()) as u64
    }
}
