//! The text of the elements whose value is asked for.
//!
//! Most values are one piece of plain text, and are tested while that still lies in the reader's window: it is copied
//! only if something else comes before the end of the element.

use memchr::memmem::Finder;

use super::super::value_test::Test;
use crate::events::Source;

#[derive(Default)]
pub struct Values {
    /// String values, one after the other: each begins where its element did and goes on to the end.
    text: Vec<u8>,
    /// What comes next, not copied yet: a range of the source.
    piece: Option<(u64, u64)>,
    holders: u32,
    /// How often what lies ahead may have changed.
    changes: u64,
}

impl Values {
    pub fn clear(&mut self) {
        self.text.clear();
        self.piece = None;
        self.holders = 0;
    }

    pub fn bytes(&self) -> usize {
        self.text.len()
    }

    #[inline]
    pub fn is_wanted(&self) -> bool {
        self.holders > 0
    }

    /// Someone asks for the text from here on: where it begins.
    #[inline]
    pub fn hold(&mut self) -> usize {
        self.holders += 1;
        self.text.len()
    }

    /// One asks no more.
    #[inline]
    pub fn release(&mut self) {
        self.holders -= 1;
        if self.holders == 0 {
            self.text.clear();
            self.piece = None;
        }
    }

    /// Plain text at a range of the source.
    #[inline]
    pub fn take_plain(&mut self, source: Source<'_>, start: u64, end: u64) {
        self.copy_piece(source);
        self.piece = Some((start, end));
    }

    pub fn take(&mut self, source: Source<'_>, text: &[u8]) {
        self.copy_piece(source);
        self.text.extend_from_slice(text);
    }

    /// Something else comes, or the source will soon be gone.
    #[inline]
    pub fn copy_piece(&mut self, source: Source<'_>) {
        if let Some((start, end)) = self.piece.take() {
            self.text.extend_from_slice(source.slice(start, end));
        }
    }

    /// The source will soon be gone, and what lies ahead may change.
    pub fn look_again(&mut self, source: Source<'_>) {
        self.copy_piece(source);
        self.changes += 1;
    }

    /// The value that began at `start`.
    pub fn value<'v>(&'v mut self, start: usize, source: Source<'_>) -> &'v [u8] {
        self.copy_piece(source);
        &self.text[start..]
    }

    /// Whether the value that began at `start` passes, if what there is of it decides that, and how much there is. Up to
    /// `seen` it has been looked at before.
    pub fn passes_already(
        &mut self,
        start: usize,
        seen: usize,
        test: &Test,
        source: Source<'_>,
    ) -> (Option<bool>, usize) {
        self.copy_piece(source);
        (test.passes_already(&self.text[start..], seen - start), self.text.len())
    }

    /// Whether the value that began at `start` passes the test. `ahead` is what is known of the test.
    #[inline]
    pub fn passes(&mut self, start: usize, test: &Test, ahead: Option<&mut Ahead>, source: Source<'_>) -> bool {
        match self.piece {
            Some(piece) if start == self.text.len() => self.plain_passes(piece, test, ahead, source),
            _ => test.passes(self.value(start, source)),
        }
    }

    /// The same for a value that is plain text at a range of the source.
    #[inline(always)]
    pub fn plain_passes(
        &self,
        (from, to): (u64, u64),
        test: &Test,
        ahead: Option<&mut Ahead>,
        source: Source<'_>,
    ) -> bool {
        match (test, ahead) {
            (Test::Contains(finder), Some(ahead)) => {
                if !ahead.knows(from, self.changes) {
                    *ahead = Ahead::find(source, from, finder, self.changes);
                }
                ahead.next + finder.needle().len() as u64 <= to
            }
            _ => test.passes(source.slice(from, to)),
        }
    }
}

/// Where the next occurrence of a string is, remembered: one search ahead answers for many short texts.
#[derive(Clone, Copy)]
pub struct Ahead {
    /// No occurrence begins between these.
    from: u64,
    next: u64,
    /// Whether that is still so: see [`Values::changes`].
    changes: u64,
}

impl Ahead {
    pub const UNKNOWN: Ahead = Ahead { from: u64::MAX, next: 0, changes: 0 };

    /// Whether `next` is the next one from `start` on.
    #[inline]
    fn knows(&self, start: u64, changes: u64) -> bool {
        self.from <= start && start <= self.next && self.changes == changes
    }

    #[inline(never)]
    fn find(source: Source<'_>, start: u64, finder: &Finder<'static>, changes: u64) -> Ahead {
        let upto = source.base + source.bytes.len() as u64;
        let found = finder.find(source.slice(start, upto)).map(|length| start + length as u64);
        // One that begins in the last bytes may go on behind them.
        let next = found.unwrap_or_else(|| start.max((upto + 1).saturating_sub(finder.needle().len() as u64)));
        Ahead { from: start, next, changes }
    }
}
