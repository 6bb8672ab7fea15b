//! The window: the part of the expanded source that is held, and how it maps back to the source.

use super::place::{Place, Unit};
use crate::events::Source;

/// Input is taken in pieces of this size.
pub(super) const PIECE: usize = 64 << 10;
/// Capacity that stays from one document to the next.
const KEPT: usize = 16 * PIECE;
/// After a splice the tail comes back in steps that start here and double: many splices then move little.
const FIRST_STEP: usize = 512;

pub(super) struct Window {
    pub bytes: Vec<u8>,
    /// Offset of `bytes[0]` in the expanded source.
    pub base: u64,
    /// All before this index is done with.
    pub done: usize,
    pub unit: Unit,
    /// Input that a splice pushed back, from `held_from` on; it belongs behind `bytes`.
    held: Vec<u8>,
    held_from: usize,
    step: usize,
    /// Empty but while splicing.
    tail: Vec<u8>,
    mark: Mark,
}

/// A known place. Bytes before it (as far as they are still in the window) came from a splice.
struct Mark {
    at: usize,
    place: Place,
    /// Place of what the splice replaced.
    spliced: Place,
}

/// Whether letting go of what is done with, of so many bytes, is worth moving the rest.
pub(super) fn is_worth_draining(done: usize, bytes: usize) -> bool {
    done >= PIECE / 2 && done >= bytes - done
}

impl Window {
    pub(super) fn new() -> Window {
        Window {
            bytes: Vec::new(),
            base: 0,
            done: 0,
            unit: Unit::Utf8,
            held: Vec::new(),
            held_from: 0,
            step: FIRST_STEP,
            tail: Vec::new(),
            mark: Mark { at: 0, place: Place::START, spliced: Place::START },
        }
    }

    pub(super) fn reset(&mut self) {
        self.bytes.clear();
        // What one document with a giant token or entity needed is not kept for all that follow.
        self.bytes.shrink_to(KEPT);
        self.held.clear();
        self.held.shrink_to(KEPT);
        self.base = 0;
        self.done = 0;
        self.unit = Unit::Utf8;
        self.held_from = 0;
        self.mark = Mark { at: 0, place: Place::START, spliced: Place::START };
    }

    /// Bytes of the source that are not in the window: a byte order mark.
    pub(super) fn skip_source(&mut self, bytes: usize) {
        self.mark.place = Place::behind(bytes);
        self.mark.spliced = self.mark.place;
    }

    pub(super) fn source(&self) -> Source<'_> {
        Source { base: self.base, bytes: &self.bytes }
    }

    /// Where the source stood that gave `bytes[at]`; for expanded text the place of its reference.
    pub(super) fn place(&self, at: usize) -> Place {
        match self.bytes.get(self.mark.at..at) {
            Some(since) => self.mark.place.after(since, self.unit),
            None => self.mark.spliced,
        }
    }

    /// Takes over a source of which `done` bytes are done with, and which begins at `place`. The window is empty.
    pub(super) fn take_over(&mut self, source: Source<'_>, done: usize, place: Place) {
        self.bytes.extend_from_slice(source.bytes);
        self.base = source.base;
        self.done = done;
        self.mark = Mark { at: 0, place, spliced: place };
    }

    /// Lets go of what is done with; indices shrink by the answer.
    pub(super) fn drain(&mut self) -> usize {
        let dropped = self.done;
        if self.mark.at < dropped {
            let place = self.place(dropped);
            self.mark = Mark { at: 0, place, spliced: place };
        } else {
            self.mark.at -= dropped;
        }
        self.bytes.copy_within(dropped.., 0);
        self.bytes.truncate(self.bytes.len() - dropped);
        self.base += dropped as u64;
        self.done = 0;
        dropped
    }

    /// Puts `text` in the place of `start..end`.
    pub(super) fn splice(&mut self, start: usize, end: usize, text: &[u8]) {
        if self.mark.at <= start {
            let spliced = self.place(start);
            let place = spliced.after(&self.bytes[start..end], self.unit);
            self.mark = Mark { at: start + text.len(), place, spliced };
        } else {
            self.mark.at = self.mark.at - (end - start) + text.len();
        }
        if self.bytes.len() - end > FIRST_STEP {
            self.hold_from(end);
        }
        self.tail.extend_from_slice(&self.bytes[end..]);
        self.bytes.truncate(start);
        self.bytes.extend_from_slice(text);
        self.bytes.append(&mut self.tail);
        self.step = FIRST_STEP;
    }

    /// Moves the tail to the front of what is held.
    fn hold_from(&mut self, end: usize) {
        let tail = &self.bytes[end..];
        if self.held_from < tail.len() {
            // Room in front grows with what is held, so that moving it costs little on the whole.
            let room = tail.len() + (self.held.len() - self.held_from).max(PIECE);
            let mut held = vec![0; room];
            held.extend_from_slice(&self.held[self.held_from..]);
            self.held = held;
            self.held_from = room;
        }
        let from = self.held_from - tail.len();
        self.held[from..self.held_from].copy_from_slice(tail);
        self.held_from = from;
        self.bytes.truncate(end);
    }

    /// Brings back some of what is held; false when there is none.
    pub(super) fn refill(&mut self) -> bool {
        let left = self.held.len() - self.held_from;
        if left == 0 {
            self.held.clear();
            self.held_from = 0;
            return false;
        }
        let mut step = self.step.min(left);
        // Text may end where the step ends: no character is cut.
        while self.held.get(self.held_from + step).is_some_and(|byte| byte & 0xc0 == 0x80) {
            step += 1;
        }
        self.bytes.extend_from_slice(&self.held[self.held_from..self.held_from + step]);
        self.held_from += step;
        self.step = (self.step * 2).min(PIECE);
        true
    }
}
