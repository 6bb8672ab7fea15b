//! The last changes of triggers, for those who have learned what they call for.

use std::collections::VecDeque;

use super::triggers::Key;

/// Changes that are told one by one; whoever has missed more is to forget all.
const MOST: usize = 4096;

#[derive(Default)]
pub struct Changes {
    /// How many are no longer told.
    forgotten: u64,
    keys: VecDeque<Key>,
}

impl Changes {
    pub fn add(&mut self, key: Key) {
        if self.keys.len() == MOST {
            self.keys.pop_front();
            self.forgotten += 1;
        }
        self.keys.push_back(key);
    }

    /// How many there were in all.
    #[inline]
    pub fn count(&self) -> u64 {
        self.forgotten + self.keys.len() as u64
    }

    /// Those after the first so many; None if some of them are no longer told.
    pub fn after(&self, count: u64) -> Option<impl Iterator<Item = &Key>> {
        let known = count.checked_sub(self.forgotten)?;
        Some(self.keys.iter().skip(known as usize))
    }
}

#[cfg(test)]
mod tests {
    use super::super::triggers::IS;
    use super::*;

    #[test]
    fn who_has_missed_too_many_is_told_so() {
        let key = |node| Key { node, kind: IS, constant: 0 };
        let mut changes = Changes::default();
        (0..10).for_each(|node| changes.add(key(node)));
        let after = |changes: &Changes, count| changes.after(count).map(|keys| keys.map(|key| key.node).collect());
        assert_eq!(after(&changes, 7), Some(vec![7, 8, 9]));
        assert_eq!(after(&changes, 10), Some(vec![]));
        (10..MOST as u32 + 3).for_each(|node| changes.add(key(node)));
        assert_eq!(changes.count(), MOST as u64 + 3);
        assert_eq!(after(&changes, 2), None);
        assert_eq!(after(&changes, 3).map(|nodes| nodes.len()), Some(MOST));
    }
}
