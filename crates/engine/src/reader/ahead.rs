//! Where the next byte of a kind is, remembered: text is full of `<` but mostly free of `&`, CR and `]`, and one
//! search ahead answers for many short texts.

use memchr::memchr;

pub(super) struct Ahead {
    byte: u8,
    /// No such byte between the last place asked for and here.
    at: usize,
}

impl Ahead {
    pub(super) fn of(byte: u8) -> Ahead {
        Ahead { byte, at: 0 }
    }

    /// Whether the byte occurs in `bytes[start..end]`. Places asked for must not go back.
    #[inline]
    pub(super) fn is_in(&mut self, bytes: &[u8], start: usize, end: usize) -> bool {
        if self.at < end {
            let from = self.at.max(start);
            self.at = memchr(self.byte, &bytes[from..]).map_or(bytes.len(), |length| from + length);
        }
        self.at < end
    }

    /// The window lost its first `dropped` bytes.
    pub(super) fn dropped(&mut self, dropped: usize) {
        self.at = self.at.saturating_sub(dropped);
    }

    /// The window changed from `start` on.
    pub(super) fn changed(&mut self, start: usize) {
        self.at = self.at.min(start);
    }
}
