//! Constructed nodes: what a constructor was given, not yet written out.
//!
//! Content copied from the document stays a reference to it. Most constructed nodes are only written out, and then
//! the document's own bytes are copied; one that is navigated gets a tape of its own (see [`super::tree`]).

use std::rc::Rc;
use std::sync::Arc;

use crate::tape::{Node as SourceNode, Tape};

use super::operation::{Bindings, QName};

#[derive(Debug)]
pub(super) enum Built {
    Element(Element),
    Attribute(QName, Arc<str>),
    Text(Arc<str>),
    Comment(Arc<str>),
    Instruction(Arc<str>, Arc<str>),
    Document(Vec<Piece>, Size),
}

#[derive(Debug)]
pub(super) struct Element {
    pub(super) name: QName,
    /// Declared here beyond what names need.
    pub(super) namespaces: Bindings,
    pub(super) attributes: Attributes,
    pub(super) content: Vec<Piece>,
    pub(super) size: Size,
}

/// How large a constructed node is when it is written out. Content is shared, so a short query can ask for more than
/// any memory holds.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Size {
    /// Bytes, roughly.
    pub(super) weight: u64,
    /// Constructed elements within each other.
    pub(super) depth: u32,
}

pub(super) type Attributes = Vec<(QName, Arc<str>)>;

#[derive(Clone, Debug)]
pub(super) enum Piece {
    Built(Rc<Built>),
    /// An element of the document.
    Source(SourceNode),
}

impl Built {
    pub(super) fn size(&self) -> Size {
        match self {
            Built::Element(Element { size, .. }) | Built::Document(_, size) => *size,
            Built::Attribute(_, text) | Built::Text(text) | Built::Comment(text) | Built::Instruction(_, text) => {
                Size { weight: 8 + text.len() as u64, depth: 0 }
            }
        }
    }

    pub(super) fn text(&self, source: &Tape) -> Arc<str> {
        match self {
            Built::Attribute(_, text) | Built::Text(text) | Built::Comment(text) | Built::Instruction(_, text) => {
                Arc::clone(text)
            }
            Built::Element(Element { content, .. }) | Built::Document(content, _) => match &content[..] {
                [Piece::Built(only)] if matches!(**only, Built::Text(_)) => only.text(source),
                _ => {
                    let mut whole = String::new();
                    append_text(content, source, &mut whole);
                    whole.into()
                }
            },
        }
    }
}

fn append_text(content: &[Piece], source: &Tape, whole: &mut String) {
    for piece in content {
        match piece {
            Piece::Source(node) => whole.push_str(source.string_value(*node)),
            Piece::Built(built) => match &**built {
                Built::Text(text) => whole.push_str(text),
                Built::Element(Element { content, .. }) | Built::Document(content, _) => {
                    append_text(content, source, whole);
                }
                Built::Attribute(..) | Built::Comment(_) | Built::Instruction(..) => {}
            },
        }
    }
}
