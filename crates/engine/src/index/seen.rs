//! A document that has ended: the nodes that were kept of it, and its source, wherever that lies.

use std::borrow::Cow;

use super::aside::{self, Aside};
use crate::fragment;
use crate::tape::{Kind, Node, Tape};
use crate::xquery;

#[derive(Clone, Copy)]
pub struct Seen<'a> {
    tape: &'a Tape,
    /// The expanded source.
    source: &'a [u8],
    aside: &'a Aside,
    /// All text nodes are on the tape.
    has_text: bool,
}

impl<'a> Seen<'a> {
    pub(super) fn new(tape: &'a Tape, aside: &'a Aside, source: &'a [u8], has_text: bool) -> Seen<'a> {
        Seen { tape, source, aside, has_text }
    }

    #[inline]
    pub fn tape(&self) -> &'a Tape {
        self.tape
    }

    /// The source of an element.
    pub fn source(&self, node: Node) -> &'a [u8] {
        let (start, end) = self.tape.record(node).source;
        &self.source[start as usize..end as usize]
    }

    /// The source of the document.
    pub fn whole(&self) -> &'a [u8] {
        self.source
    }

    /// The string value of a node.
    pub fn value(&self, node: Node) -> Cow<'a, [u8]> {
        if node >= aside::FIRST {
            return Cow::Borrowed(self.aside.value(node, self.source));
        }
        if self.has_text || self.tape.record(node).kind != Kind::Element {
            return Cow::Borrowed(self.tape.value_bytes(node));
        }
        fragment::string_value(self.source(node))
    }
}

impl xquery::Source for Seen<'_> {
    fn slice(&self, start: u64, end: u64) -> &[u8] {
        &self.source[start as usize..end as usize]
    }

    fn whole(&self) -> &[u8] {
        self.source
    }
}
