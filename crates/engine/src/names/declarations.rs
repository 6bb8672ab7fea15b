//! A small direct-mapped cache of namespace declarations: feeds repeat the same ones on every document.

use super::strings::{StringId, Strings};
use super::NsId;

const BITS: u32 = 9;

#[derive(Clone, Copy)]
struct Slot {
    parent: NsId,
    declared: Declared,
}

/// A declaration that was checked before, and the scope that it makes of its parent.
#[derive(Clone, Copy)]
pub(crate) struct Declared {
    pub(crate) prefix: StringId,
    pub(crate) uri: StringId,
    pub(crate) scope: NsId,
}

pub(super) struct Declarations {
    slots: Vec<Option<Slot>>,
}

impl Declarations {
    pub(super) fn new() -> Declarations {
        Declarations { slots: vec![None; 1 << BITS] }
    }

    pub(super) fn get(&self, strings: &Strings, parent: NsId, prefix: &[u8], uri: &[u8]) -> Option<Declared> {
        let slot = self.slots[place(parent, prefix, uri)]?;
        let same = slot.parent == parent
            && strings.get(slot.declared.prefix).as_bytes() == prefix
            && strings.get(slot.declared.uri).as_bytes() == uri;
        same.then_some(slot.declared)
    }

    pub(super) fn put(&mut self, strings: &Strings, parent: NsId, declared: Declared) {
        let (prefix, uri) = (strings.get(declared.prefix), strings.get(declared.uri));
        self.slots[place(parent, prefix.as_bytes(), uri.as_bytes())] = Some(Slot { parent, declared });
    }
}

/// Prefixes differ within a scope, so they and the scope decide, with the length of the name for what is left.
fn place(parent: NsId, prefix: &[u8], uri: &[u8]) -> usize {
    let start = prefix.iter().take(8).fold(0, |word, &byte| word << 8 | u64::from(byte));
    let mixed = (start ^ (u64::from(parent.0) << 24) ^ (uri.len() as u64) << 56).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed >> (64 - BITS)) as usize
}
