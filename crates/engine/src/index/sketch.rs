//! What is kept of a document while the index looks at it: its elements, what else someone asks for, and its source, if that
//! would be gone otherwise.
//!
//! Most nodes of a document concern no one. Elements are kept all, each as one small record; attributes, text, comments
//! and instructions only if some subscription asks for such; values of elements are read from the source when needed.

use super::aside::Aside;
use super::seen::Seen;
use super::tests::{Symbol, TEXT_SYMBOL};
use crate::error::Stop;
use crate::events::{Attribute, Source, StartTag, TextKind};
use crate::tape::{Node, Tape, TapeBuilder};

/// Reused from document to document.
#[derive(Default)]
pub struct Sketch {
    builder: TapeBuilder,
    aside: Aside,
    /// The expanded source from its first byte, unless it stays where it is read.
    source: Vec<u8>,
    depth: u32,
    /// All text nodes are kept.
    keeps_text: bool,
    /// Something is kept aside.
    keeps_aside: bool,
    /// Bytes that may be held.
    limit: u64,
}

impl Sketch {
    pub fn begin(&mut self, keeps_text: bool, keeps_aside: bool, limit: u64) {
        self.builder.reset();
        self.aside.clear();
        self.keeps_text = keeps_text;
        self.keeps_aside = keeps_aside;
        self.source.clear();
        self.depth = 0;
        self.limit = limit;
    }

    #[inline]
    pub fn tape(&self) -> &Tape {
        self.builder.tape()
    }

    pub fn aside(&self) -> &Aside {
        &self.aside
    }

    /// The open element.
    #[inline]
    pub fn current(&self) -> Node {
        self.builder.current()
    }

    /// It has one more node.
    #[inline]
    pub fn note_node(&mut self) {
        if self.keeps_aside {
            self.aside.note_node();
        }
    }

    #[inline]
    pub fn start(&mut self, tag: &StartTag<'_>) -> Result<Node, Stop> {
        self.depth += 1;
        self.builder.element(tag)
    }

    /// Conditions look at an attribute of the open element.
    #[inline]
    pub fn attribute_aside(
        &mut self,
        symbol: Symbol,
        attribute: &Attribute<'_>,
        source: Source<'_>,
    ) -> Result<(), Stop> {
        let element = self.current();
        if attribute.is_plain() {
            return self.aside.add(element, symbol, source.place_of(attribute.raw));
        }
        self.aside.add_value(element, symbol, &attribute.bytes())
    }

    /// Conditions look at a text node that is written as it is meant.
    #[inline]
    pub fn text_aside(&mut self, place: (u64, u64)) -> Result<(), Stop> {
        self.aside.add(self.current(), TEXT_SYMBOL, place)
    }

    /// Conditions look at a text node.
    pub fn value_aside(&mut self, value: &[u8]) -> Result<(), Stop> {
        self.aside.add_value(self.current(), TEXT_SYMBOL, value)
    }

    pub fn attribute(&mut self, attribute: &Attribute<'_>) -> Result<Node, Stop> {
        self.builder.attribute(attribute)
    }

    #[inline]
    pub fn end(&mut self, end: u64) -> Result<Node, Stop> {
        self.depth -= 1;
        let node = self.builder.end(end);
        if self.depth == 0 {
            self.bound(end)?;
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
        self.bound(self.source.len() as u64)
    }

    /// Fails if so much of the source, and what is kept of it, is too much.
    pub fn bound(&self, upto: u64) -> Result<(), Stop> {
        if upto + self.builder.bytes() + self.aside.bytes() > self.limit {
            let limit = self.limit;
            return Err(Stop::limit(format!(
                "more than {limit} bytes of the document are held (limit buffered_bytes)"
            )));
        }
        Ok(())
    }

    /// The document has ended, of which the sketch has no source if it is `in_place`.
    pub fn finish(&mut self, in_place: Option<&[u8]>) {
        self.builder.end(in_place.unwrap_or(&self.source).len() as u64);
    }

    /// What can be asked about the document when it has ended.
    pub fn seen<'a>(&'a self, in_place: Option<&'a [u8]>) -> Seen<'a> {
        Seen::new(self.tape(), &self.aside, in_place.unwrap_or(&self.source), self.keeps_text)
    }

    /// Gives the source away: nothing of it can be asked for any more.
    pub fn give_source(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.source)
    }
}
