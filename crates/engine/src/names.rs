//! Interned names and namespace scopes.
//!
//! The tables live as long as their reader, so that the next document finds its names known. Names come from
//! documents, so every table is keyed by a seeded hash: no input can make look-ups slow.

mod cache;
mod declarations;
mod index;
mod scopes;
mod strings;

use cache::Cache;
use declarations::Declarations;
use index::Index;
use scopes::Scopes;
use strings::Strings;

pub(crate) use cache::Key;
pub(crate) use declarations::Declared;
pub(crate) use strings::{StringId, EMPTY, XML_PREFIX, XML_URI};

/// A qualified name as written together with its namespace: `p:a` in `urn:x`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NameId(pub u32);

/// A set of namespaces in scope (hash-consed).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NsId(pub u32);

/// What every element starts from: only `xml` is bound.
pub(crate) const NO_DECLARATIONS: NsId = NsId(0);

/// The tables are emptied between documents when they hold more than this.
const LARGE_COUNT: usize = 1 << 16;
const LARGE_BYTES: usize = 8 << 20;

struct Entry {
    start: usize,
    length: u32,
    /// Bytes of the prefix, 0 without one.
    prefix: u32,
    uri: StringId,
    /// The first name with the same namespace and local part: equal for `p:a` and `q:a` in one namespace.
    expanded: u32,
    /// The last document that used it.
    document: u32,
}

/// The interner of one reader.
pub struct Names {
    text: String,
    entries: Vec<Entry>,
    by_name: Index,
    by_expanded: Index,
    strings: Strings,
    scopes: Scopes,
    cache: Cache,
    declarations: Declarations,
    generation: u64,
    /// Number of the document that is read, from 1 after each emptying.
    document: u32,
    /// Whatever name a document from this one on has used need not be counted again.
    counted_since: u32,
    /// Names and scopes that it has used so far, as far as they are counted, and their bytes.
    used: usize,
    used_bytes: usize,
}

impl Default for Names {
    fn default() -> Names {
        Names::new()
    }
}

impl Names {
    pub fn new() -> Names {
        Names {
            text: String::new(),
            entries: Vec::new(),
            by_name: Index::new(),
            by_expanded: Index::new(),
            strings: Strings::new(),
            scopes: Scopes::new(),
            cache: Cache::new(),
            declarations: Declarations::new(),
            generation: 0,
            document: 1,
            counted_since: 1,
            used: 0,
            used_bytes: 0,
        }
    }

    /// The prefix as written, `""` without one.
    pub fn prefix(&self, id: NameId) -> &str {
        let entry = &self.entries[id.0 as usize];
        &self.text[entry.start..entry.start + entry.prefix as usize]
    }

    pub fn local(&self, id: NameId) -> &str {
        let entry = &self.entries[id.0 as usize];
        let skip = if entry.prefix == 0 { 0 } else { entry.prefix as usize + 1 };
        &self.text[entry.start + skip..entry.start + entry.length as usize]
    }

    /// The namespace name, `""` for none.
    pub fn uri(&self, id: NameId) -> &str {
        self.strings.get(self.entries[id.0 as usize].uri)
    }

    /// The name as written: `p:a`.
    pub fn qualified(&self, id: NameId) -> &str {
        let entry = &self.entries[id.0 as usize];
        &self.text[entry.start..entry.start + entry.length as usize]
    }

    #[inline]
    pub(crate) fn qualified_bytes(&self, id: NameId) -> &[u8] {
        let entry = &self.entries[id.0 as usize];
        &self.text.as_bytes()[entry.start..entry.start + entry.length as usize]
    }

    /// Equal numbers mean equal namespace and local part.
    #[inline]
    pub(crate) fn expanded(&self, id: NameId) -> u32 {
        self.entries[id.0 as usize].expanded
    }

    /// The id of a name, made when it is new.
    pub fn intern(&mut self, prefix: &str, local: &str, uri: &str) -> NameId {
        let uri = self.strings.intern(uri);
        if prefix.is_empty() {
            self.intern_qualified(local, 0, uri)
        } else {
            self.intern_qualified(&format!("{prefix}:{local}"), prefix.len(), uri)
        }
    }

    /// As [`Names::intern`], with the name as written and the length of its prefix.
    pub(crate) fn intern_qualified(&mut self, qualified: &str, prefix: usize, uri: StringId) -> NameId {
        let hash = self.strings.hash((qualified, uri.0));
        let (entries, text) = (&self.entries, &self.text);
        let written = |entry: &Entry| &text[entry.start..entry.start + entry.length as usize];
        let known = self.by_name.find(hash, |id| {
            let entry = &entries[id as usize];
            entry.uri == uri && written(entry) == qualified
        });
        if let Some(id) = known {
            return NameId(id);
        }
        let local = if prefix == 0 { qualified } else { &qualified[prefix + 1..] };
        let local_hash = self.strings.hash((local, uri.0));
        let same = self.by_expanded.find(local_hash, |id| {
            let entry = &entries[id as usize];
            let skip = if entry.prefix == 0 { 0 } else { entry.prefix as usize + 1 };
            entry.uri == uri && &written(entry)[skip..] == local
        });
        let id = self.entries.len() as u32;
        if same.is_none() {
            self.by_expanded.insert(local_hash, id);
        }
        self.by_name.insert(hash, id);
        self.entries.push(Entry {
            start: self.text.len(),
            length: qualified.len() as u32,
            prefix: prefix as u32,
            uri,
            expanded: same.unwrap_or(id),
            document: 0,
        });
        self.text.push_str(qualified);
        NameId(id)
    }

