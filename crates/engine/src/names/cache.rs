//! A small direct-mapped cache from a name as written, in a scope, to its id.

use super::{NameId, NsId};

/// Names up to this length are held in full.
const EXACT: usize = 16;

const BITS: u32 = 12;

#[derive(Clone, Copy, Default)]
struct Slot {
    key: Key,
    scope: u32,
    id: u32,
    /// The document that used the slot last.
    document: u32,
}

/// The first eight bytes, the last eight of a longer name, and the length (0 in an empty slot). All of a name that
/// is no longer than [`EXACT`].
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Key {
    head: u64,
    tail: u64,
    length: u32,
}

pub(super) struct Cache {
    slots: Vec<Slot>,
}

impl Cache {
    pub(super) fn new() -> Cache {
        Cache { slots: vec![Slot::default(); 1 << BITS] }
    }

    /// The id of the name with this key, if `document` has used it. Unless the key is exact the answer must still
    /// be compared.
    #[inline(always)]
    pub(super) fn get(&self, key: Key, scope: NsId, document: u32) -> Option<NameId> {
        let slot = &self.slots[place(key, scope)];
        (slot.key == key && slot.scope == scope.0 && slot.document == document).then_some(NameId(slot.id))
    }

    /// The same whichever document used it.
    pub(super) fn get_older(&self, key: Key, scope: NsId) -> Option<NameId> {
        let slot = &self.slots[place(key, scope)];
        (slot.key == key && slot.scope == scope.0).then_some(NameId(slot.id))
    }

    pub(super) fn put(&mut self, key: Key, scope: NsId, id: NameId, document: u32) {
        self.slots[place(key, scope)] = Slot { key, scope: scope.0, id: id.0, document };
    }
}

impl Key {
    /// The key of the name at `text[start..end]`, which is not empty.
    #[inline(always)]
    pub(crate) fn of(text: &[u8], start: usize, end: usize) -> Key {
        let length = end - start;
        let head = match text.get(start..).and_then(|rest| rest.first_chunk()) {
            Some(chunk) => u64::from_le_bytes(*chunk),
            None => padded(&text[start..end]),
        };
        if length <= 8 {
            let unused = 64_u32.wrapping_sub(8 * length as u32);
            return Key { head: head.wrapping_shl(unused).wrapping_shr(unused), tail: 0, length: length as u32 };
        }
        let tail =
            text.get(end - 8..).and_then(|rest| rest.first_chunk()).map_or(0, |chunk| u64::from_le_bytes(*chunk));
        Key { head, tail, length: length as u32 }
    }

    pub(crate) fn length(self) -> usize {
        self.length as usize
    }

    /// Whether the key is the whole name.
    pub(crate) fn is_exact(self) -> bool {
        self.length as usize <= EXACT
    }
}

/// Fewer than eight bytes, at the very end of a text.
#[cold]
fn padded(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte))
}

#[inline(always)]
fn place(key: Key, scope: NsId) -> usize {
    let mixed = (key.head ^ key.tail.rotate_left(29)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
        ^ (u64::from(scope.0) << 8 | u64::from(key.length)).wrapping_mul(0xc2b2_ae3d_27d4_eb4f);
    (mixed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - BITS)) as usize
}
