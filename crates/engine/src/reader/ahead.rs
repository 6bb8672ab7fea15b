//! Where the next byte of a kind is, remembered: text is full of `<` but mostly free of `&`, CR and `]`, and one
//! search ahead answers for many short texts.

use memchr::{memchr, memchr2, memchr3};

/// The bytes that make text more than plain.
pub(super) struct Specials {
    /// None of them between the last place asked for and here.
    pub none_before: usize,
    /// No CR or `]`, which are rarer than references.
    no_rare_before: usize,
}

/// Which of them a text has.
pub(super) struct Found {
    pub ampersand: bool,
    pub carriage_return: bool,
    pub bracket: bool,
}

impl Specials {
    pub(super) fn new() -> Specials {
        Specials { none_before: 0, no_rare_before: 0 }
    }

    /// No CR or `]` stands between these places.
    pub(super) fn has_no_rare(&mut self, start: usize, end: usize) {
        if self.no_rare_before >= start {
            self.no_rare_before = self.no_rare_before.max(end);
        }
    }

    /// What occurs in `bytes[start..end]`. Places asked for must not go back.
    pub(super) fn find(&mut self, bytes: &[u8], start: usize, end: usize) -> Found {
        let next = |known: usize, search: fn(&[u8]) -> Option<usize>| {
            let from = known.max(start);
            search(&bytes[from..]).map_or(bytes.len(), |length| from + length)
        };
        if self.none_before < end {
            let is_rare_ahead = self.no_rare_before < bytes.len();
            let common = |rest: &[u8]| memchr(b'&', rest);
            let any = |rest: &[u8]| memchr3(b'&', b'\r', b']', rest);
            self.none_before = next(self.none_before, if is_rare_ahead { any } else { common });
        }
        if self.none_before >= end {
            return Found { ampersand: false, carriage_return: false, bracket: false };
        }
        if self.no_rare_before < end {
            self.no_rare_before = next(self.no_rare_before, |rest| memchr2(b'\r', b']', rest));
        }
        let text = &bytes[start..end];
        let is_rare = self.no_rare_before < end;
        Found {
            ampersand: !is_rare || memchr(b'&', text).is_some(),
            carriage_return: is_rare && memchr(b'\r', text).is_some(),
            bracket: is_rare && memchr(b']', text).is_some(),
        }
    }

    /// The window lost its first `dropped` bytes.
    pub(super) fn dropped(&mut self, dropped: usize) {
        for at in [&mut self.none_before, &mut self.no_rare_before] {
            *at = at.saturating_sub(dropped);
        }
    }

    /// The window changed from `start` on.
    pub(super) fn changed(&mut self, start: usize) {
        for at in [&mut self.none_before, &mut self.no_rare_before] {
            *at = start.min(*at);
        }
    }
}
