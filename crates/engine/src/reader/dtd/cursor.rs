//! Reading a declaration token by token.

use super::super::chars::{is_ncname, is_public_id_char, name_end, qname_prefix, space_end};
use super::super::failure::{malformed, Failure, Outcome};

pub(in super::super) struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
    /// Index of `bytes[0]` in the window.
    origin: usize,
}

impl<'a> Cursor<'a> {
    pub(in super::super) fn new(bytes: &'a [u8], origin: usize) -> Cursor<'a> {
        Cursor { bytes, at: 0, origin }
    }

    /// Index in the window.
    pub(super) fn place(&self) -> usize {
        self.origin + self.at
    }

    pub(super) fn wrong(&self, message: &'static str) -> Box<Failure> {
        malformed(self.place(), message)
    }

    pub(super) fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    pub(super) fn skip(&mut self, text: &[u8]) {
        self.at += text.len();
    }

    pub(super) fn eat(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    /// Skips white space; true if there was any.
    pub(super) fn space(&mut self) -> bool {
        let from = self.at;
        self.at = space_end(self.bytes, from);
        self.at > from
    }

    pub(super) fn need_space(&mut self) -> Outcome<()> {
        if self.space() {
            Ok(())
        } else {
            Err(self.wrong("white space is needed here"))
        }
    }

    /// A run of name bytes, unchecked.
    pub(super) fn run(&mut self) -> &'a [u8] {
        let from = self.at;
        self.at = name_end(self.bytes, from);
        &self.bytes[from..self.at]
    }

    /// A name with at most one colon.
    pub(super) fn qname(&mut self) -> Outcome<&'a [u8]> {
        self.checked(|name| qname_prefix(name).is_some())
    }

    pub(super) fn ncname(&mut self) -> Outcome<&'a [u8]> {
        self.checked(is_ncname)
    }

    pub(super) fn checked(&mut self, good: impl Fn(&str) -> bool) -> Outcome<&'a [u8]> {
        let from = self.at;
        let name = self.run();
        if std::str::from_utf8(name).is_ok_and(good) {
            Ok(name)
        } else {
            self.at = from;
            Err(self.wrong("a name is expected here"))
        }
    }

    /// What stands between quotes, and where it starts in the window.
    pub(super) fn literal(&mut self) -> Outcome<(&'a [u8], usize)> {
        let Some(quote @ (b'"' | b'\'')) = self.peek() else {
            return Err(self.wrong("a quoted value is expected here"));
        };
        let from = self.at + 1;
        let Some(length) = memchr::memchr(quote, &self.bytes[from..]) else {
            return Err(self.wrong("a quoted value does not end"));
        };
        self.at = from + length + 1;
        match self.peek() {
            Some(b' ' | b'\t' | b'\r' | b'\n' | b'>' | b'[') => {
                Ok((&self.bytes[from..from + length], self.origin + from))
            }
            _ => Err(self.wrong("white space is needed after a quoted value")),
        }
    }

    /// A public identifier.
    pub(super) fn public_id(&mut self) -> Outcome<()> {
        let (id, at) = self.literal()?;
        match id.iter().position(|&byte| !is_public_id_char(byte)) {
            Some(bad) => Err(malformed(at + bad, "a character that a public identifier may not have")),
            None => Ok(()),
        }
    }

    /// `>` as the last of the declaration.
    pub(super) fn close(&mut self) -> Outcome<()> {
        self.space();
        if self.eat(b'>') && self.peek().is_none() {
            Ok(())
        } else {
            Err(self.wrong("the declaration should end here"))
        }
    }
}
