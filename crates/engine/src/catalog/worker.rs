//! One document after the other, whole, against a catalog.

use std::sync::Arc;

use super::both::{Both, Indexing};
use super::findings::Findings;
use super::slots::Slots;
use super::{Catalog, Machine};
use crate::error::{DocumentError, Stop};
use crate::events::Source;
use crate::index::{Matching, Slot};
use crate::learned::Learned;
use crate::limits::Limits;
use crate::machine::{Batch, Run, Runner};
use crate::origin::Origin;
use crate::reader::Reader;
use crate::sharing::{Messages, Scopes, Unmade};

/// What a document comes in, which results may hold on to.
pub trait Piece: AsRef<[u8]> + Send + Sync + 'static {}

impl<P: AsRef<[u8]> + Send + Sync + 'static> Piece for P {}

/// What one thread needs; it learns the subscriptions of one catalog.
pub struct DocumentWorker {
    pub(super) reader: Reader,
    run: Run,
    machine: Option<Arc<Machine>>,
    pub(super) matching: Matching,
    pub(super) scopes: Scopes,
    pub(super) messages: Messages,
    pub(super) matched: Slots,
    pub(super) limits: Limits,
}

impl DocumentWorker {
    pub fn new(limits: Limits) -> DocumentWorker {
        DocumentWorker {
            reader: Reader::new(limits.clone()),
            run: Run::new(limits.clone()),
            machine: None,
            matching: Matching::new(limits.clone()),
            scopes: Scopes::default(),
            messages: Messages::default(),
            matched: Slots::default(),
            limits,
        }
    }

    /// How much its automata have learned.
    pub fn learned(&self) -> Learned {
        [self.matching.learned(), self.run.learned()].into_iter().sum()
    }

    /// Who gets what of a document that comes in pieces; None if no one gets anything. `is_text`: it is UTF-8 whatever its
    /// declaration says. If it `may_wait`, messages that cannot fail are left to be made when someone asks for them.
    ///
    /// With it comes the document, if it came as one piece and is not held by what was found: whoever gave it may have to let
    /// go of it elsewhere.
    pub fn document<P: Piece>(
        &mut self,
        catalog: &Catalog,
        stream: &str,
        pieces: impl Iterator<Item = P>,
        is_text: bool,
        may_wait: bool,
    ) -> Result<(Option<Box<Findings>>, Option<P>), DocumentError> {
        let mut whole = self.read(catalog, stream, pieces, is_text)?;
        if self.machine.is_none() && self.matching.has_no_results() {
            return Ok((None, whole));
        }
        let mut found = Box::new(Findings { batch: self.machine_batch(), unmade: Unmade::default() });
        if catalog.indexed > 0 {
            let in_place = in_place(&self.reader, &whole);
            let added = self.add_results(catalog, in_place, may_wait, &mut found);
            added.map_err(|stop| placed(&self.reader, &whole, stop))?;
        }
        if found.lies_in_source() {
            found.take_source(self.origin(&mut whole));
        }
        Ok((Some(found).filter(|found| !found.is_nothing()), whole))
    }

    /// The source of the document at hand, to be held: the document itself if that has it.
    fn origin<P: Piece>(&mut self, whole: &mut Option<P>) -> Origin {
        let before = whole.as_ref().and_then(|whole| self.reader.in_place(whole.as_ref())).map(|(_, before)| before);
        match before.zip(whole.take_if(|_| before.is_some())) {
            Some((before, whole)) => Origin::new(whole, before),
            None => Origin::new(self.matching.give_source(), 0),
        }
    }

    /// Reads a document. If it is one piece, that is given back.
    fn read<P: AsRef<[u8]>>(
        &mut self,
        catalog: &Catalog,
        stream: &str,
        pieces: impl Iterator<Item = P>,
        is_text: bool,
    ) -> Result<Option<P>, DocumentError> {
        let machine = catalog.machine(stream);
        if self.machine.as_ref().map(Arc::as_ptr) != machine.as_ref().map(Arc::as_ptr) {
            self.run.forget_set();
        }
        self.machine = machine;
        self.reader.reset();
        if is_text {
            self.reader.set_encoding_utf8();
        }
        let DocumentWorker { reader, run, machine, matching, .. } = self;
        let mut runner = machine.as_ref().map(|machine| Runner { run, set: &machine.set });
        if let Some(runner) = &mut runner {
            runner.begin(reader.names()).map_err(|stop| placed::<P>(reader, &None, stop))?;
        }
        let whole = match &mut runner {
            Some(runner) if catalog.indexed == 0 => reader.read(pieces, runner)?,
            runner => {
                let index = &catalog.index;
                matching.begin(index, reader.names(), stream);
                let mut indexing = Indexing { index, matching };
                let whole = match runner {
                    Some(runner) => reader.read(pieces, &mut Both { indexing, runner })?,
                    None => reader.read(pieces, &mut indexing)?,
                };
                let checked = matching.finish(index, in_place(reader, &whole));
                checked.map_err(|stop| placed(reader, &whole, stop))?;
                whole
            }
        };
        if let Some(runner) = &mut runner {
            let ended = runner.finish(Source { base: 0, bytes: &[] }, reader.names(), 0);
            ended.map_err(|stop| placed(reader, &whole, stop))?;
        }
        Ok(whole)
    }

    /// What the machine found, for the subscriptions of the catalog.
    fn machine_batch(&mut self) -> Batch {
        let Some(machine) = &self.machine else { return Batch::default() };
        let mut batch = std::mem::take(&mut self.run.batch);
        batch.deliveries.iter_mut().for_each(|(output, _)| *output = machine.slots[*output as usize]);
        batch.errors.iter_mut().for_each(|(output, _)| *output = machine.slots[*output as usize]);
        batch
    }

    /// The subscriptions that a document matches, in ascending order; without those whose evaluation failed. With them the
    /// document, if it came as one piece.
    pub fn matches<P: AsRef<[u8]>>(
        &mut self,
        catalog: &Catalog,
        stream: &str,
        pieces: impl Iterator<Item = P>,
        is_text: bool,
    ) -> Result<(Vec<Slot>, Option<P>), DocumentError> {
        let whole = self.read(catalog, stream, pieces, is_text)?;
        let mut batch = self.machine_batch();
        // What an error may have left.
        drop(self.matched.take());
        if catalog.indexed > 0 {
            let in_place = in_place(&self.reader, &whole);
            let added = self.add_matches(catalog, in_place, &mut batch);
            added.map_err(|stop| placed(&self.reader, &whole, stop))?;
        }
        batch.deliveries.iter().for_each(|(slot, _)| self.matched.add(*slot));
        batch.errors.iter().for_each(|(failed, _)| self.matched.remove(*failed));
        Ok((self.matched.take(), whole))
    }
}

/// The source of a document that was read as one, if it lies there as it is.
fn in_place<'a, P: AsRef<[u8]>>(reader: &Reader, whole: &'a Option<P>) -> Option<&'a [u8]> {
    reader.in_place(whole.as_ref()?.as_ref()).map(|(source, _)| source)
}

fn placed<P: AsRef<[u8]>>(reader: &Reader, whole: &Option<P>, stop: Stop) -> DocumentError {
    stop.at(reader.place(whole.as_ref().map(AsRef::as_ref)))
}
