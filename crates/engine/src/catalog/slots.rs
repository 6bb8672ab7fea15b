//! A set of subscriptions that is filled and emptied for each document.

use crate::index::Slot;

/// A bit for each number, and one for each word that has any: of a million there are few to look at.
#[derive(Default)]
pub struct Slots {
    words: Vec<u64>,
    used: Vec<u64>,
}

impl Slots {
    #[inline]
    pub fn add(&mut self, slot: Slot) {
        let (word, bit) = place(slot);
        if self.words.len() <= word {
            self.words.resize(word + 1, 0);
            self.used.resize(word / 64 + 1, 0);
        }
        self.words[word] |= bit;
        let (word, bit) = place(word as u32);
        self.used[word] |= bit;
    }

    pub fn remove(&mut self, slot: Slot) {
        let (word, bit) = place(slot);
        if let Some(word) = self.words.get_mut(word) {
            *word &= !bit;
        }
    }

    /// Those that were added, in ascending order; then it is empty.
    pub fn take(&mut self) -> Vec<Slot> {
        let mut slots = Vec::new();
        for (number, used) in (0..).zip(&mut self.used) {
            for word in bits(number, std::mem::take(used)) {
                slots.extend(bits(word, std::mem::take(&mut self.words[word as usize])));
            }
        }
        slots
    }
}

fn place(number: u32) -> (usize, u64) {
    (number as usize / 64, 1 << (number % 64))
}

/// The numbers that the bits of a word stand for.
fn bits(word: u32, mut bits: u64) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let lowest = (bits != 0).then(|| bits.trailing_zeros())?;
        bits &= bits - 1;
        Some(word * 64 + lowest)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_added_is_taken_once_and_in_order() {
        let mut slots = Slots::default();
        assert!(slots.take().is_empty());
        for numbers in [vec![3, 1_000_000, 64, 3, 63, 0], vec![], vec![1_000_001, 5]] {
            numbers.iter().for_each(|&slot| slots.add(slot));
            let mut wanted = numbers;
            wanted.sort_unstable();
            wanted.dedup();
            assert_eq!(slots.take(), wanted);
        }
        (10..20).for_each(|slot| slots.add(slot));
        [10, 15, 90, 5_000_000].into_iter().for_each(|slot| slots.remove(slot));
        assert_eq!(slots.take(), [11, 12, 13, 14, 16, 17, 18, 19]);
    }
}
