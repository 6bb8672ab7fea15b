//! Interned prefixes and namespace names.

use std::hash::{BuildHasher, Hash, RandomState};

use super::index::Index;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StringId(pub(crate) u32);

/// Always there: no prefix, no namespace.
pub(crate) const EMPTY: StringId = StringId(0);
pub(crate) const XML_PREFIX: StringId = StringId(1);
pub(crate) const XML_URI: StringId = StringId(2);

pub(super) struct Strings {
    hasher: RandomState,
    text: String,
    /// Where each string ends; it starts where the one before ends.
    ends: Vec<usize>,
    index: Index,
}

impl Strings {
    pub(super) fn new() -> Strings {
        let mut strings =
            Strings { hasher: RandomState::new(), text: String::new(), ends: Vec::new(), index: Index::new() };
        for known in ["", "xml", "http://www.w3.org/XML/1998/namespace"] {
            strings.intern(known);
        }
        strings
    }

    pub(super) fn hash(&self, key: impl Hash) -> u64 {
        self.hasher.hash_one(key)
    }

    pub(super) fn get(&self, id: StringId) -> &str {
        slice(&self.text, &self.ends, id.0)
    }

    pub(super) fn find(&self, text: &str) -> Option<StringId> {
        self.index.find(self.hash(text), |id| slice(&self.text, &self.ends, id) == text).map(StringId)
    }

    pub(super) fn intern(&mut self, text: &str) -> StringId {
        if let Some(id) = self.find(text) {
            return id;
        }
        let id = self.ends.len() as u32;
        self.index.insert(self.hash(text), id);
        self.text.push_str(text);
        self.ends.push(self.text.len());
        StringId(id)
    }

    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(super) fn bytes(&self) -> usize {
        self.text.len()
    }
}

fn slice<'a>(text: &'a str, ends: &[usize], id: u32) -> &'a str {
    let start = if id == 0 { 0 } else { ends[id as usize - 1] };
    &text[start..ends[id as usize]]
}