    /// Ids are dense: `0..len`.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Changes when the table was emptied, which happens only between documents: caches keyed by
    /// [`NameId`] or [`NsId`] must then be dropped.
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// The namespaces of a scope as (prefix, uri): `xml` first, then outer declarations before inner ones;
    /// the nearest declaration of a prefix wins and an undeclared default namespace is left out.
    pub fn in_scope(&self, scope: NsId) -> impl Iterator<Item = (&str, &str)> {
        self.scopes.bindings(scope).into_iter().map(|(prefix, uri)| (self.strings.get(prefix), self.strings.get(uri)))
    }

    /// Whether anything but `xml` may be bound in the scope.
    pub fn declares(&self, scope: NsId) -> bool {
        scope.0 != 0
    }

    /// The scope that one more declaration makes of `parent`.
    pub(crate) fn declare(&mut self, parent: NsId, prefix: &str, uri: &str) -> Declared {
        let (prefix, uri) = (self.strings.intern(prefix), self.strings.intern(uri));
        let hash = self.strings.hash((parent.0, prefix.0, uri.0));
        let declared = Declared { prefix, uri, scope: self.scopes.declare(hash, parent, prefix, uri) };
        self.declarations.put(&self.strings, parent, declared);
        self.use_scope(declared);
        declared
    }

    /// The same if it was declared before.
    pub(crate) fn declared(&mut self, parent: NsId, prefix: &[u8], uri: &[u8]) -> Option<Declared> {
        let declared = self.declarations.get(&self.strings, parent, prefix, uri)?;
        self.use_scope(declared);
        Some(declared)
    }

    /// Notes that this document uses the scope.
    fn use_scope(&mut self, declared: Declared) {
        if self.scopes.is_new_to(declared.scope, self.document) {
            self.used += 1;
            self.used_bytes += self.strings.get(declared.prefix).len() + self.strings.get(declared.uri).len();
        }
    }

    pub(crate) fn find_string(&self, text: &str) -> Option<StringId> {
        self.strings.find(text)
    }

    /// The name that `text[start..end]`, whose key is `key`, was last found to be in `scope` by this document, or by an
    /// earlier one if names need not be counted.
    #[inline(always)]
    pub(crate) fn cached(&self, key: Key, text: &[u8], (start, end): (usize, usize), scope: NsId) -> Option<NameId> {
        let id = self.cache.get(key, scope, self.counted_since)?;
        (key.is_exact() || self.qualified_bytes(id) == &text[start..end]).then_some(id)
    }

    /// The same found by an earlier document.
    #[inline]
    pub(crate) fn cached_before(&self, key: Key, raw: &[u8], scope: NsId) -> Option<NameId> {
        let id = self.cache.get_older(key, scope)?;
        (key.is_exact() || self.qualified_bytes(id) == raw).then_some(id)
    }

    /// Notes that this document uses the name, under `key` in `scope`.
    #[inline]
    pub(crate) fn remember(&mut self, key: Key, scope: NsId, id: NameId) {
        self.cache.put(key, scope, id, self.document);
        let entry = &mut self.entries[id.0 as usize];
        if entry.document != self.document {
            entry.document = self.document;
            self.used += 1;
            self.used_bytes += entry.length as usize;
        }
    }

    /// Names and scopes that this document has used, and the bytes they take.
    pub(crate) fn used(&self) -> (usize, usize) {
        (self.used, self.used_bytes)
    }

    /// A new document begins. Empties the tables if they are large; ids given before are then void.
    pub(crate) fn begin_document(&mut self) {
        let count = self.entries.len() + self.strings.len() + self.scopes.len();
        let bytes = self.text.len() + self.strings.bytes();
        if count > LARGE_COUNT || bytes > LARGE_BYTES || self.document == u32::MAX {
            let generation = self.generation + 1;
            *self = Names::new();
            self.generation = generation;
        } else {
            self.document += 1;
            self.used = 0;
            self.used_bytes = 0;
        }
        self.count_names();
    }

    /// From here on the names are counted that the document uses.
    pub(crate) fn count_names(&mut self) {
        self.counted_since = self.document;
    }

    /// The document has so many bytes and no entities. If all names that are known, and as many more as it may have, are not
    /// too many, its names need not be counted.
    pub(crate) fn foresee(&mut self, bytes: usize, most: usize, most_bytes: usize) {
        let count = self.entries.len() + self.scopes.len();
        let known_bytes = self.text.len() + self.strings.bytes();
        if count + bytes <= most && known_bytes + bytes <= most_bytes {
            self.counted_since = 1;
        }
    }

    /// Whether names need not be counted.
    pub(crate) fn are_foreseen(&self) -> bool {
        self.counted_since == 1
    }
}
