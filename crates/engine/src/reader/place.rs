//! Line, column and byte offset in the source as it came, counted only when needed.

use encoding_rs::Encoding;
use memchr::{memchr_iter, memrchr2};

/// How many bytes of the source a character took.
#[derive(Clone, Copy)]
pub(super) enum Unit {
    /// The source is UTF-8.
    Utf8,
    /// One byte a character.
    SingleByte,
    Utf16,
    /// Another encoding; found by encoding the text again.
    Other(&'static Encoding),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub line: u64,
    pub column: u64,
    pub offset: u64,
}

impl Place {
    pub(super) const START: Place = Place { line: 1, column: 1, offset: 0 };

    /// Behind a byte order mark of so many bytes, at the document's start.
    pub(super) fn behind(mark: usize) -> Place {
        Place { offset: mark as u64, ..Place::START }
    }

    /// The place after `text`.
    pub(super) fn after(self, text: &[u8], unit: Unit) -> Place {
        let line_feeds = memchr_iter(b'\n', text).count();
        let lone_returns = memchr_iter(b'\r', text).filter(|&at| text.get(at + 1) != Some(&b'\n')).count();
        let column = match memrchr2(b'\n', b'\r', text) {
            Some(last) => 1 + characters(&text[last + 1..]),
            None => self.column + characters(text),
        };
        let offset = self.offset + source_bytes(text, unit);
        Place { line: self.line + (line_feeds + lone_returns) as u64, column, offset }
    }
}

fn characters(text: &[u8]) -> u64 {
    if text.is_ascii() {
        return text.len() as u64;
    }
    text.iter().filter(|&&byte| byte & 0xc0 != 0x80).count() as u64
}

fn source_bytes(text: &[u8], unit: Unit) -> u64 {
    match unit {
        Unit::Utf8 => text.len() as u64,
        Unit::SingleByte => characters(text),
        Unit::Utf16 => 2 * (characters(text) + text.iter().filter(|&&byte| byte >= 0xf0).count() as u64),
        Unit::Other(encoding) => encoding.encode(&String::from_utf8_lossy(text)).0.len() as u64,
    }
}
