//! Results by reference.

use std::borrow::Cow;
use std::sync::Arc;

use super::super::set::Output;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FragmentKind {
    Element,
    Attribute,
    Text,
    Comment,
    Instruction,
    Atomic,
    Document,
}

impl FragmentKind {
    pub fn as_str(self) -> &'static str {
        match self {
            FragmentKind::Element => "element",
            FragmentKind::Attribute => "attribute",
            FragmentKind::Text => "text",
            FragmentKind::Comment => "comment",
            FragmentKind::Instruction => "pi",
            FragmentKind::Atomic => "atomic",
            FragmentKind::Document => "document",
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub struct Fragment {
    pub kind: FragmentKind,
    /// Where its text lies in the batch's.
    pub start: usize,
    pub end: usize,
    /// Where its node begins in the expanded source; it names the node and gives the order.
    pub offset: u64,
}

impl Fragment {
    /// Its place in document order.
    pub fn rank(&self) -> u64 {
        // A query numbers its items from 1, documents among them; the document itself is at 0.
        rank(self.offset, self.kind == FragmentKind::Document && self.offset == 0)
    }
}

/// The place of a node in document order: the document node comes before what begins at the same byte.
pub fn rank(offset: u64, is_document: bool) -> u64 {
    if is_document {
        0
    } else {
        offset + 1
    }
}

/// Results by reference: each distinct fragment once, and who gets it.
#[derive(Default, Debug)]
pub struct Batch {
    /// The texts of all fragments, one after the other: UTF-8, since the reader has checked the source.
    text: Vec<u8>,
    pub fragments: Vec<Fragment>,
    pub deliveries: Vec<(Output, u32)>,
    /// Fragments that many get, whom an index knows together.
    pub shared: Vec<(Arc<[Output]>, u32)>,
    /// Outputs whose evaluation failed on this document.
    pub errors: Vec<(Output, String)>,
}

impl Batch {
    /// No results, but errors.
    pub fn failed(errors: Vec<(Output, String)>) -> Batch {
        Batch { errors, ..Batch::default() }
    }

    /// The texts of all fragments; they are ranges of it.
    pub fn text(&self) -> Cow<'_, str> {
        match simdutf8::basic::from_utf8(&self.text) {
            Ok(text) => Cow::Borrowed(text),
            Err(_) => String::from_utf8_lossy(&self.text),
        }
    }

    /// The text of one fragment.
    pub fn bytes(&self, fragment: usize) -> &[u8] {
        let Fragment { start, end, .. } = self.fragments[fragment];
        &self.text[start..end]
    }

    /// Adds a fragment whose text `write` appends.
    pub(crate) fn add(&mut self, kind: FragmentKind, offset: u64, write: impl FnOnce(&mut Vec<u8>)) -> u32 {
        let start = self.text.len();
        write(&mut self.text);
        self.fragments.push(Fragment { kind, start, end: self.text.len(), offset });
        self.fragments.len() as u32 - 1
    }

    /// Writes out who gets the shared fragments.
    pub fn explode(&mut self) {
        for (outputs, fragment) in std::mem::take(&mut self.shared) {
            self.deliveries.extend(outputs.iter().map(|&output| (output, fragment)));
        }
    }

    /// Adds all of another batch.
    pub fn absorb(&mut self, other: &Batch) {
        let (text, fragments) = (self.text.len(), self.fragments.len() as u32);
        self.text.extend_from_slice(&other.text);
        let moved = |one: &Fragment| Fragment { start: one.start + text, end: one.end + text, ..*one };
        self.fragments.extend(other.fragments.iter().map(moved));
        self.deliveries.extend(other.deliveries.iter().map(|&(output, one)| (output, one + fragments)));
        self.shared.extend(other.shared.iter().map(|(outputs, one)| (Arc::clone(outputs), one + fragments)));
        self.errors.extend_from_slice(&other.errors);
    }

    /// Adds a delivery of another batch.
    pub fn adopt(&mut self, output: Output, other: &Batch, index: usize) {
        let Fragment { kind, start, end, offset } = other.fragments[index];
        let fragment = self.add(kind, offset, |text| text.extend_from_slice(&other.text[start..end]));
        self.deliveries.push((output, fragment));
    }
}
