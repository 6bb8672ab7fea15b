//! The root's start tag, if it is that of the last document: the items of a feed have the same one, with the same namespaces.

use super::failure::{stopped, Outcome};
use super::scan::Scan;
use super::state::Open;
use super::tag_syntax::Tag;
use crate::events::{Handler, StartTag};
use crate::names::{Key, NameId, NsId, StringId};

/// A longer one is not worth its memory.
const LONGEST: usize = 4096;

/// A start tag without attributes other than namespace declarations.
pub(super) struct RootTag {
    /// As it is written, `<` to `>`.
    written: Box<[u8]>,
    name: NameId,
    key: Key,
    /// Bytes of the name.
    length: u32,
    /// The namespaces that it declares, and the scope of the element.
    declared: Box<[(StringId, StringId)]>,
    scope: NsId,
}

impl<H: Handler> Scan<'_, '_, H> {
    /// Reads the root's start tag if it is the one that is known. (Nothing is counted: so the names must have been foreseen.)
    pub(super) fn known_root(&mut self) -> Outcome<bool> {
        let state = &mut *self.state;
        let is_root = state.open.is_empty() && !state.dtd.declares_attributes() && state.names.are_foreseen();
        let Some(root) = state.root.as_ref().filter(|_| is_root) else { return Ok(false) };
        if !self.text[self.at..].starts_with(&root.written) {
            return Ok(false);
        }
        state.tag += 1;
        let bindings = state.bindings.mark();
        for &(prefix, uri) in &root.declared {
            state.bindings.bind(prefix, uri, state.tag);
        }
        let &RootTag { name, key, length, scope, .. } = root;
        let (start, end) = (self.at, self.at + root.written.len());
        state.open.push(Open { key, length, name, scope: state.scope, bindings });
        state.scope = scope;
        self.at = end;
        let (from, to) = (self.offset(start), self.offset(end));
        let event = StartTag { name, start: from, end: to, attributes: &[], namespaces: scope };
        let source = self.source();
        self.handler.start(source, &self.state.names, &event).map_err(|stop| stopped(start, stop))?;
        Ok(true)
    }

    /// Keeps in mind the root's start tag, which was just read from `start` on.
    pub(super) fn note_root(&mut self, start: usize, tag: &Tag) {
        let state = &mut *self.state;
        let written = &self.text[start..tag.end];
        let is_worth_it = self.attributes.is_empty() && written.len() <= LONGEST;
        let Some(&Open { key, length, name, .. }) = state.open.last().filter(|_| is_worth_it) else { return };
        let declared = state.bindings.since(0).collect();
        state.root = Some(RootTag { written: written.into(), name, key, length, declared, scope: state.scope });
    }
}
