//! The events of a document for the index and, if there is one, for the machine.

use crate::error::Stop;
use crate::events::{Handler, Source, StartTag, TextKind};
use crate::index::{Index, Matching};
use crate::machine::Runner;
use crate::names::Names;

pub struct Both<'a, 'b> {
    pub index: &'a Index,
    pub matching: &'a mut Matching,
    pub runner: Option<&'a mut Runner<'b>>,
}

impl Handler for Both<'_, '_> {
    fn announce(&mut self, bytes: usize) {
        if let Some(runner) = &mut self.runner {
            runner.announce(bytes);
        }
    }

    fn start(&mut self, source: Source<'_>, names: &Names, tag: &StartTag<'_>) -> Result<(), Stop> {
        self.matching.start(self.index, names, tag)?;
        self.runner.as_mut().map_or(Ok(()), |runner| runner.start(source, names, tag))
    }

    fn end(&mut self, source: Source<'_>, names: &Names, start: u64, end: u64) -> Result<(), Stop> {
        self.matching.end(self.index, end)?;
        self.runner.as_mut().map_or(Ok(()), |runner| runner.end(source, names, start, end))
    }

    #[inline]
    fn wants_text(&self) -> bool {
        self.runner.is_some() || self.matching.wants_text(self.index)
    }

    fn text(&mut self, source: Source<'_>, start: u64, end: u64, raw: &[u8], kind: TextKind) -> Result<(), Stop> {
        self.matching.text(self.index, raw, kind, start, end);
        self.runner.as_mut().map_or(Ok(()), |runner| runner.text(source, start, end, raw, kind))
    }

    fn text_end(&mut self, source: Source<'_>, names: &Names) -> Result<(), Stop> {
        self.matching.text_end(self.index)?;
        self.runner.as_mut().map_or(Ok(()), |runner| runner.text_end(source, names))
    }

    fn whole_text(&mut self, source: Source<'_>, names: &Names, start: u64, end: u64, raw: &[u8]) -> Result<(), Stop> {
        self.matching.whole_text(self.index, raw, start, end)?;
        self.runner.as_mut().map_or(Ok(()), |runner| runner.whole_text(source, names, start, end, raw))
    }

    fn pause(&mut self, source: Source<'_>, names: &Names) -> Result<(), Stop> {
        self.runner.as_mut().map_or(Ok(()), |runner| runner.pause(source, names))
    }

    fn comment(&mut self, source: Source<'_>, names: &Names, start: u64, end: u64, raw: &[u8]) -> Result<(), Stop> {
        self.matching.comment(self.index, start, end, raw)?;
        self.runner.as_mut().map_or(Ok(()), |runner| runner.comment(source, names, start, end, raw))
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
        self.matching.instruction(self.index, start, end, target, data)?;
        self.runner.as_mut().map_or(Ok(()), |runner| runner.instruction(source, names, start, end, target, data))
    }

    fn discard(&mut self, source: Source<'_>, upto: u64) -> Result<(), Stop> {
        self.matching.discard(source, upto)?;
        self.runner.as_mut().map_or(Ok(()), |runner| runner.discard(source, upto))
    }

    fn passed(&mut self, source: Source<'_>, upto: u64) -> Result<(), Stop> {
        self.matching.passed(upto)?;
        self.runner.as_mut().map_or(Ok(()), |runner| runner.passed(source, upto))
    }
}
