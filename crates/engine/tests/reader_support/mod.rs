//! A handler that writes down what it is told, and ways to feed a document to it.

#![allow(dead_code, clippy::unwrap_used, clippy::panic)]

use std::fmt::Write;

use penstock_engine::error::{DocumentError, Stop};
use penstock_engine::events::{Handler, Source, StartTag, TextKind};
use penstock_engine::limits::Limits;
use penstock_engine::names::Names;
use penstock_engine::reader::{decode_text, Reader};

/// Chunk sizes that every document is tried in; 0 is the whole.
pub const CHUNKS: [usize; 6] = [0, 1, 2, 3, 7, 64];

#[derive(Default, Debug, PartialEq)]
pub struct Trace {
    /// One line an event; text of a node on one line however it was cut.
    pub events: String,
    /// The expanded source as it was let go.
    pub expanded: Vec<u8>,
    /// Where elements stand in it.
    pub elements: Vec<(u64, u64)>,
    open: Vec<usize>,
    text: String,
    in_text: bool,
}

impl Trace {
    pub fn expanded(&self) -> &str {
        std::str::from_utf8(&self.expanded).unwrap()
    }

    /// The source of the n-th element.
    pub fn element(&self, n: usize) -> &str {
        let (start, end) = self.elements[n];
        &self.expanded()[start as usize..end as usize]
    }
}

impl Handler for Trace {
    fn start(&mut self, source: Source<'_>, names: &Names, tag: &StartTag<'_>) -> Result<(), Stop> {
        assert!(!self.in_text, "a text node was not ended before a start tag");
        assert!(source.slice(tag.start, tag.end).starts_with(b"<"));
        assert!(source.slice(tag.start, tag.end).ends_with(b">"));
        write!(self.events, "<{}", shown(names, tag.name)).unwrap();
        for attribute in tag.attributes {
            let marks = match (attribute.is_id, attribute.tokenised) {
                (true, _) => "#",
                (_, true) => "~",
                _ => "",
            };
            let name = names.qualified(attribute.name).as_bytes();
            assert!(source.slice(attribute.offset, tag.end).starts_with(name));
            let shown = shown(names, attribute.name);
            write!(self.events, " {marks}{shown}={:?}", attribute.value()).unwrap();
        }
        for (prefix, uri) in names.in_scope(tag.namespaces).skip(1) {
            write!(self.events, " [{prefix}={uri}]").unwrap();
        }
        self.events.push_str(">\n");
        self.open.push(self.elements.len());
        self.elements.push((tag.start, tag.end));
        Ok(())
    }

    fn end(&mut self, _: Source<'_>, _: &Names, start: u64, end: u64) -> Result<(), Stop> {
        assert!(!self.in_text, "a text node was not ended before an end tag");
        assert!(start <= end);
        let element = self.open.pop().unwrap();
        self.elements[element].1 = end;
        self.events.push_str("</>\n");
        Ok(())
    }

    fn text(&mut self, source: Source<'_>, start: u64, end: u64, raw: &[u8], kind: TextKind) -> Result<(), Stop> {
        assert!(!raw.is_empty());
        let piece = source.slice(start, end);
        match kind {
            TextKind::Plain => assert!(!raw.contains(&b'&') && !raw.contains(&b'\r')),
            TextKind::Escaped => assert_eq!(piece, raw),
            TextKind::Cdata => assert!(piece.windows(raw.len()).any(|window| window == raw)),
        }
        self.text.push_str(&decode_text(raw, kind));
        self.in_text = true;
        Ok(())
    }

    fn text_end(&mut self, _: Source<'_>, _: &Names) -> Result<(), Stop> {
        assert!(self.in_text, "a text node ended that had no piece");
        writeln!(self.events, "{:?}", std::mem::take(&mut self.text)).unwrap();
        self.in_text = false;
        Ok(())
    }

    fn comment(&mut self, source: Source<'_>, _: &Names, start: u64, end: u64, raw: &[u8]) -> Result<(), Stop> {
        assert!(!self.in_text);
        assert_eq!(source.slice(start, end), [b"<!--", raw, b"-->"].concat());
        writeln!(self.events, "comment {:?}", String::from_utf8_lossy(raw)).unwrap();
        Ok(())
    }

    fn instruction(
        &mut self,
        source: Source<'_>,
        _: &Names,
        start: u64,
        end: u64,
        target: &[u8],
        data: &[u8],
    ) -> Result<(), Stop> {
        assert!(!self.in_text);
        assert!(source.slice(start, end).starts_with(b"<?") && source.slice(start, end).ends_with(b"?>"));
        let (target, data) = (String::from_utf8_lossy(target), String::from_utf8_lossy(data));
        writeln!(self.events, "pi {target} {data:?}").unwrap();
        Ok(())
    }

    fn discard(&mut self, source: Source<'_>, upto: u64) -> Result<(), Stop> {
        let have = self.expanded.len() as u64;
        self.expanded.extend_from_slice(source.slice(have, upto));
        Ok(())
    }
}

fn shown(names: &Names, name: penstock_engine::names::NameId) -> String {
    match names.uri(name) {
        "" => names.qualified(name).to_string(),
        uri => format!("{}{{{uri}}}", names.qualified(name)),
    }
}

pub fn feed(reader: &mut Reader, document: &[u8], chunk: usize) -> Result<Trace, DocumentError> {
    let mut trace = Trace::default();
    let size = if chunk == 0 { document.len().max(1) } else { chunk };
    for piece in document.chunks(size) {
        reader.feed(piece, &mut trace)?;
    }
    reader.finish(&mut trace)?;
    Ok(trace)
}

/// Reads a document as one, where it lies.
pub fn read_whole(reader: &mut Reader, document: &[u8]) -> Result<Trace, DocumentError> {
    let mut trace = Trace::default();
    let whole = reader.read(std::iter::once(document), &mut trace)?;
    assert_eq!(whole, Some(document));
    Ok(trace)
}

/// Reads a document whole and in all chunk sizes, with one reader for all of them, and checks that they agree.
pub fn read_with(limits: Limits, document: &[u8]) -> Result<Trace, DocumentError> {
    let mut reader = Reader::new(limits);
    let whole = read_whole(&mut reader, document);
    for chunk in CHUNKS {
        reader.reset();
        let cut = feed(&mut reader, document, chunk);
        assert_eq!(cut, whole, "chunks of {chunk}: {}", String::from_utf8_lossy(document));
    }
    whole
}

pub fn read(document: impl AsRef<[u8]>) -> Result<Trace, DocumentError> {
    read_with(Limits::default(), document.as_ref())
}

/// The events of a document that must be well-formed.
pub fn events(document: impl AsRef<[u8]>) -> String {
    read(document.as_ref())
        .unwrap_or_else(|error| panic!("{}: {error}", String::from_utf8_lossy(document.as_ref())))
        .events
}
