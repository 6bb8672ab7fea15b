//! What the reader tells its handler: the events of one document, with the source bytes at hand.
//!
//! Offsets are positions in the *expanded* source: the document as UTF-8, with its own entity references
//! replaced and its DTD's default attributes written in. They grow in document order and never change, so
//! an offset names a node.

use std::borrow::Cow;

use crate::error::Stop;
use crate::names::{NameId, Names, NsId};

/// The part of the expanded source that the reader holds now.
#[derive(Clone, Copy)]
pub struct Source<'a> {
    /// Offset of `bytes[0]`.
    pub base: u64,
    pub bytes: &'a [u8],
}

impl<'a> Source<'a> {
    /// The bytes from `start` to `end`; both must lie in the window.
    #[inline]
    pub fn slice(&self, start: u64, end: u64) -> &'a [u8] {
        &self.bytes[(start - self.base) as usize..(end - self.base) as usize]
    }

    /// Where a piece of it lies that was read.
    #[inline]
    pub fn place_of(&self, piece: &[u8]) -> (u64, u64) {
        let start = self.base + (piece.as_ptr().addr() - self.bytes.as_ptr().addr()) as u64;
        (start, start + piece.len() as u64)
    }

    /// Where the value of an element lies whose start tag ends at `tag_end`, if it has no more than plain text and all of
    /// that is in the window.
    #[inline(always)]
    pub fn leaf(&self, tag_end: u64) -> Option<(u64, u64)> {
        let from = (tag_end - self.base) as usize;
        if self.bytes.get(..from)?.ends_with(b"/>") {
            return Some((tag_end, tag_end));
        }
        let to = crate::reader::plain_end(self.bytes, from)?;
        self.bytes[to..].starts_with(b"</").then_some((tag_end, self.base + to as u64))
    }
}

pub struct Attribute<'a> {
    pub name: NameId,
    /// Between the quotes, as written.
    pub raw: &'a [u8],
    /// Offset of the attribute's name.
    pub offset: u64,
    /// `raw` has references or white space that normalisation changes.
    pub escaped: bool,
    /// Declared by the DTD with a type other than CDATA: spaces collapse.
    pub tokenised: bool,
    /// Declared by the DTD as an ID.
    pub is_id: bool,
}

impl<'a> Attribute<'a> {
    /// The value is as written.
    #[inline]
    pub fn is_plain(&self) -> bool {
        !self.escaped && !self.tokenised
    }

    /// The normalised value as bytes, which mostly need no work at all.
    #[inline]
    pub fn bytes(&self) -> Cow<'a, [u8]> {
        if self.is_plain() {
            return Cow::Borrowed(self.raw);
        }
        match self.value() {
            Cow::Borrowed(text) => Cow::Borrowed(text.as_bytes()),
            Cow::Owned(text) => Cow::Owned(text.into_bytes()),
        }
    }

    /// The normalised value.
    pub fn value(&self) -> Cow<'a, str> {
        crate::reader::attribute_value(self.raw, self.escaped, self.tokenised)
    }
}

pub struct StartTag<'a> {
    pub name: NameId,
    /// Offset of `<`.
    pub start: u64,
    /// Offset after `>`.
    pub end: u64,
    /// Without namespace declarations.
    pub attributes: &'a [Attribute<'a>],
    /// Namespaces in scope on this element.
    pub namespaces: NsId,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextKind {
    /// The bytes are the text.
    Plain,
    /// Has references or carriage returns: [`crate::reader::decode_text`] gives the text.
    Escaped,
    /// Content of a CDATA section (may hold carriage returns).
    Cdata,
}

/// Receives the events of one document in order. Element starts and ends are balanced.
///
/// A text node comes as one or more `text` pieces (cut at chunk ends, references, CDATA sections, never
/// inside a character, a reference or CR LF) and then one `text_end`, called as soon as it is certain that
/// the node is complete, or as one `whole_text`. Empty pieces and empty text nodes are not reported.
///
/// Each method does nothing unless it is written.
pub trait Handler {
    /// So many more bytes of the document are about to be read, as it is encoded.
    fn announce(&mut self, _bytes: usize) {}

    /// An element of this name is about to start: its attributes are being read. Not every element is announced.
    #[inline]
    fn opening(&mut self, _name: NameId) {}

    fn start(&mut self, _source: Source<'_>, _names: &Names, _tag: &StartTag<'_>) -> Result<(), Stop> {
        Ok(())
    }

    /// `start` is the offset of `</` (for `<a/>` that of the tag's end), `end` the offset after `>`.
    fn end(&mut self, _source: Source<'_>, _names: &Names, _start: u64, _end: u64) -> Result<(), Stop> {
        Ok(())
    }

    /// Whether text at this place concerns it: plain text that does not is not reported.
    #[inline]
    fn wants_text(&self) -> bool {
        true
    }

    /// `start` is where the piece's markup begins: for CDATA the offset of `<![CDATA[`; `end` after `]]>`.
    fn text(&mut self, _source: Source<'_>, _start: u64, _end: u64, _raw: &[u8], _kind: TextKind) -> Result<(), Stop> {
        Ok(())
    }

    fn text_end(&mut self, _source: Source<'_>, _names: &Names) -> Result<(), Stop> {
        Ok(())
    }

    /// A text node that is one piece of plain text, and complete.
    #[inline]
    fn whole_text(&mut self, source: Source<'_>, names: &Names, start: u64, end: u64, raw: &[u8]) -> Result<(), Stop> {
        self.text(source, start, end, raw, TextKind::Plain)?;
        self.text_end(source, names)
    }

    /// Whole comment, `<!--` to `-->`; `raw` is what lies between.
    fn comment(
        &mut self,
        _source: Source<'_>,
        _names: &Names,
        _start: u64,
        _end: u64,
        _raw: &[u8],
    ) -> Result<(), Stop> {
        Ok(())
    }

    /// Whole instruction, `<?` to `?>`; `data` is what follows the target and white space.
    fn instruction(
        &mut self,
        _source: Source<'_>,
        _names: &Names,
        _start: u64,
        _end: u64,
        _target: &[u8],
        _data: &[u8],
    ) -> Result<(), Stop> {
        Ok(())
    }

    /// What has come so far is read: the rest may take long.
    fn pause(&mut self, _source: Source<'_>, _names: &Names) -> Result<(), Stop> {
        Ok(())
    }

    /// Source before `upto` may be let go: copy what is still needed. What lies behind it may change: an entity is expanded
    /// there.
    fn discard(&mut self, _source: Source<'_>, _upto: u64) -> Result<(), Stop> {
        Ok(())
    }

    /// Source before `upto` is done with, but stays: a whole document is read where it lies. If that cannot go on, all of it
    /// up to there may be let go, from its first byte.
    fn passed(&mut self, source: Source<'_>, upto: u64) -> Result<(), Stop> {
        self.discard(source, upto)
    }
}
