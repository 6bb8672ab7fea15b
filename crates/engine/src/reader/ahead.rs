//! Where the next byte of a kind is, remembered: text is full of `<` but mostly free of `&`, CR and `]`, and one
//! search ahead answers for many short texts.

use memchr::memchr;

struct Ahead {
    byte: u8,
    /// No such byte between the last place asked for and here.
    at: usize,
}

impl Ahead {
    fn of(byte: u8) -> Ahead {
        Ahead { byte, at: 0 }
    }

    /// Whether the byte occurs in `bytes[start..end]`. Places asked for must not go back.
    fn is_in(&mut self, bytes: &[u8], start: usize, end: usize) -> bool {
        if self.at < end {
            let from = self.at.max(start);
            self.at = memchr(self.byte, &bytes[from..]).map_or(bytes.len(), |length| from + length);
        }
        self.at < end
    }
}

/// The bytes that make text more than plain.
pub(super) struct Specials {
    ampersand: Ahead,
    carriage_return: Ahead,
    bracket: Ahead,
    /// None of them between the last place asked for and here.
    pub none_before: usize,
}

/// Which of them a text has.
pub(super) struct Found {
    pub ampersand: bool,
    pub carriage_return: bool,
    pub bracket: bool,
}

impl Specials {
    pub(super) fn new() -> Specials {
        Specials {
            ampersand: Ahead::of(b'&'),
            carriage_return: Ahead::of(b'\r'),
            bracket: Ahead::of(b']'),
            none_before: 0,
        }
    }

    /// What occurs in `bytes[start..end]`. Places asked for must not go back.
    pub(super) fn find(&mut self, bytes: &[u8], start: usize, end: usize) -> Found {
        let found = Found {
            ampersand: self.ampersand.is_in(bytes, start, end),
            carriage_return: self.carriage_return.is_in(bytes, start, end),
            bracket: self.bracket.is_in(bytes, start, end),
        };
        self.none_before = self.ampersand.at.min(self.carriage_return.at).min(self.bracket.at);
        found
    }

    /// The window lost its first `dropped` bytes.
    pub(super) fn dropped(&mut self, dropped: usize) {
        for at in self.places() {
            *at = at.saturating_sub(dropped);
        }
    }

    /// The window changed from `start` on.
    pub(super) fn changed(&mut self, start: usize) {
        for at in self.places() {
            *at = start.min(*at);
        }
    }

    fn places(&mut self) -> [&mut usize; 4] {
        [&mut self.ampersand.at, &mut self.carriage_return.at, &mut self.bracket.at, &mut self.none_before]
    }
}
