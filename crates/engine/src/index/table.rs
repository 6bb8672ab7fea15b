//! A table that is asked far more often than it is added to: what is asked for is mostly found with one look at memory.

/// Each entry is at the place that its key tells, or next to it.
pub struct Table<V> {
    /// At least half of them are free; their number is a power of two.
    entries: Vec<(u64, V)>,
    used: usize,
}

/// No entry has this key.
const FREE: u64 = u64::MAX;

impl<V> Default for Table<V> {
    fn default() -> Table<V> {
        Table { entries: Vec::new(), used: 0 }
    }
}

impl<V: Copy + Default> Table<V> {
    #[inline]
    pub fn get(&self, key: u64) -> Option<V> {
        let mut place = self.place(key);
        let mut entry = self.entries.get(place)?;
        while entry.0 != key {
            if entry.0 == FREE {
                return None;
            }
            place = self.after(place);
            entry = &self.entries[place];
        }
        Some(entry.1)
    }

    /// Brings an entry near. Asked for one after the other, they come all at once; to go on with one would be to wait for it.
    #[inline]
    pub fn fetch(&self, key: u64) -> u64 {
        self.entries.get(self.place(key)).map_or(0, |entry| entry.0)
    }

    /// Adds an entry whose key is not there yet; the bytes that takes.
    pub fn add(&mut self, key: u64, value: V) -> usize {
        self.used += 1;
        if self.entries.len() < 2 * self.used {
            let larger = vec![(FREE, V::default()); (2 * self.used).next_power_of_two()];
            let known = std::mem::replace(&mut self.entries, larger);
            known.into_iter().filter(|entry| entry.0 != FREE).for_each(|entry| self.put(entry));
        }
        self.put((key, value));
        2 * std::mem::size_of::<(u64, V)>()
    }

    fn put(&mut self, entry: (u64, V)) {
        let mut place = self.place(entry.0);
        while self.entries[place].0 != FREE {
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
            table.add(key, key as u32);
        });
        assert!(keys().all(|key| table.get(key) == Some(key as u32)));
        assert!(keys().all(|key| table.get(key + (1 << 20)).is_none()));
    }
}
