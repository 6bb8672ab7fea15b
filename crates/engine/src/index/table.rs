//! A table that is asked far more often than it is added to: what is asked for is mostly found with one look at memory.

use crate::near::bring_at;

/// What a table consists of.
pub trait Entry {
    /// The key that no entry has.
    const FREE: u64;

    /// What is where no entry is.
    fn free() -> Self;

    fn key(&self) -> u64;
}

impl<V: Default> Entry for (u64, V) {
    const FREE: u64 = u64::MAX;

    fn free() -> (u64, V) {
        (Self::FREE, V::default())
    }

    #[inline(always)]
    fn key(&self) -> u64 {
        self.0
    }
}

/// Each entry is at the place that its key tells, or next to it.
pub struct Table<E> {
    /// At least half of them are free; their number is a power of two.
    entries: Vec<E>,
    used: usize,
}

impl<E> Default for Table<E> {
    fn default() -> Table<E> {
        Table { entries: Vec::new(), used: 0 }
    }
}

impl<E: Entry> Table<E> {
    /// One that has room for so many.
    pub fn with_capacity(count: usize) -> Table<E> {
        let mut table = Table::default();
        table.make_room(count);
        table
    }

    fn make_room(&mut self, count: usize) {
        let mut larger = Vec::new();
        larger.resize_with((2 * count).next_power_of_two(), E::free);
        let known = std::mem::replace(&mut self.entries, larger);
        for entry in known.into_iter().filter(|entry| entry.key() != E::FREE) {
            self.put(entry);
        }
    }

    pub fn bytes(&self) -> usize {
        self.entries.capacity() * size_of::<E>()
    }

    #[inline]
    pub fn get(&self, key: u64) -> Option<&E> {
        self.find(key).map(|place| &self.entries[place])
    }

    pub fn get_mut(&mut self, key: u64) -> Option<&mut E> {
        self.find(key).map(|place| &mut self.entries[place])
    }

    #[inline]
    fn find(&self, key: u64) -> Option<usize> {
        let mut place = self.place(key);
        let mut entry = self.entries.get(place)?;
        while entry.key() != key {
            if entry.key() == E::FREE {
                return None;
            }
            place = self.after(place);
            entry = &self.entries[place];
        }
        Some(place)
    }

    /// All entries.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut E> {
        self.entries.iter_mut().filter(|entry| entry.key() != E::FREE)
    }

    pub fn len(&self) -> usize {
        self.used
    }

    /// Brings an entry near.
    #[inline]
    pub fn bring(&self, key: u64) {
        bring_at(&self.entries, self.place(key));
    }

    /// The entry of a key, which is made if there is none.
    pub fn entry(&mut self, key: u64, make: impl FnOnce() -> E) -> &mut E {
        let place = match self.find(key) {
            Some(place) => place,
            None => self.insert(make()),
        };
        &mut self.entries[place]
    }

    /// Adds an entry whose key is not there yet; the bytes that takes.
    pub fn add(&mut self, entry: E) -> usize {
        self.insert(entry);
        2 * size_of::<E>()
    }

    /// Adds an entry; its place.
    fn insert(&mut self, entry: E) -> usize {
        self.used += 1;
        if self.entries.len() < 2 * self.used {
            self.make_room(self.used);
        }
        self.put(entry)
    }

    /// Takes an entry out.
    pub fn remove(&mut self, key: u64) {
        let Some(mut gap) = self.find(key) else { return };
        self.used -= 1;
        let mut place = gap;
        loop {
            place = self.after(place);
            let key = self.entries[place].key();
            if key == E::FREE {
                break;
            }
            // It may move up to the gap if that is not before where it is looked for first.
            let distance = |from: usize| place.wrapping_sub(from) & (self.entries.len() - 1);
            if distance(self.place(key)) >= distance(gap) {
                self.entries.swap(gap, place);
                gap = place;
            }
        }
        self.entries[gap] = E::free();
    }

    fn put(&mut self, entry: E) -> usize {
        let mut place = self.place(entry.key());
        while self.entries[place].key() != E::FREE {
            place = self.after(place);
        }
        self.entries[place] = entry;
        place
    }

    #[inline]
    fn place(&self, key: u64) -> usize {
        (key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) as usize & self.entries.len().wrapping_sub(1)
    }

    #[inline]
    fn after(&self, place: usize) -> usize {
        (place + 1) & (self.entries.len() - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_added_is_found_and_nothing_else() {
        let mut table = Table::default();
        let keys = || (0..1000_u64).map(|number| (number * number) << 32 | number);
        assert_eq!(table.get(0), None);
        keys().for_each(|key| {
            table.add((key, key as u32));
        });
        assert!(keys().all(|key| table.get(key) == Some(&(key, key as u32))));
        assert!(keys().all(|key| table.get(key + (1 << 20)).is_none()));
        table.iter_mut().for_each(|entry| entry.1 += 1);
        assert!(keys().all(|key| table.get_mut(key) == Some(&mut (key, key as u32 + 1))));
        assert_eq!(table.len(), 1000);
    }

    #[test]
    fn what_is_taken_out_leaves_the_others() {
        let mut table = Table::default();
        let key = |number: u64| number * 7 % 509;
        (0..509).for_each(|number| {
            table.add((key(number), number as u32));
        });
        for removed in 0..509 {
            table.remove(key(removed));
            table.remove(key(removed));
            for number in 0..509 {
                let there = (key(number), number as u32);
                assert_eq!(table.get(key(number)), Some(&there).filter(|_| number > removed));
            }
        }
        assert_eq!(table.len(), 0);
    }
}
