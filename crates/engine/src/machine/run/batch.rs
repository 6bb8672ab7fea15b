//! Results by reference.

use std::borrow::Cow;
use std::num::NonZeroU32;
use std::sync::Arc;

use super::super::set::Output;
use crate::fragment::{self, Scope};
use crate::lists::{ListId, Lists};
use crate::names::{Names, NsId};
use crate::origin::Origin;

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

/// The place of a scope in its batch, counted from 1.
pub(crate) type ScopeNumber = NonZeroU32;

#[derive(Clone, Copy, Debug)]
pub struct Fragment {
    pub kind: FragmentKind,
    /// Where its text lies, in the document's source or in the batch's own texts.
    pub start: usize,
    pub end: usize,
    pub(crate) in_source: bool,
    /// Where its node begins in the expanded source; it names the node and gives the order.
    pub offset: u64,
    /// Which of the batch's scopes it needs to stand alone.
    pub(crate) scope: Option<ScopeNumber>,
}

/// An element that lies at these places of the source.
#[inline(always)]
fn part((start, end): (u64, u64), scope: Option<ScopeNumber>) -> Fragment {
    let kind = FragmentKind::Element;
    Fragment { kind, start: start as usize, end: end as usize, in_source: true, offset: start, scope }
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

/// So many results promise more.
const MANY: usize = 256;

/// How many times as many as there are may be expected.
const MOST_AT_ONCE: u64 = 64;

/// Results by reference: each distinct fragment once, and who gets it.
#[derive(Default, Debug)]
pub struct Batch {
    /// The source of the document, if fragments are parts of it: UTF-8, since the reader has checked it.
    source: Origin,
    /// The texts of the other fragments, one after the other: UTF-8 as well.
    text: Vec<u8>,
    scopes: Vec<Arc<Scope>>,
    pub fragments: Vec<Fragment>,
    pub deliveries: Vec<(Output, u32)>,
    /// Fragments that many get, whom an index knows together: the number of their list, and the fragment.
    shared: Vec<(ListId, u32)>,
    /// How many deliveries these are.
    shared_deliveries: usize,
    pub lists: Lists,
    /// Outputs whose evaluation failed on this document.
    pub errors: Vec<(Output, String)>,
}

impl Batch {
    /// No results, but errors.
    pub fn failed(errors: Vec<(Output, String)>) -> Batch {
        Batch { errors, ..Batch::default() }
    }

    /// The text of one fragment.
    pub fn text(&self, fragment: usize) -> Cow<'_, str> {
        let lossy = |raw: &[u8]| String::from_utf8_lossy(raw).into_owned();
        match self.bytes(fragment) {
            Cow::Borrowed(raw) => simdutf8::basic::from_utf8(raw).map_or_else(|_| lossy(raw).into(), Cow::Borrowed),
            Cow::Owned(text) => Cow::Owned(String::from_utf8(text).unwrap_or_else(|error| lossy(error.as_bytes()))),
        }
    }

    /// The same as bytes.
    pub fn bytes(&self, fragment: usize) -> Cow<'_, [u8]> {
        let Fragment { start, end, in_source, scope, .. } = self.fragments[fragment];
        let raw = &(if in_source { self.source.bytes() } else { &self.text })[start..end];
        let Some(scope) = scope else { return Cow::Borrowed(raw) };
        let mut text = String::with_capacity(raw.len() + 64);
        self.scopes[scope.get() as usize - 1].standalone(raw, &mut text);
        Cow::Owned(text.into_bytes())
    }

    /// Adds an element as its source has it; its text is made to stand alone when someone asks for it.
    pub(crate) fn add_element(&mut self, offset: u64, raw: &[u8], scope: Option<ScopeNumber>) -> u32 {
        let fragment = self.add(FragmentKind::Element, offset, |text| text.extend_from_slice(raw));
        self.fragments[fragment as usize].scope = scope;
        fragment
    }

    /// The same for one that lies at these places of the source, which [`Batch::take_source`] brings later.
    #[inline]
    pub(crate) fn add_part(&mut self, places: (u64, u64), scope: Option<ScopeNumber>) -> u32 {
        self.fragments.push(part(places, scope));
        self.fragments.len() as u32 - 1
    }

    /// The same for several, each for all of the list that comes with it, who are so many: how many these are.
    pub(crate) fn share_parts(
        &mut self,
        places: impl Iterator<Item = (u64, u64)>,
        scope: Option<ScopeNumber>,
        lists: impl Iterator<Item = (ListId, usize)>,
    ) -> usize {
        let first = self.fragments.len();
        self.fragments.extend(places.map(|places| part(places, scope)));
        let added = first as u32..self.fragments.len() as u32;
        let (count, deliveries) = (added.len(), &mut self.shared_deliveries);
        self.shared.reserve(count);
        self.shared.extend(added.zip(lists).map(|(fragment, (list, count))| {
            *deliveries += count;
            (list, fragment)
        }));
        count
    }

    /// Whether fragments are parts of the source.
    pub(crate) fn has_parts(&self) -> bool {
        self.fragments.iter().any(|fragment| fragment.in_source)
    }

    pub(crate) fn take_source(&mut self, source: Origin) {
        self.source = source;
    }

    /// Adds namespaces that fragments need to stand alone.
    pub(crate) fn add_scope(&mut self, scope: &Arc<Scope>) -> Option<ScopeNumber> {
        self.scopes.push(Arc::clone(scope));
        NonZeroU32::new(self.scopes.len() as u32)
    }

    /// The fragment of an element with this source. Those who get the same element one after the other share it.
    pub(super) fn element(&mut self, raw: &[u8], offset: u64, namespaces: NsId, names: &Names) -> u32 {
        if self.fragments.last().is_some_and(|last| last.offset == offset && last.kind == FragmentKind::Element) {
            return self.fragments.len() as u32 - 1;
        }
        self.add(FragmentKind::Element, offset, |text| {
            if names.declares(namespaces) {
                let mut alone = String::new();
                fragment::standalone(raw, namespaces, names, &mut alone);
                text.extend_from_slice(alone.as_bytes());
            } else {
                text.extend_from_slice(raw);
            }
        })
    }

    /// Makes room, if there is none, for as many results as the rest of the source promises: `done` of the `known` bytes
    /// gave what there is. Growing step by step would copy them again and again.
    #[inline]
    pub(super) fn expect_more(&mut self, done: u64, known: u64) {
        if self.fragments.len() == self.fragments.capacity() && self.fragments.len() >= MANY {
            self.make_room(done.max(1), known);
        }
    }

    #[cold]
    fn make_room(&mut self, done: u64, known: u64) {
        // An eighth more, since no guess is exact.
        let rest = known.saturating_sub(done).min(done.saturating_mul(MOST_AT_ONCE));
        let more = |length: usize| (length as u128 * u128::from(rest) / u128::from(done)) as usize + length / 8;
        self.fragments.reserve(more(self.fragments.len()));
        self.deliveries.reserve(more(self.deliveries.len()));
        self.text.reserve(more(self.text.len()));
    }

    /// A fragment is for all of a list, who are so many.
    #[inline]
    pub(crate) fn share(&mut self, list: ListId, count: usize, fragment: u32) {
        self.shared.push((list, fragment));
        self.shared_deliveries += count;
    }

    /// How many deliveries there are.
    pub fn count(&self) -> usize {
        self.deliveries.len() + self.shared_deliveries
    }

    /// Adds a fragment whose text `write` appends.
    pub(crate) fn add(&mut self, kind: FragmentKind, offset: u64, write: impl FnOnce(&mut Vec<u8>)) -> u32 {
        let start = self.text.len();
        write(&mut self.text);
        self.fragments.push(Fragment { kind, start, end: self.text.len(), in_source: false, offset, scope: None });
        self.fragments.len() as u32 - 1
    }

    /// The fragments that many get, each with all of them.
    pub fn shared(&self) -> impl Iterator<Item = (&[Output], u32)> {
        self.shared.iter().map(|&(list, fragment)| (self.lists.get(list), fragment))
    }

    /// Writes out who gets the shared fragments.
    pub fn explode(&mut self) {
        self.shared_deliveries = 0;
        for (list, fragment) in std::mem::take(&mut self.shared) {
            self.deliveries.extend(self.lists.get(list).iter().map(|&output| (output, fragment)));
        }
    }

    /// Adds all of another batch.
    pub fn absorb(&mut self, other: &Batch) {
        let (text, fragments, scopes) = (self.text.len(), self.fragments.len() as u32, self.scopes.len() as u32);
        self.text.extend_from_slice(&other.text);
        let source = self.text.len();
        let in_source = self.source.is_none();
        if in_source {
            self.source = other.source.clone();
        } else {
            self.text.extend_from_slice(other.source.bytes());
        }
        self.scopes.extend(other.scopes.iter().cloned());
        let moved = |one: &Fragment| {
            let (by, in_source) = match one.in_source {
                true if in_source => (0, true),
                true => (source, false),
                false => (text, false),
            };
            let scope = one.scope.and_then(|scope| scope.checked_add(scopes));
            Fragment { start: one.start + by, end: one.end + by, in_source, scope, ..*one }
        };
        self.fragments.extend(other.fragments.iter().map(moved));
        self.deliveries.extend(other.deliveries.iter().map(|&(output, one)| (output, one + fragments)));
        for &(list, one) in &other.shared {
            let adopted = self.lists.adopt(&other.lists, list);
            self.share(adopted, other.lists.get(list).len(), one + fragments);
        }
        self.errors.extend_from_slice(&other.errors);
    }

    /// Adds a delivery of another batch.
    pub fn adopt(&mut self, output: Output, other: &Batch, index: usize) {
        let Fragment { kind, offset, .. } = other.fragments[index];
        let fragment = self.add(kind, offset, |text| text.extend_from_slice(&other.bytes(index)));
        self.deliveries.push((output, fragment));
    }
}
