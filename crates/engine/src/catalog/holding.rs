//! The events of a document that the index is to see: all of it is held, on a tape and as source.

use crate::error::Stop;
use crate::events::{Handler, Source, StartTag, TextKind};
use crate::machine::Runner;
use crate::names::Names;
use crate::tape::TapeBuilder;

/// The document as far as it has come. Reused for the next.
#[derive(Default)]
pub struct Held {
    pub tape: TapeBuilder,
    /// The expanded source, from its first byte.
    pub source: Vec<u8>,
    depth: u32,
    limit: u64,
}

impl Held {
    pub fn begin(&mut self, limit: u64) {
        self.tape.reset();
        self.source.clear();
        self.depth = 0;
        self.limit = limit;
    }

    fn take(&mut self, source: Source<'_>, upto: u64) -> Result<(), Stop> {
        let taken = self.source.len() as u64;
        if upto > taken {
            self.source.extend_from_slice(source.slice(taken, upto));
        }
        if self.source.len() as u64 + self.tape.bytes() > self.limit {
            let limit = self.limit;
            return Err(Stop::limit(format!(
                "more than {limit} bytes of the document are held (limit buffered_bytes)"
            )));
        }
        Ok(())
    }
}

/// Holds the document and, if there is a machine, runs it.
pub struct Holding<'a, 'b> {
    pub held: &'a mut Held,
    pub runner: Option<&'a mut Runner<'b>>,
}

impl Handler for Holding<'_, '_> {
    fn start(&mut self, source: Source<'_>, names: &Names, tag: &StartTag<'_>) -> Result<(), Stop> {
        self.held.depth += 1;
        self.held.tape.start(tag)?;
        self.runner.as_mut().map_or(Ok(()), |runner| runner.start(source, names, tag))
    }

    fn end(&mut self, source: Source<'_>, names: &Names, start: u64, end: u64) -> Result<(), Stop> {
        self.held.depth -= 1;
        self.held.tape.end(end);
        if self.held.depth == 0 {
            self.held.take(source, end)?;
        }
        self.runner.as_mut().map_or(Ok(()), |runner| runner.end(source, names, start, end))
    }

    fn text(&mut self, source: Source<'_>, start: u64, end: u64, raw: &[u8], kind: TextKind) -> Result<(), Stop> {
        self.held.tape.text(raw, kind, start, end)?;
        self.runner.as_mut().map_or(Ok(()), |runner| runner.text(source, start, end, raw, kind))
    }

    fn text_end(&mut self, source: Source<'_>, names: &Names) -> Result<(), Stop> {
        self.held.tape.text_end();
        self.runner.as_mut().map_or(Ok(()), |runner| runner.text_end(source, names))
    }

    fn comment(&mut self, source: Source<'_>, names: &Names, start: u64, end: u64, raw: &[u8]) -> Result<(), Stop> {
        self.held.tape.comment(raw, start, end)?;
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
        self.held.tape.instruction(target, data, start, end)?;
        self.runner.as_mut().map_or(Ok(()), |runner| runner.instruction(source, names, start, end, target, data))
    }

    fn discard(&mut self, source: Source<'_>, upto: u64) -> Result<(), Stop> {
        self.held.take(source, upto)?;
        self.runner.as_mut().map_or(Ok(()), |runner| runner.discard(source, upto))
    }
}
