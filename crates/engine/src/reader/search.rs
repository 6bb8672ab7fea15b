//! The search for a token's end over several chunks: each byte is looked at once, however often more comes.

use std::sync::LazyLock;

use memchr::memmem::Finder;
use memchr::{memchr, memchr2};

use super::scan::Scan;
use crate::events::Handler;

/// Ready to search, since making ready costs more than most searches.
type Ready = LazyLock<Finder<'static>>;
pub(super) static DASHES: Ready = Ready::new(|| Finder::new(b"--"));
pub(super) static INSTRUCTION_END: Ready = Ready::new(|| Finder::new(b"?>"));
pub(super) static SECTION_END: Ready = Ready::new(|| Finder::new(b"]]>"));

/// What is searched for outside quotes. A `<` where none may stand ends each of them too, in error.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// Ends in `>`; no `<` in quotes either.
    Tag,
    /// Ends in `>`.
    Declaration,
    /// Ends in `>` or `[`.
    DoctypeHead,
}

impl<H: Handler> Scan<'_, '_, H> {
    /// Where the token ends, after the byte that ends it.
    pub(super) fn find_end(&mut self, shape: Shape) -> Option<usize> {
        let mut at = self.at + self.state.searched.max(1);
        loop {
            let rest = self.text.get(at..).unwrap_or_default();
            let quote = self.state.quote;
            let found = match quote {
                0 => rest.iter().position(|&byte| {
                    matches!(byte, b'>' | b'<' | b'"' | b'\'') || (byte == b'[' && shape == Shape::DoctypeHead)
                }),
                _ if shape == Shape::Tag => memchr2(quote, b'<', rest),
                _ => memchr(quote, rest),
            };
            let Some(length) = found else {
                self.state.searched = self.text.len() - self.at;
                return None;
            };
            at += length + 1;
            match rest[length] {
                closing if quote == closing => self.state.quote = 0,
                opening @ (b'"' | b'\'') => self.state.quote = opening,
                _ => {
                    self.state.searched = 0;
                    self.state.quote = 0;
                    return Some(at);
                }
            }
        }
    }

    /// Where `end` stands in the token, from the token's byte `from` on.
    pub(super) fn find_text(&mut self, end: &Finder<'_>, from: usize) -> Option<usize> {
        let overlap = end.needle().len() - 1;
        let from = self.at + self.state.searched.saturating_sub(overlap).max(from);
        let found = self.text.get(from..).and_then(|rest| end.find(rest)).map(|length| from + length);
        self.state.searched = if found.is_some() { 0 } else { self.text.len() - self.at };
        found
    }
}
