//! Line numbers, counted as the source goes by.

use memchr::memchr_iter;

use crate::events::Source;

pub(super) struct Lines {
    /// Source up to here is counted.
    counted: u64,
    line: u64,
}

impl Lines {
    pub(super) fn new() -> Lines {
        Lines { counted: 0, line: 1 }
    }

    /// The line, from 1, that `upto` is on. May only grow.
    pub(super) fn at(&mut self, source: Source<'_>, upto: u64) -> u64 {
        if upto > self.counted {
            let from = (self.counted - source.base) as usize;
            let to = (upto - source.base) as usize;
            let passed = &source.bytes[from..to];
            let is_lone = |&place: &usize| source.bytes.get(from + place + 1) != Some(&b'\n');
            let returns = memchr_iter(b'\r', passed).filter(is_lone).count();
            self.line += (memchr_iter(b'\n', passed).count() + returns) as u64;
            self.counted = upto;
        }
        self.line
    }
}
