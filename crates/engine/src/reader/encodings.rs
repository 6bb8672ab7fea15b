//! Which encoding a document is in: byte order mark, first bytes, XML declaration.

use encoding_rs::{Encoding, REPLACEMENT, UTF_16BE, UTF_16LE, UTF_8, WINDOWS_1252, X_USER_DEFINED};

use super::declaration::declared_encoding;

#[derive(Clone, Copy, PartialEq)]
pub(super) enum Detected {
    Utf8,
    /// ISO-8859-1 itself; encoding_rs would take it for windows-1252 as browsers do.
    Latin1,
    Ascii,
    Other(&'static Encoding),
}

/// The byte order mark of UTF-8.
const MARK: &[u8] = b"\xef\xbb\xbf";

/// An XML declaration longer than this is not waited for.
const LONGEST_DECLARATION: usize = 4 << 10;

/// The encoding and how many bytes of mark to skip; `None` when more must be seen first.
pub(super) fn detect(first: &[u8], last: bool, known_utf8: bool) -> Result<Option<(Detected, usize)>, &'static str> {
    if first.len() < 2 && !last {
        return Ok(None);
    }
    if known_utf8 {
        let undecided = first.len() < MARK.len() && MARK.starts_with(first) && !last;
        let skip = if first.starts_with(MARK) { MARK.len() } else { 0 };
        return Ok((!undecided).then_some((Detected::Utf8, skip)));
    }
    match first {
        [0xfe, 0xff, ..] => return Ok(Some((Detected::Other(UTF_16BE), 2))),
        [0xff, 0xfe, ..] => return Ok(Some((Detected::Other(UTF_16LE), 2))),
        [0, ..] => return Ok(Some((Detected::Other(UTF_16BE), 0))),
        [_, 0, ..] => return Ok(Some((Detected::Other(UTF_16LE), 0))),
        _ => {}
    }
    if first.len() < MARK.len() && MARK.starts_with(first) && !last {
        return Ok(None);
    }
    if first.starts_with(MARK) {
        return Ok(Some((Detected::Utf8, MARK.len())));
    }
    let head = &first[..first.len().min(LONGEST_DECLARATION)];
    let end = memchr::memchr(b'>', head);
    let declaration = &head[..end.unwrap_or(head.len())];
    let may_declare = declaration.starts_with(b"<?xml") || b"<?xml".starts_with(declaration);
    let complete = end.is_some() || head.len() == LONGEST_DECLARATION;
    if may_declare && !complete && !last {
        return Ok(None);
    }
    match declared_encoding(declaration) {
        Some(label) => from_label(label).map(|found| Some((found, 0))),
        None => Ok(Some((Detected::Utf8, 0))),
    }
}

/// The encoding that a declaration names, in a document whose bytes are not UTF-16.
fn from_label(label: &[u8]) -> Result<Detected, &'static str> {
    let Some(encoding) = Encoding::for_label(label) else { return Err("an encoding that is not known") };
    if encoding == UTF_8 {
        return Ok(Detected::Utf8);
    }
    if encoding == UTF_16BE || encoding == UTF_16LE {
        return Err("the XML declaration says UTF-16, but the document is not in it");
    }
    if encoding == REPLACEMENT || encoding == X_USER_DEFINED {
        return Err("an encoding that is not known");
    }
    if encoding == WINDOWS_1252 {
        let lower = label.to_ascii_lowercase();
        if lower.ends_with(b"ascii") || lower.starts_with(b"ansi") {
            return Ok(Detected::Ascii);
        }
        if !lower.ends_with(b"1252") {
            return Ok(Detected::Latin1);
        }
    }
    Ok(Detected::Other(encoding))
}

/// How the encoding of a document was found.
#[derive(Clone, Copy)]
pub(super) struct Found {
    pub encoding: Detected,
    /// The document came as text: what its declaration says has no meaning.
    pub as_text: bool,
    /// By a UTF-8 byte order mark.
    pub marked: bool,
}

impl Found {
    /// Bytes of a UTF-8 byte order mark.
    pub(super) fn mark(self) -> usize {
        if self.marked {
            MARK.len()
        } else {
            0
        }
    }

    /// Whether the document may declare the encoding `label`.
    pub(super) fn allows(self, label: &[u8]) -> Result<(), &'static str> {
        let own: &[u8] = match self.encoding {
            Detected::Other(encoding) if encoding == UTF_16LE => b"utf-16le",
            Detected::Other(encoding) if encoding == UTF_16BE => b"utf-16be",
            _ if self.as_text => return Ok(()),
            _ if self.marked => return from_label(label).map(|_| ()),
            _ if from_label(label)? == self.encoding => return Ok(()),
            _ => return Err("the XML declaration is too long to be read for its encoding"),
        };
        let lower = label.to_ascii_lowercase();
        if lower == b"utf-16" || lower == own {
            Ok(())
        } else {
            Err("the document is in UTF-16, but its XML declaration names another encoding")
        }
    }
}
