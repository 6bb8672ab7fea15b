//! What the reader knows while it reads a document, apart from the bytes.

use super::ahead::Specials;
use super::bindings::Bindings;
use super::dtd::Dtd;
use super::encodings::{Detected, Found};
use super::expansion::{Expansion, Splice};
use super::failure::{limit, malformed, namespace, shown, Outcome};
use super::root_tag::RootTag;
use super::tag_syntax::RawAttribute;
use crate::events::Attribute;
use crate::limits::Limits;
use crate::names::{Key, NameId, Names, NsId, EMPTY, NO_DECLARATIONS};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// Nothing read: an XML declaration may come.
    Start,
    Prolog,
    /// Between `[` and `]` of the document type declaration.
    Subset,
    /// Between that `]` and `>`.
    SubsetEnd,
    Content,
    /// In a CDATA section, all before is delivered.
    Cdata,
    Epilog,
}

pub(super) struct Open {
    /// To compare the end tag's name with.
    pub key: Key,
    pub length: u32,
    pub name: NameId,
    /// The scope around the element.
    pub scope: NsId,
    /// The bindings around the element.
    pub bindings: u32,
}

pub(super) struct State {
    pub limits: Limits,
    pub names: Names,
    pub found: Found,
    pub phase: Phase,
    /// No more input will come.
    pub at_end: bool,
    pub has_doctype: bool,
    pub open: Vec<Open>,
    pub scope: NsId,
    pub bindings: Bindings,
    /// The last root's start tag, if it may be met again.
    pub root: Option<RootTag>,
    /// Pieces of a text node were delivered, its end not yet.
    pub text_open: bool,
    /// Bytes of the unfinished token that were searched for its end, and the quote that is open there (or 0).
    pub searched: usize,
    pub quote: u8,
    pub specials: Specials,
    pub dtd: Dtd,
    pub expansions: Vec<Expansion>,
    /// A change of the window that scanning waits for.
    pub splice: Option<Splice>,
    /// Bytes that entities and long default values have added.
    pub expanded: u64,
    /// Number of the start tag that is read, from 1, over all documents.
    pub tag: u64,
    /// By expanded name: the last tag that had an attribute of that name.
    pub seen: Vec<u64>,
    pub raw_attributes: Vec<RawAttribute>,
    /// Kept for its allocation.
    pub attributes: Vec<Attribute<'static>>,
}

/// The cache key for attribute names without prefix: they are in no namespace, whatever the scope.
pub(super) const ANY_SCOPE: NsId = NsId(u32::MAX);

/// What a distinct name may take on average, over the names of one document.
const BYTES_PER_NAME: usize = 64;
const LEAST_NAME_BYTES: usize = 1 << 20;

impl State {
    pub(super) fn new(limits: Limits) -> State {
        State {
            limits,
            names: Names::new(),
            found: Found { encoding: Detected::Utf8, as_text: false, marked: false },
            phase: Phase::Start,
            at_end: false,
            has_doctype: false,
            open: Vec::new(),
            scope: NO_DECLARATIONS,
            bindings: Bindings::default(),
            root: None,
            text_open: false,
            searched: 0,
            quote: 0,
            specials: Specials::new(),
            dtd: Dtd::default(),
            expansions: Vec::new(),
            splice: None,
            expanded: 0,
            tag: 0,
            seen: Vec::new(),
            raw_attributes: Vec::new(),
            attributes: Vec::new(),
        }
    }

    pub(super) fn reset(&mut self) {
        self.phase = Phase::Start;
        self.at_end = false;
        self.has_doctype = false;
        self.open.clear();
        self.scope = NO_DECLARATIONS;
        self.bindings.restore(0);
        self.text_open = false;
        self.searched = 0;
        self.quote = 0;
        self.specials = Specials::new();
        self.dtd.clear();
        self.expansions.clear();
        self.expanded = 0;
        let generation = self.names.generation();
        self.names.begin_document();
        if self.names.generation() != generation {
            self.bindings = Bindings::default();
            self.root = None;
            self.seen = Vec::new();
        }
    }

    /// Has the unfinished token read again: no more of it will come, and an error in it comes first.
    pub(super) fn forget_search(&mut self) {
        self.searched = 0;
        self.quote = 0;
    }

    /// The window lost its first bytes.
    pub(super) fn dropped(&mut self, dropped: usize) {
        self.specials.dropped(dropped);
        for expansion in &mut self.expansions {
            expansion.end -= dropped;
        }
    }

    /// Elements that were open where the innermost expansion began: they cannot end in it.
    #[inline]
    pub(super) fn floor(&self) -> usize {
        self.expansions.last().map_or(0, |expansion| expansion.depth)
    }

    /// Finds a name that this document has not used in this scope: checks it, resolves its prefix and remembers it.
    #[cold]
    pub(super) fn resolve(&mut self, key: Key, raw: &[u8], scope: NsId, at: usize) -> Outcome<NameId> {
        if let Some(id) = self.known_before(key, raw, scope, at)? {
            return Ok(id);
        }
        let id = self.intern(raw, scope, at)?;
        self.names.remember(key, scope, id);
        self.check_names(at)?;
        Ok(id)
    }

    /// Finds a name that an earlier document has used in this scope, or that another has come before in the cache.
    #[inline(never)]
    pub(super) fn known_before(&mut self, key: Key, raw: &[u8], scope: NsId, at: usize) -> Outcome<Option<NameId>> {
        let known = self.names.cached_before(key, raw, scope);
        if let Some(id) = known {
            self.names.remember(key, scope, id);
            self.check_names(at)?;
        }
        Ok(known)
    }

    fn intern(&mut self, raw: &[u8], scope: NsId, at: usize) -> Outcome<NameId> {
        if raw.len() > self.limits.name_bytes as usize {
            return Err(limit(at, format!("a name of more than {} bytes", self.limits.name_bytes)));
        }
        let text = std::str::from_utf8(raw).unwrap_or_default();
        let Some(prefix_length) = super::chars::qname_prefix(text) else {
            return Err(malformed(at, format!("'{}' is not a name", shown(raw))));
        };
        let uri = if scope == ANY_SCOPE {
            Some(EMPTY)
        } else {
            let prefix = self.names.find_string(&text[..prefix_length]);
            prefix.and_then(|prefix| self.bindings.of(prefix))
        };
        let Some(uri) = uri else {
            return Err(namespace(at, format!("the prefix of '{}' is not bound to a namespace", shown(raw))));
        };
        Ok(self.names.intern_qualified(text, prefix_length, uri))
    }

    /// How many names a document may use, and how many bytes of names.
    fn most_names(&self) -> (usize, usize) {
        let most = self.limits.distinct_names as usize;
        (most, most.saturating_mul(BYTES_PER_NAME).max(LEAST_NAME_BYTES))
    }

    /// The document has so many bytes.
    pub(super) fn foresee(&mut self, bytes: usize) {
        let (most, most_bytes) = self.most_names();
        self.names.foresee(bytes, most, most_bytes);
    }

    /// Fails when the document has used too many names or namespaces.
    #[inline]
    pub(super) fn check_names(&self, at: usize) -> Outcome<()> {
        let (most, most_bytes) = self.most_names();
        let (used, used_bytes) = self.names.used();
        if used > most || used_bytes > most_bytes {
            return Err(limit(at, format!("more than {most} distinct names and namespaces")));
        }
        Ok(())
    }
}
