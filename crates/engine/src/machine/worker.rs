//! A reader and a run: takes one document after the other through a set of subscriptions.

use std::sync::Arc;

use super::run::{Batch, Run, Runner};
use super::set::Set;
use crate::error::DocumentError;
use crate::events::{Handler, Source};
use crate::limits::Limits;
use crate::reader::Reader;

pub struct Worker {
    reader: Reader,
    run: Run,
    set: Arc<Set>,
}

impl Worker {
    pub fn new(set: Arc<Set>, limits: Limits) -> Worker {
        Worker { reader: Reader::new(limits.clone()), run: Run::new(limits), set }
    }

    /// Begins a document. `is_text`: it comes as UTF-8 whatever its declaration says.
    pub fn begin(&mut self, is_text: bool) -> Result<(), DocumentError> {
        self.reader.reset();
        if is_text {
            self.reader.set_encoding_utf8();
        }
        let result = Runner { run: &mut self.run, set: &self.set }.begin(self.reader.names());
        result.map_err(|stop| stop.at(self.reader.place(None)))
    }

    /// What these bytes made certain.
    pub fn feed(&mut self, chunk: &[u8]) -> Result<Batch, DocumentError> {
        self.add(chunk)?;
        Ok(self.take_batch())
    }

    /// As `feed`, the results staying for later.
    pub fn add(&mut self, chunk: &[u8]) -> Result<(), DocumentError> {
        let mut runner = Runner { run: &mut self.run, set: &self.set };
        runner.announce(chunk.len());
        self.reader.feed(chunk, &mut runner)
    }

    /// The document is complete: what is left.
    pub fn finish(&mut self) -> Result<Batch, DocumentError> {
        let mut runner = Runner { run: &mut self.run, set: &self.set };
        self.reader.finish(&mut runner)?;
        self.end(None)
    }

    /// A whole document, in pieces. If it is one piece, that is given back.
    pub fn document<P: AsRef<[u8]>>(
        &mut self,
        pieces: impl Iterator<Item = P>,
        is_text: bool,
    ) -> Result<(Batch, Option<P>), DocumentError> {
        self.begin(is_text)?;
        let mut runner = Runner { run: &mut self.run, set: &self.set };
        let whole = self.reader.read(pieces, &mut runner)?;
        Ok((self.end(whole.as_ref().map(AsRef::as_ref))?, whole))
    }

    /// What is left when all is read.
    fn end(&mut self, whole: Option<&[u8]>) -> Result<Batch, DocumentError> {
        let mut runner = Runner { run: &mut self.run, set: &self.set };
        let result = runner.finish(Source { base: 0, bytes: &[] }, self.reader.names(), 0);
        result.map_err(|stop| stop.at(self.reader.place(whole)))?;
        Ok(self.take_batch())
    }

    /// What is certain by now and was not taken yet.
    pub fn take_batch(&mut self) -> Batch {
        std::mem::take(&mut self.run.batch)
    }

    pub fn run(&self) -> &Run {
        &self.run
    }

    pub fn run_mut(&mut self) -> &mut Run {
        &mut self.run
    }
}
