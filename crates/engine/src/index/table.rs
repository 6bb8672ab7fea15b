//! A table that is asked far more often than it is added to: what is asked for is mostly found with one look at memory.

/// What a table consists of.
pub trait Entry: Copy {
    /// The key that no entry has.
    const FREE: u64;

    /// What is where no entry is.
    fn free() -> Self;

    fn key(&self) -> u64;
}

impl<V: Copy + Default> Entry for (u64, V) {
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

    /// Brings an entry near. Asked for one after the other, they come all at once; to go on with one would be to wait for it.
    #[inline]
    pub fn fetch(&self, key: u64) -> u64 {
        self.entries.get(self.place(key)).map_or(0, |entry| entry.key())
    }

    /// Brings all entries near, unless they are many.
    #[inline]
    pub fn fetch_all(&self) -> u64 {
        const LINE: usize = 64;
        const MOST_LINES: usize = 16;
        let lines = self.entries.iter().step_by((LINE / size_of::<E>()).max(1)).take(MOST_LINES);
        lines.fold(0, |near, entry| near | entry.key())
    }

    /// Adds an entry whose key is not there yet; the bytes that takes.
    pub fn add(&mut self, entry: E) -> usize {
        self.used += 1;
        if self.entries.len() < 2 * self.used {
            let larger = vec![E::free(); (2 * self.used).next_power_of_two()];
            let known = std::mem::replace(&mut self.entries, larger);
            known.into_iter().filter(|entry| entry.key() != E::FREE).for_each(|entry| self.put(entry));
        }
        self.put(entry);
        2 * size_of::<E>()
    }

    fn put(&mut self, entry: E) {
        let mut place = self.place(entry.key());
        while self.entries[place].key() != E::FREE {
            place = self.after(place);
        }
        self.entries[place] = entry;
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
}
