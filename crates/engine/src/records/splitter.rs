//! Gives the records of a file one after the other. Holds one record at most.

use super::lines::Lines;
use super::row_tag::RowTag;
use super::without_document_limit;
use crate::error::{DocumentError, Stop};
use crate::events::{Handler, Source, StartTag};
use crate::fragment;
use crate::limits::Limits;
use crate::names::{Names, NsId};
use crate::reader::Reader;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// The record as a document of its own; `None` when it is larger than allowed.
    pub text: Option<String>,
    /// Where it begins: bytes of the source from 0. In a file that is not UTF-8, or has a document type
    /// declaration, bytes of its text as UTF-8 with entities written in.
    pub offset: u64,
    /// The line it begins on, from 1.
    pub line: u64,
    /// Bytes that it takes there.
    pub bytes: u64,
}

/// Finds the records of one file, which comes in chunks.
pub struct Splitter {
    reader: Reader,
    collector: Collector,
    /// Offset in the file of the first byte fed, and bytes of tags that were put before it.
    first: u64,
    added: u64,
}

impl Splitter {
    /// Records larger than `most` bytes are passed over.
    pub fn new(row_tag: &str, most: u64, limits: Limits) -> Splitter {
        let reader = Reader::new(without_document_limit(limits));
        Splitter { reader, collector: Collector::new(row_tag, most), first: 0, added: 0 }
    }

    /// Starts in the middle of a file, at a [`super::Cut`]: `opening` are the tags that are open there.
    pub fn resume(&mut self, opening: &str, offset: u64) -> Result<(), DocumentError> {
        self.reader.set_encoding_utf8();
        self.first = offset;
        self.added = opening.len() as u64;
        self.reader.feed(opening.as_bytes(), &mut self.collector)
    }

    /// The records that end in this chunk. After an error, [`Splitter::take`] gives those that ended before it.
    pub fn feed(&mut self, chunk: &[u8]) -> Result<Vec<Record>, DocumentError> {
        self.reader.feed(chunk, &mut self.collector)?;
        Ok(self.take())
    }

    /// The file has ended.
    pub fn finish(&mut self) -> Result<Vec<Record>, DocumentError> {
        self.reader.finish(&mut self.collector)?;
        Ok(self.take())
    }

    /// Records that were found and not taken yet.
    pub fn take(&mut self) -> Vec<Record> {
        let mut records = std::mem::take(&mut self.collector.records);
        let shift = self.reader.source_shift().unwrap_or(0) + self.first;
        for record in &mut records {
            record.offset = (record.offset + shift).saturating_sub(self.added);
        }
        records
    }
}

struct Collector {
    row_tag: RowTag,
    most: u64,
    /// Open elements of the record, 0 outside one.
    depth: u64,
    start: u64,
    line: u64,
    namespaces: NsId,
    /// The record's source from its start to `held_to`, as far as the reader has let go of it.
    held: Vec<u8>,
    held_to: u64,
    lines: Lines,
    records: Vec<Record>,
}

impl Collector {
    fn new(row_tag: &str, most: u64) -> Collector {
        Collector {
            row_tag: RowTag::new(row_tag),
            most,
            depth: 0,
            start: 0,
            line: 1,
            namespaces: NsId(0),
            held: Vec::new(),
            held_to: 0,
            lines: Lines::new(),
            records: Vec::new(),
        }
    }

    fn complete(&mut self, source: Source<'_>, names: &Names, end: u64) {
        let bytes = end - self.start;
        let text = (bytes <= self.most).then(|| {
            let rest = source.slice(self.held_to, end);
            let mut text = String::new();
            if self.held.is_empty() {
                fragment::standalone(rest, self.namespaces, names, &mut text);
            } else {
                self.held.extend_from_slice(rest);
                fragment::standalone(&self.held, self.namespaces, names, &mut text);
            }
            text
        });
        self.held.clear();
        self.records.push(Record { text, offset: self.start, line: self.line, bytes });
    }
}

impl Handler for Collector {
    fn start(&mut self, source: Source<'_>, names: &Names, tag: &StartTag<'_>) -> Result<(), Stop> {
        if self.depth > 0 {
            self.depth += 1;
        } else if self.row_tag.matches(names, tag.name) {
            self.depth = 1;
            self.start = tag.start;
            self.held_to = tag.start;
            self.namespaces = tag.namespaces;
            self.line = self.lines.at(source, tag.start);
        }
        Ok(())
    }

    fn end(&mut self, source: Source<'_>, names: &Names, _start: u64, end: u64) -> Result<(), Stop> {
        if self.depth > 0 {
            self.depth -= 1;
            if self.depth == 0 {
                self.complete(source, names, end);
            }
        }
        Ok(())
    }

    fn discard(&mut self, source: Source<'_>, upto: u64) -> Result<(), Stop> {
        self.lines.at(source, upto);
        if self.depth > 0 && upto > self.held_to {
            if upto - self.start > self.most {
                // It is too large whatever comes: nothing of it is needed.
                self.held = Vec::new();
            } else {
                self.held.extend_from_slice(source.slice(self.held_to, upto));
            }
            self.held_to = upto;
        }
        Ok(())
    }
}
