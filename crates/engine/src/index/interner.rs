//! Hash-consing with reference counts: equal values are stored once, and forgotten with their last user.

use crate::near::bring_at;

use std::hash::{BuildHasher, Hash};

use hashbrown::{DefaultHashBuilder, HashTable};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
pub struct Interner<T> {
    entries: Vec<Entry<T>>,
    #[serde(skip)]
    table: HashTable<u32>,
    free: Vec<u32>,
    #[serde(skip)]
    hasher: DefaultHashBuilder,
}

#[derive(Serialize, Deserialize)]
struct Entry<T> {
    /// None when the number is free.
    value: Option<T>,
    users: u32,
}

impl<T> Default for Interner<T> {
    fn default() -> Interner<T> {
        Interner {
            entries: Vec::new(),
            table: HashTable::new(),
            free: Vec::new(),
            hasher: DefaultHashBuilder::default(),
        }
    }
}

impl<T: Hash + Eq> Interner<T> {
    /// The number of a value, which has one user more; and whether it is new.
    pub fn intern(&mut self, value: T) -> (u32, bool) {
        let hash = self.hasher.hash_one(&value);
        let entries = &self.entries;
        if let Some(&id) = self.table.find(hash, |&id| entries[id as usize].value.as_ref() == Some(&value)) {
            self.entries[id as usize].users += 1;
            return (id, false);
        }
        let entry = Entry { value: Some(value), users: 1 };
        let id = match self.free.pop() {
            Some(id) => {
                self.entries[id as usize] = entry;
                id
            }
            None => {
                self.entries.push(entry);
                self.entries.len() as u32 - 1
            }
        };
        let (entries, hasher) = (&self.entries, &self.hasher);
        let rehash = |&id: &u32| entries[id as usize].value.as_ref().map_or(0, |value| hasher.hash_one(value));
        self.table.insert_unique(hash, id, rehash);
        (id, true)
    }

    /// One user less; the value, if that was the last.
    pub fn release(&mut self, id: u32) -> Option<T> {
        let entry = &mut self.entries[id as usize];
        entry.users -= 1;
        if entry.users > 0 {
            return None;
        }
        let value = entry.value.take()?;
        let hash = self.hasher.hash_one(&value);
        if let Ok(found) = self.table.find_entry(hash, |&other| other == id) {
            found.remove();
        }
        self.free.push(id);
        Some(value)
    }

    #[inline]
    pub fn get(&self, id: u32) -> Option<&T> {
        self.entries[id as usize].value.as_ref()
    }

    /// Brings a value near.
    #[inline]
    pub fn bring(&self, id: u32) {
        bring_at(&self.entries, id as usize);
    }

    /// All values with their numbers.
    pub fn all(&self) -> impl Iterator<Item = (u32, &T)> {
        (0..).zip(&self.entries).filter_map(|(id, entry)| Some((id, entry.value.as_ref()?)))
    }

    /// How many use a value.
    pub fn users(&self, id: u32) -> u32 {
        self.entries[id as usize].users
    }

    /// The number of the value that equals a borrowed form of it.
    pub fn find<Q: Hash + ?Sized>(&self, form: &Q, equals: impl Fn(&T) -> bool) -> Option<u32> {
        let hash = self.hasher.hash_one(form);
        self.table.find(hash, |&id| self.entries[id as usize].value.as_ref().is_some_and(&equals)).copied()
    }

    /// Makes the table anew, which is not stored.
    pub fn restore(&mut self) {
        let (entries, hasher) = (&self.entries, &self.hasher);
        let hash = |&id: &u32| entries[id as usize].value.as_ref().map_or(0, |value| hasher.hash_one(value));
        self.table = HashTable::with_capacity(entries.len());
        for id in (0..entries.len() as u32).filter(|&id| entries[id as usize].value.is_some()) {
            self.table.insert_unique(hash(&id), id, hash);
        }
    }

    pub fn len(&self) -> usize {
        self.table.len()
    }

    pub fn bytes(&self) -> usize {
        self.entries.capacity() * std::mem::size_of::<Entry<T>>() + self.table.capacity() * 5 + self.free.capacity() * 4
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_values_share_a_number_until_the_last_user_goes() {
        let mut interner = Interner::default();
        let (a, is_new) = interner.intern("a".to_owned());
        assert!(is_new);
        assert_eq!(interner.intern("a".to_owned()), (a, false));
        assert_eq!(interner.release(a), None);
        assert_eq!(interner.release(a), Some("a".to_owned()));
        assert_eq!(interner.len(), 0);
        assert_eq!(interner.intern("b".to_owned()), (a, true));
        assert_eq!(interner.get(a).map(String::as_str), Some("b"));
    }
}
