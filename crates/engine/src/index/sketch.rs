//! What is kept of a document while the index looks at it: its elements, what else someone asks for, and its source.
//!
//! Most nodes of a document concern no one. Elements are kept all, each as one small record; attributes, text, comments
//! and instructions only if some subscription asks for such; values of elements are read from the source when needed.

use std::borrow::Cow;

use crate::error::Stop;
use crate::events::{Attribute, Source, StartTag, TextKind};
use crate::fragment;
use crate::tape::{Kind, Node, Tape, TapeBuilder};
use crate::xquery;

/// Reused from document to document.
#[derive(Default)]
pub struct Sketch {
    builder: TapeBuilder,
    /// The expanded source, from its first byte.
    source: Vec<u8>,
    depth: u32,
    /// All text nodes are kept.
    keeps_text: bool,
    /// Bytes that may be held.
    limit: u64,
}

impl Sketch {
    pub fn begin(&mut self, keeps_text: bool, limit: u64) {
        self.builder.reset();
        self.keeps_text = keeps_text;
        self.source.clear();
        self.depth = 0;
        self.limit = limit;
    }

    #[inline]
    pub fn tape(&self) -> &Tape {
        self.builder.tape()
    }

    #[inline]
    pub fn start(&mut self, tag: &StartTag<'_>) -> Result<Node, Stop> {
        self.depth += 1;
        self.builder.element(tag)
    }

    pub fn attribute(&mut self, attribute: &Attribute<'_>) -> Result<Node, Stop> {
        self.builder.attribute(attribute)
    }

    #[inline]
    pub fn end(&mut self, source: Source<'_>, end: u64) -> Result<Node, Stop> {
        self.depth -= 1;
        let node = self.builder.end(end);
        if self.depth == 0 {
            self.take(source, end)?;
        }
        Ok(node)
    }

    /// A text node; `value` is what it says.
    pub fn text(&mut self, value: &[u8], (start, end): (u64, u64)) -> Result<(), Stop> {
        self.text_piece(value, TextKind::Plain, start, end)?;
        self.text_end();
        Ok(())
    }

    /// A piece of one.
    pub fn text_piece(&mut self, raw: &[u8], kind: TextKind, start: u64, end: u64) -> Result<(), Stop> {
        self.builder.text(raw, kind, start, end)
    }

    pub fn text_end(&mut self) {
        self.builder.text_end();
    }

    pub fn comment(&mut self, raw: &[u8], start: u64, end: u64) -> Result<(), Stop> {
        self.builder.comment(raw, start, end)
    }

    pub fn instruction(&mut self, target: &[u8], data: &[u8], start: u64, end: u64) -> Result<(), Stop> {
        self.builder.instruction(target, data, start, end)
    }

    /// The source up to `upto` will soon be gone.
    pub fn take(&mut self, source: Source<'_>, upto: u64) -> Result<(), Stop> {
        let taken = self.source.len() as u64;
        if upto > taken {
            self.source.extend_from_slice(source.slice(taken, upto));
        }
        if self.source.len() as u64 + self.builder.bytes() > self.limit {
            let limit = self.limit;
            return Err(Stop::limit(format!(
                "more than {limit} bytes of the document are held (limit buffered_bytes)"
            )));
        }
        Ok(())
    }

    /// The document has ended.
    pub fn finish(&mut self) {
        self.builder.end(self.source.len() as u64);
    }

    /// The source of an element.
    pub fn source(&self, node: Node) -> &[u8] {
        let (start, end) = self.tape().record(node).source;
        &self.source[start as usize..end as usize]
    }

    /// The source of the document.
    pub fn whole(&self) -> &[u8] {
        &self.source
    }

    /// Gives the source away: nothing of it can be asked for any more.
    pub fn give_source(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.source)
    }

    /// The string value of a node.
    pub fn value(&self, node: Node) -> Cow<'_, [u8]> {
        if self.keeps_text || self.tape().record(node).kind != Kind::Element {
            return Cow::Borrowed(self.tape().string_value(node).as_bytes());
        }
        fragment::string_value(self.source(node))
    }
}

impl xquery::Source for Sketch {
    fn slice(&self, start: u64, end: u64) -> &[u8] {
        &self.source[start as usize..end as usize]
    }

    fn whole(&self) -> &[u8] {
        &self.source
    }
}
