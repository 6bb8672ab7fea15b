//! Finds places between the records of a file from which a splitter can start.

use super::row_tag::RowTag;
use super::without_document_limit;
use crate::error::{DocumentError, Stop};
use crate::events::{Handler, Source, StartTag};
use crate::fragment;
use crate::limits::Limits;
use crate::names::{NameId, Names, NsId};
use crate::reader::Reader;

/// A place in a file just before a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cut {
    /// Bytes of the source from 0.
    pub offset: u64,
    /// Start tags of the elements that are open there, with the namespaces in scope: put before what follows the
    /// cut, they make it a document's end.
    pub opening: String,
    /// Their end tags: put behind what precedes the cut, they make it a document's beginning.
    pub closing: String,
}

/// Reads a file and cuts it into parts of at least so many bytes.
pub struct Cutter {
    reader: Reader,
    finder: Finder,
}

impl Cutter {
    pub fn new(row_tag: &str, part_bytes: u64, limits: Limits) -> Cutter {
        let finder = Finder {
            row_tag: RowTag::new(row_tag),
            part_bytes,
            around: Vec::new(),
            depth: 0,
            last: 0,
            cuts: Vec::new(),
        };
        Cutter { reader: Reader::new(without_document_limit(limits)), finder }
    }

    pub fn feed(&mut self, chunk: &[u8]) -> Result<(), DocumentError> {
        self.reader.feed(chunk, &mut self.finder)
    }

    pub fn finish(&mut self) -> Result<(), DocumentError> {
        self.reader.finish(&mut self.finder)
    }

    /// False when parts of the file cannot be read on their own: it is not UTF-8, or has a document type declaration.
    pub fn is_divisible(&self) -> bool {
        self.reader.source_shift().is_some()
    }

    /// The cuts found and not taken yet, none in a file that is not divisible.
    pub fn take(&mut self) -> Vec<Cut> {
        let mut cuts = std::mem::take(&mut self.finder.cuts);
        match self.reader.source_shift() {
            Some(shift) => cuts.iter_mut().for_each(|cut| cut.offset += shift),
            None => cuts.clear(),
        }
        cuts
    }
}

struct Finder {
    row_tag: RowTag,
    part_bytes: u64,
    /// Open elements outside records.
    around: Vec<(NameId, NsId)>,
    /// Open elements of the record, 0 outside one.
    depth: u64,
    /// Offset of the last cut.
    last: u64,
    cuts: Vec<Cut>,
}

impl Finder {
    fn cut(&self, names: &Names, offset: u64) -> Cut {
        let (mut opening, mut closing) = (String::new(), String::new());
        let mut outer = NsId(0);
        for &(name, scope) in &self.around {
            opening.push('<');
            opening.push_str(names.qualified(name));
            if scope != outer {
                declare_scope(names, outer, scope, &mut opening);
                outer = scope;
            }
            opening.push('>');
        }
        for &(name, _) in self.around.iter().rev() {
            closing.push_str("</");
            closing.push_str(names.qualified(name));
            closing.push('>');
        }
        Cut { offset, opening, closing }
    }
}

/// All of the scope, in its own order: records get their declarations in the order that the whole file gives.
fn declare_scope(names: &Names, outer: NsId, scope: NsId, out: &mut String) {
    let has_default = |scope| names.in_scope(scope).any(|(prefix, _)| prefix.is_empty());
    if has_default(outer) && !has_default(scope) {
        fragment::declare("", "", out);
    }
    for (prefix, uri) in names.in_scope(scope).filter(|(prefix, _)| *prefix != "xml") {
        fragment::declare(prefix, uri, out);
    }
}

impl Handler for Finder {
    fn start(&mut self, _: Source<'_>, names: &Names, tag: &StartTag<'_>) -> Result<(), Stop> {
        if self.depth > 0 {
            self.depth += 1;
        } else if self.row_tag.matches(names, tag.name) {
            self.depth = 1;
            // A record that is the root has nothing before it worth a part.
            if tag.start - self.last >= self.part_bytes && !self.around.is_empty() {
                self.cuts.push(self.cut(names, tag.start));
                self.last = tag.start;
            }
        } else {
            self.around.push((tag.name, tag.namespaces));
        }
        Ok(())
    }

    fn end(&mut self, _: Source<'_>, _: &Names, _: u64, _: u64) -> Result<(), Stop> {
        if self.depth > 0 {
            self.depth -= 1;
        } else {
            self.around.pop();
        }
        Ok(())
    }
}
