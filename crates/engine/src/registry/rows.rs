//! The subscriptions as people gave them: small, since there may be millions.

use std::hash::BuildHasher;

use compact_str::CompactString;
use hashbrown::{DefaultHashBuilder, HashTable};
use serde::{Deserialize, Serialize};

use crate::index::{Interner, Slot};

/// What is known of a subscription.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row<'a> {
    pub id: &'a str,
    pub query: &'a str,
    pub subscriber: Option<&'a str>,
    pub stream: Option<&'a str>,
    /// Number of the other parameters, which the caller keeps.
    pub options: u32,
}

#[derive(Serialize, Deserialize)]
struct Stored {
    /// Most ids are short enough to be stored here, where whoever delivers finds them at once.
    id: CompactString,
    query: Box<str>,
    subscriber: u32,
    stream: u32,
    options: u32,
    /// Out of sight.
    is_removed: bool,
    /// Age: that of the subscription added first is 0.
    sequence: u64,
}

const NONE: u32 = u32::MAX;

#[derive(Default, Serialize, Deserialize)]
pub struct Rows {
    rows: Vec<Option<Stored>>,
    #[serde(skip)]
    by_id: HashTable<Slot>,
    #[serde(skip)]
    hasher: DefaultHashBuilder,
    free: Vec<Slot>,
    /// Names of subscribers and streams.
    names: Interner<Box<str>>,
    next: u64,
}

impl Rows {
    pub fn len(&self) -> usize {
        self.by_id.len()
    }

    pub fn find(&self, id: &str) -> Option<Slot> {
        self.by_id.find(self.hasher.hash_one(id), |&slot| self.id(slot) == Some(id)).copied()
    }

    fn id(&self, slot: Slot) -> Option<&str> {
        Some(&self.rows.get(slot as usize)?.as_ref()?.id)
    }

    pub fn get(&self, slot: Slot) -> Option<Row<'_>> {
        let row = self.rows.get(slot as usize)?.as_ref()?;
        let name = |name: u32| if name == NONE { None } else { self.names.get(name).map(|name| &**name) };
        let (subscriber, stream) = (name(row.subscriber), name(row.stream));
        Some(Row { id: &row.id, query: &row.query, subscriber, stream, options: row.options })
    }

    /// Adds a row, whose id is new.
    pub fn add(&mut self, row: Row<'_>) -> Slot {
        let mut name = |name: Option<&str>| name.map_or(NONE, |name| self.names.intern(name.into()).0);
        let (subscriber, stream) = (name(row.subscriber), name(row.stream));
        let sequence = self.next;
        self.next += 1;
        let stored = Stored {
            id: row.id.into(),
            query: row.query.into(),
            subscriber,
            stream,
            options: row.options,
            is_removed: false,
            sequence,
        };
        let slot = match self.free.pop() {
            Some(slot) => {
                self.rows[slot as usize] = Some(stored);
                slot
            }
            None => {
                self.rows.push(Some(stored));
                self.rows.len() as Slot - 1
            }
        };
        let (rows, hasher) = (&self.rows, &self.hasher);
        let rehash = |&slot: &Slot| rows[slot as usize].as_ref().map_or(0, |row| hasher.hash_one(row.id.as_str()));
        self.by_id.insert_unique(self.hasher.hash_one(row.id), slot, rehash);
        slot
    }

    /// Takes a row out of sight. Its number and what is known of it stay until `free`.
    pub fn remove(&mut self, slot: Slot) {
        let Some(id) = self.id(slot) else { return };
        let hash = self.hasher.hash_one(id);
        if let Ok(entry) = self.by_id.find_entry(hash, |&other| other == slot) {
            entry.remove();
        }
        if let Some(row) = &mut self.rows[slot as usize] {
            row.is_removed = true;
        }
    }

    pub fn free(&mut self, slot: Slot) {
        if let Some(row) = self.rows[slot as usize].take() {
            for name in [row.subscriber, row.stream].into_iter().filter(|&name| name != NONE) {
                self.names.release(name);
            }
            self.free.push(slot);
        }
    }

    pub fn sequence(&self, slot: Slot) -> u64 {
        self.rows.get(slot as usize).and_then(Option::as_ref).map_or(0, |row| row.sequence)
    }

    /// All rows that are in sight, oldest first.
    pub fn all(&self) -> Vec<Slot> {
        let mut slots: Vec<Slot> = self.by_id.iter().copied().collect();
        slots.sort_unstable_by_key(|&slot| self.sequence(slot));
        slots
    }

    /// Makes the table anew, which is not stored, and gives up what was out of sight.
    pub fn restore(&mut self) {
        self.names.restore();
        for slot in 0..self.rows.len() as Slot {
            if self.rows[slot as usize].as_ref().is_some_and(|row| row.is_removed) {
                self.free(slot);
            }
        }
        let (rows, hasher) = (&self.rows, &self.hasher);
        let hash = |&slot: &Slot| rows[slot as usize].as_ref().map_or(0, |row| hasher.hash_one(row.id.as_str()));
        self.by_id = HashTable::with_capacity(rows.len());
        for slot in (0..rows.len() as Slot).filter(|&slot| rows[slot as usize].is_some()) {
            self.by_id.insert_unique(hash(&slot), slot, hash);
        }
    }

    pub fn bytes(&self) -> usize {
        let beside =
            |row: &Stored| row.query.len() + 8 + if row.id.is_heap_allocated() { row.id.capacity() + 8 } else { 0 };
        let texts: usize = self.rows.iter().flatten().map(beside).sum();
        texts + self.rows.capacity() * std::mem::size_of::<Option<Stored>>() + self.by_id.capacity() * 5
    }
}
