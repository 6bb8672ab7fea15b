//! What is kept of a document while the index looks at it: its elements, what else someone asks for, and its source, if that
//! would be gone otherwise.
//!
//! Most nodes of a document concern no one. Elements are kept all, each as one small record; attributes, text, comments
//! and instructions only if some subscription asks for such; values of elements are read from the source when needed.

use super::seen::Seen;
use crate::error::Stop;
use crate::events::{Attribute, Source, StartTag, TextKind};
use crate::tape::{Node, Tape, TapeBuilder};

/// Reused from document to document.
#[derive(Default)]
pub struct Sketch {
    builder: TapeBuilder,
    /// The expanded source from its first byte, unless it stays where it is read.
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
        if upto + self.builder.bytes() > self.limit {
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
        Seen::new(self.tape(), in_place.unwrap_or(&self.source), self.keeps_text)
    }

    /// Gives the source away: nothing of it can be asked for any more.
    pub fn give_source(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.source)
    }
}
