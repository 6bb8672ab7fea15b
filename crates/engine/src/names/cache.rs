//! A small cache from a name as written, in a scope, to its id. Each place has room for two, the one used last first.

use super::{NameId, NsId};

/// Names up to this length are held in full.
const EXACT: usize = 16;

const BITS: u32 = 11;
const PLACES: usize = 1 << BITS;

#[derive(Clone, Copy, Default)]
struct Slot {
    key: Key,
    scope: u32,
    id: u32,
    /// The document that used the slot last, 0 in an empty one.
    document: u32,
}

/// The bytes of a name and zeros, which are in no name, up to [`EXACT`] in all. Of a longer name the first eight and the
/// last seven, and at the end a byte that is in no UTF-8.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Key {
    head: u64,
    tail: u64,
}

/// The least tail of a longer name.
const LONG: u64 = 0xff << 56;

/// By length: the bits that are the name's among sixteen bytes of text.
static MASKS: [[u64; 2]; EXACT + 1] = {
    let mut masks = [[0; 2]; EXACT + 1];
    let mut length = 1;
    while length <= EXACT {
        masks[length] = masks[length - 1];
        masks[length][(length - 1) / 8] |= 0xff << (8 * ((length - 1) % 8));
        length += 1;
    }
    masks
};

pub(super) struct Cache {
    places: Box<[[Slot; 2]; PLACES]>,
}

impl Cache {
    pub(super) fn new() -> Cache {
        Cache { places: Box::new([[Slot::default(); 2]; PLACES]) }
    }

    /// The id of the name with this key, if it is first in its place and a document from `since` on has used it. Unless the
    /// key is exact the answer must still be compared.
    #[inline(always)]
    pub(super) fn get(&self, key: Key, scope: NsId, since: u32) -> Option<NameId> {
        let [slot, _] = &self.places[place(key, scope)];
        (slot.is_for(key, scope) && slot.document >= since).then_some(NameId(slot.id))
    }

    /// The same wherever it is in its place, whichever document used it.
    #[inline(always)]
    pub(super) fn get_older(&self, key: Key, scope: NsId) -> Option<NameId> {
        let slots = &self.places[place(key, scope)];
        let known = slots.iter().find(|slot| slot.is_for(key, scope) && slot.document != 0);
        known.map(|slot| NameId(slot.id))
    }

    /// Makes a name the first in its place.
    #[inline]
    pub(super) fn put(&mut self, key: Key, scope: NsId, id: NameId, document: u32) {
        let [first, second] = &mut self.places[place(key, scope)];
        if !first.is_for(key, scope) {
            *second = *first;
        }
        *first = Slot { key, scope: scope.0, id: id.0, document };
    }
}

impl Slot {
    #[inline(always)]
    fn is_for(&self, key: Key, scope: NsId) -> bool {
        self.key == key && self.scope == scope.0
    }
}

impl Key {
    /// The key of the name at `text[start..end]`.
    #[inline(always)]
    pub(crate) fn of(text: &[u8], start: usize, end: usize) -> Key {
        if end - start > EXACT {
            Key::long(&text[start..end])
        } else {
            Key::short(text, start, end)
        }
    }

    /// The same for a name that is no longer than [`EXACT`].
    #[inline(always)]
    pub(crate) fn short(text: &[u8], start: usize, end: usize) -> Key {
        match text.get(start..).and_then(|rest| rest.first_chunk()) {
            Some(block) => Key::within(block, (end - start).min(EXACT)),
            None => Key::last(&text[start..end]),
        }
    }

    /// The key of the name that the first `length` of these bytes are, [`EXACT`] at most.
    #[inline(always)]
    pub(crate) fn within(block: &[u8; EXACT], length: usize) -> Key {
        let word = u128::from_le_bytes(*block);
        let [head, tail] = MASKS[length];
        Key { head: word as u64 & head, tail: (word >> 64) as u64 & tail }
    }

    /// The key of a name that is longer than [`EXACT`].
    #[inline(always)]
    fn long(name: &[u8]) -> Key {
        let word = |bytes: Option<&[u8; 8]>| bytes.map_or(0, |bytes| u64::from_le_bytes(*bytes));
        Key { head: word(name.first_chunk()), tail: word(name.last_chunk()).rotate_right(8) | LONG }
    }

    /// The key of a short name at the very end of the text.
    #[cold]
    fn last(name: &[u8]) -> Key {
        let mut block = [0; EXACT];
        block[..name.len()].copy_from_slice(name);
        Key::within(&block, name.len())
    }

    /// Whether the key is the whole name.
    #[inline(always)]
    pub(crate) fn is_exact(self) -> bool {
        self.tail < LONG
    }
}

#[inline(always)]
fn place(key: Key, scope: NsId) -> usize {
    let mixed = key.head ^ key.tail.rotate_left(29) ^ u64::from(scope.0).rotate_left(40);
    (mixed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - BITS)) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_one_key_wherever_it_stands() {
        for length in 1..40 {
            let name = &b"abcdefghijklmnopqrstuvwxyzabcdefghijklmnop"[..length];
            let at_end = Key::of(name, 0, length);
            let mut text = b"<<<".to_vec();
            text.extend_from_slice(name);
            text.extend_from_slice(b" and so on and so on");
            assert!(at_end == Key::of(&text, 3, 3 + length));
            assert_eq!(at_end.is_exact(), length <= EXACT);
            let shorter = Key::of(name, 0, length - 1);
            assert!(shorter != at_end);
        }
    }

    #[test]
    fn longer_names_differ_in_their_ends() {
        let (one, other) = (&b"tobject.subject.code"[..], &b"tobject.subject.type"[..]);
        assert!(Key::of(one, 0, one.len()) != Key::of(other, 0, other.len()));
    }
}
