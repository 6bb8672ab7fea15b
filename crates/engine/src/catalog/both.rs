//! The events of a document for the index, and for the machine if there is one.

use crate::error::Stop;
use crate::events::{Handler, Source, StartTag, TextKind};
use crate::index::{Index, Matching};
use crate::machine::Runner;
use crate::names::{NameId, Names};

/// The index alone.
pub struct Indexing<'a> {
    pub index: &'a Index,
    pub matching: &'a mut Matching,
}

impl Handler for Indexing<'_> {
    #[inline(always)]
    fn opening(&mut self, name: NameId) {
        self.matching.opening(name);
    }

    #[inline(always)]
    fn start(&mut self, source: Source<'_>, names: &Names, tag: &StartTag<'_>) -> Result<(), Stop> {
        self.matching.start(self.index, source, names, tag)
    }

    #[inline(always)]
    fn end(&mut self, _: Source<'_>, _: &Names, _: u64, end: u64) -> Result<(), Stop> {
        self.matching.end(self.index, end)
    }

    #[inline]
    fn wants_text(&self) -> bool {
        self.matching.wants_text(self.index)
    }

    fn text(&mut self, _: Source<'_>, start: u64, end: u64, raw: &[u8], kind: TextKind) -> Result<(), Stop> {
        self.matching.text(self.index, raw, kind, start, end);
        Ok(())
    }

    fn text_end(&mut self, _: Source<'_>, _: &Names) -> Result<(), Stop> {
        self.matching.text_end(self.index)
    }

    fn whole_text(&mut self, _: Source<'_>, _: &Names, start: u64, end: u64, raw: &[u8]) -> Result<(), Stop> {
        self.matching.whole_text(self.index, raw, start, end)
    }

    fn comment(&mut self, _: Source<'_>, _: &Names, start: u64, end: u64, raw: &[u8]) -> Result<(), Stop> {
        self.matching.comment(self.index, start, end, raw)
    }

    fn instruction(
        &mut self,
        _: Source<'_>,
        _: &Names,
        start: u64,
        end: u64,
        target: &[u8],
        data: &[u8],
    ) -> Result<(), Stop> {
        self.matching.instruction(self.index, start, end, target, data)
    }

    fn discard(&mut self, source: Source<'_>, upto: u64) -> Result<(), Stop> {
        self.matching.discard(source, upto)
    }

    fn passed(&mut self, _: Source<'_>, upto: u64) -> Result<(), Stop> {
        self.matching.passed(upto)
    }
}

/// The index and the machine.
pub struct Both<'a, 'b> {
    pub indexing: Indexing<'a>,
    pub runner: &'a mut Runner<'b>,
}

impl Handler for Both<'_, '_> {
    fn announce(&mut self, bytes: usize) {
        self.runner.announce(bytes);
    }

    fn start(&mut self, source: Source<'_>, names: &Names, tag: &StartTag<'_>) -> Result<(), Stop> {
        self.indexing.start(source, names, tag)?;
        self.runner.start(source, names, tag)
    }

    fn end(&mut self, source: Source<'_>, names: &Names, start: u64, end: u64) -> Result<(), Stop> {
        self.indexing.end(source, names, start, end)?;
        self.runner.end(source, names, start, end)
    }

    fn text(&mut self, source: Source<'_>, start: u64, end: u64, raw: &[u8], kind: TextKind) -> Result<(), Stop> {
        self.indexing.text(source, start, end, raw, kind)?;
        self.runner.text(source, start, end, raw, kind)
    }

    fn text_end(&mut self, source: Source<'_>, names: &Names) -> Result<(), Stop> {
        self.indexing.text_end(source, names)?;
        self.runner.text_end(source, names)
    }

    fn whole_text(&mut self, source: Source<'_>, names: &Names, start: u64, end: u64, raw: &[u8]) -> Result<(), Stop> {
        self.indexing.whole_text(source, names, start, end, raw)?;
        self.runner.whole_text(source, names, start, end, raw)
    }

    fn pause(&mut self, source: Source<'_>, names: &Names) -> Result<(), Stop> {
        self.runner.pause(source, names)
    }

    fn comment(&mut self, source: Source<'_>, names: &Names, start: u64, end: u64, raw: &[u8]) -> Result<(), Stop> {
        self.indexing.comment(source, names, start, end, raw)?;
        self.runner.comment(source, names, start, end, raw)
    }

    fn instruction(
        &mut self,
        source: Source<'_>,
        names: &Names,
        start: u64,
        end: u64,
        target: &[u8],
        data: &[u8],
    ) -> Result<(), Stop> {
        self.indexing.instruction(source, names, start, end, target, data)?;
        self.runner.instruction(source, names, start, end, target, data)
    }

    fn discard(&mut self, source: Source<'_>, upto: u64) -> Result<(), Stop> {
        self.indexing.discard(source, upto)?;
        self.runner.discard(source, upto)
    }

    fn passed(&mut self, source: Source<'_>, upto: u64) -> Result<(), Stop> {
        self.indexing.passed(source, upto)?;
        self.runner.passed(source, upto)
    }
}
