//! What has been worked out about the document at hand: looked up often, and forgotten all at once.

use std::hash::{BuildHasher, Hash};

use rustc_hash::FxBuildHasher;

/// Each entry is at the place that its key tells, or next to it.
pub struct Memo<K, V> {
    /// At least half of them are free: of other documents. Their number is a power of two.
    entries: Vec<Entry<K, V>>,
    used: usize,
    document: u32,
}

#[derive(Clone, Copy)]
struct Entry<K, V> {
    document: u32,
    key: K,
    value: V,
}

/// Memory that one document has made so many times larger than the last one needed is given back, unless it is little.
pub const TIMES_TOO_LARGE: usize = 64;
pub const LITTLE: usize = 1 << 16;
const SMALL: usize = 64;

impl<K, V> Default for Memo<K, V> {
    fn default() -> Memo<K, V> {
        Memo { entries: Vec::new(), used: 0, document: 1 }
    }
}

impl<K: Copy + Eq + Hash, V: Copy> Memo<K, V> {
    /// Forgets the last document.
    #[inline]
    pub fn begin(&mut self) {
        let is_too_large = self.entries.len() > LITTLE.max(TIMES_TOO_LARGE * self.used);
        if is_too_large || self.document == u32::MAX {
            *self = Memo::default();
        }
        self.document += 1;
        self.used = 0;
    }

    #[inline]
    pub fn get(&self, key: K) -> Option<V> {
        let mut place = self.place(key);
        loop {
            let entry = self.entries.get(place)?;
            if entry.document != self.document {
                return None;
            }
            if entry.key == key {
                return Some(entry.value);
            }
            place = (place + 1) & (self.entries.len() - 1);
        }
    }

    /// Adds what was not known.
    #[inline]
    pub fn add(&mut self, key: K, value: V) {
        self.used += 1;
        if self.entries.len() < 2 * self.used {
            self.grow(key, value);
        }
        self.put(Entry { document: self.document, key, value });
    }

    /// Any key and value will do for places that are free.
    #[cold]
    fn grow(&mut self, key: K, value: V) {
        let larger = vec![Entry { document: 0, key, value }; (2 * self.used).next_power_of_two().max(SMALL)];
        let known = std::mem::replace(&mut self.entries, larger);
        let document = self.document;
        known.into_iter().filter(|entry| entry.document == document).for_each(|entry| self.put(entry));
    }

    #[inline]
    fn put(&mut self, entry: Entry<K, V>) {
        let mut place = self.place(entry.key);
        while self.entries[place].document == self.document {
            place = (place + 1) & (self.entries.len() - 1);
        }
        self.entries[place] = entry;
    }

    #[inline]
    fn place(&self, key: K) -> usize {
        FxBuildHasher.hash_one(key) as usize & self.entries.len().wrapping_sub(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_added_is_known_until_the_next_document() {
        let mut memo = Memo::default();
        for document in 0..5_u32 {
            memo.begin();
            let keys = || (0..1_000 * (document % 3)).map(|number| (number * number, number));
            keys().for_each(|key| {
                assert_eq!(memo.get(key), None);
                memo.add(key, key.1 + document);
            });
            assert!(keys().all(|key| memo.get(key) == Some(key.1 + document)));
            assert_eq!(memo.get((1, 0)), None);
        }
    }

    #[test]
    fn memory_of_a_large_document_is_given_back() {
        let mut memo = Memo::default();
        memo.begin();
        (0..100_000_u32).for_each(|key| memo.add(key, ()));
        memo.begin();
        memo.add(1, ());
        assert!(memo.entries.len() >= 200_000);
        memo.begin();
        memo.add(1, ());
        assert_eq!(memo.entries.len(), SMALL);
    }
}
