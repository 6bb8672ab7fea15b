//! Namespace scopes: a scope is its parent and one more declaration. The same declarations on every item of
//! a feed are the same scope.

use std::collections::HashSet;

use super::index::Index;
use super::strings::{StringId, EMPTY, XML_PREFIX, XML_URI};
use super::NsId;

#[derive(Clone, Copy)]
struct Scope {
    parent: NsId,
    prefix: StringId,
    /// [`EMPTY`] undeclares the default namespace.
    uri: StringId,
    /// The last document that used it.
    document: u32,
}

pub(super) struct Scopes {
    scopes: Vec<Scope>,
    index: Index,
}

impl Scopes {
    pub(super) fn new() -> Scopes {
        let outermost = Scope { parent: NsId(0), prefix: XML_PREFIX, uri: XML_URI, document: 0 };
        Scopes { scopes: vec![outermost], index: Index::new() }
    }

    pub(super) fn declare(&mut self, hash: u64, parent: NsId, prefix: StringId, uri: StringId) -> NsId {
        let scopes = &self.scopes;
        let known = self.index.find(hash, |id| {
            let scope = scopes[id as usize];
            scope.parent == parent && scope.prefix == prefix && scope.uri == uri
        });
        if let Some(id) = known {
            return NsId(id);
        }
        let id = scopes.len() as u32;
        self.index.insert(hash, id);
        self.scopes.push(Scope { parent, prefix, uri, document: 0 });
        NsId(id)
    }

    /// Whether `document` had not used the scope before; now it has.
    pub(super) fn is_new_to(&mut self, scope: NsId, document: u32) -> bool {
        std::mem::replace(&mut self.scopes[scope.0 as usize].document, document) != document
    }

    pub(super) fn len(&self) -> usize {
        self.scopes.len()
    }

    /// Prefixes and namespaces of a scope, outer declarations first.
    pub(super) fn bindings(&self, scope: NsId) -> Vec<(StringId, StringId)> {
        let mut found = Vec::new();
        let mut seen = HashSet::new();
        let mut at = scope;
        while at.0 != 0 {
            let scope = self.scopes[at.0 as usize];
            if scope.prefix != XML_PREFIX && seen.insert(scope.prefix.0) && scope.uri != EMPTY {
                found.push((scope.prefix, scope.uri));
            }
            at = scope.parent;
        }
        found.push((XML_PREFIX, XML_URI));
        found.reverse();
        found
    }
}
