//! Messages that no one has asked for yet.
//!
//! Who gets something, and how much, is known once the patterns of subscriptions have been matched; what it is can wait
//! until someone looks, if making it cannot fail. Until then only the source of the document is kept.

use super::document::Document;
use super::messages::Messages;
use super::selected::Selected;
use super::Sharing;
use crate::error::{DocumentError, Stop};
use crate::events::{Handler, Source, StartTag, TextKind};
use crate::index::{Seen, Sketch, Slot};
use crate::limits::Limits;
use crate::machine::Batch;
use crate::names::Names;
use crate::origin::Origin;
use crate::reader::Reader;
use crate::tape::Node;

#[derive(Default)]
pub struct Unmade {
    /// Expanded, so that its nodes are those that were selected.
    source: Origin,
    /// Who gets a message for which node.
    selected: Selected,
}

impl Unmade {
    pub fn is_empty(&self) -> bool {
        self.selected.is_empty()
    }

    /// How many deliveries there will be.
    pub fn deliveries(&self) -> usize {
        self.selected.len()
    }

    /// Adds a subscription whose messages may wait, with one of its nodes, each of which comes once.
    #[inline]
    pub fn add(&mut self, slot: Slot, node: Node) {
        self.selected.add(slot, &[node]);
    }

    pub(crate) fn take_source(&mut self, source: Origin) {
        self.source = source;
    }

    /// The messages.
    pub fn make(&self, sharing: &Sharing, limits: &Limits) -> Result<Batch, DocumentError> {
        let mut reader = Reader::new(limits.clone());
        reader.set_encoding_utf8();
        let source = self.source.bytes();
        let again = Again::read(&mut reader, source)?;
        let document = Document { seen: again.seen(&reader, source), names: reader.names(), limits };
        let (mut messages, mut batch) = (Messages::default(), Batch::default());
        for (slot, nodes) in self.selected.clone().sorted().iter() {
            let made = messages.deliver(sharing, slot, nodes, &document, &mut batch);
            made.map_err(|stop| stop.at(reader.place(Some(source))))?;
        }
        Ok(batch)
    }
}

/// Reads a document once more, all of it.
#[derive(Default)]
pub struct Again(Sketch);

impl Again {
    pub fn read(reader: &mut Reader, source: &[u8]) -> Result<Again, DocumentError> {
        let mut again = Again::default();
        again.0.begin(true, false, u64::MAX);
        reader.read(std::iter::once(source), &mut again)?;
        again.0.finish(in_place(reader, source));
        Ok(again)
    }

    /// What was read.
    pub fn seen<'a>(&'a self, reader: &Reader, source: &'a [u8]) -> Seen<'a> {
        self.0.seen(in_place(reader, source))
    }
}

fn in_place<'a>(reader: &Reader, source: &'a [u8]) -> Option<&'a [u8]> {
    reader.in_place(source).map(|(source, _)| source)
}

impl Handler for Again {
    fn start(&mut self, _source: Source<'_>, _names: &Names, tag: &StartTag<'_>) -> Result<(), Stop> {
        self.0.start(tag)?;
        tag.attributes.iter().try_for_each(|attribute| self.0.attribute(attribute).map(drop))
    }

    fn end(&mut self, _source: Source<'_>, _names: &Names, _start: u64, end: u64) -> Result<(), Stop> {
        self.0.end(end).map(drop)
    }

    fn text(&mut self, _source: Source<'_>, start: u64, end: u64, raw: &[u8], kind: TextKind) -> Result<(), Stop> {
        self.0.text_piece(raw, kind, start, end)
    }

    fn text_end(&mut self, _source: Source<'_>, _names: &Names) -> Result<(), Stop> {
        self.0.text_end();
        Ok(())
    }

    fn comment(&mut self, _source: Source<'_>, _names: &Names, start: u64, end: u64, raw: &[u8]) -> Result<(), Stop> {
        self.0.comment(raw, start, end)
    }

    fn instruction(
        &mut self,
        _source: Source<'_>,
        _names: &Names,
        start: u64,
        end: u64,
        target: &[u8],
        data: &[u8],
    ) -> Result<(), Stop> {
        self.0.instruction(target, data, start, end)
    }

    fn discard(&mut self, source: Source<'_>, upto: u64) -> Result<(), Stop> {
        self.0.take(source, upto)
    }

    fn passed(&mut self, _source: Source<'_>, upto: u64) -> Result<(), Stop> {
        self.0.bound(upto)
    }
}
