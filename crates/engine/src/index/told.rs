//! Who gets the nodes at an anchor's spot and below it, remembered from document to document.
//!
//! With many subscriptions there is far more of this than a processor keeps near: so it is small and lies together, and
//! most questions are answered by a bit.

use super::groups::GroupsId;
use super::located::WORD;
use super::near::{bring_at, bring_lines};
use super::spots::SpotId;
use super::table::Table;
use super::takers::Takers;
use crate::lists::Lists;

/// A stem of groups whose anchor is at a spot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key(u64);

const STEM_BITS: u32 = 20;

impl Key {
    /// None if the stem has too high a number.
    #[inline]
    pub fn new(groups: GroupsId, stem: u32, anchor: SpotId) -> Option<Key> {
        let number = u64::from(groups) << SpotId::BITS | u64::from(anchor);
        (stem < 1 << STEM_BITS).then_some(Key(number << STEM_BITS | u64::from(stem)))
    }

    #[inline]
    pub fn groups(self) -> GroupsId {
        (self.0 >> (STEM_BITS + SpotId::BITS)) as GroupsId
    }

    #[inline]
    pub fn stem(self) -> u32 {
        (self.0 & ((1 << STEM_BITS) - 1)) as u32
    }
}

/// Where in a row it is known who gets the nodes of a spot; it stays so when more is asked.
#[derive(Clone, Copy)]
pub struct Entry(u16);

/// Who gets the nodes at the spots within an anchor's.
#[derive(Default)]
pub struct Row {
    /// How many have been asked about: the oldest.
    asked: SpotId,
    /// How many words there are, which have a bit for each of those, set if someone gets the nodes; above the bits of each is how
    /// many are set in those before it.
    words: u16,
    /// Where lists begin.
    lists: u32,
    /// The words in halves, takers for each bit that is set, and the lists that these refer to, each behind its length.
    data: Box<[u32]>,
}

const BITS: u64 = (1 << WORD) - 1;

impl Row {
    /// Whether all have been asked about.
    #[inline]
    pub fn knows_all(&self, within: &[SpotId]) -> bool {
        usize::from(self.asked) == within.len()
    }

    /// Whether it is known who gets the nodes at these places.
    #[inline]
    pub fn knows(&self, places: &[(u16, u64)]) -> bool {
        let asked = usize::from(self.asked);
        places.iter().all(|&(word, bits)| bits >> asked.saturating_sub(WORD * usize::from(word)).min(WORD) == 0)
    }

    /// Asks about all that have not been asked about, who add themselves to a list; the bytes that it takes to remember them.
    pub fn ask(
        &mut self,
        within: &[SpotId],
        lists: &mut Lists,
        mut add_takers: impl FnMut(SpotId, &Lists, &mut Vec<u32>) -> bool,
    ) -> usize {
        let old = std::mem::take(self);
        let (words, takers) = old.data[..old.lists as usize].split_at(2 * usize::from(old.words));
        let (mut words, mut takers, mut data) =
            (words.to_vec(), takers.to_vec(), old.data[old.lists as usize..].to_vec());
        let mut slots = Vec::new();
        for (place, &spot) in within.iter().enumerate().skip(old.asked.into()) {
            if place % WORD == 0 {
                words.extend([0, (takers.len() as u32) << (WORD - 32)]);
            }
            slots.clear();
            let may_repeat = add_takers(spot, lists, &mut slots);
            slots.sort_unstable();
            slots.dedup();
            if !slots.is_empty() {
                let bit = place % WORD;
                words[2 * (place / WORD) + bit / 32] |= 1 << (bit % 32);
                takers.push(Takers::told(&slots, may_repeat, &mut data, lists).to_word());
            }
        }
        let (asked, count) = (within.len() as SpotId, (words.len() / 2) as u16);
        words.append(&mut takers);
        let lists = words.len() as u32;
        words.append(&mut data);
        *self = Row { asked, words: count, lists, data: words.into() };
        4 * (self.data.len() - old.data.len())
    }

    /// Tells of which of these places someone gets the nodes, and brings near who.
    #[inline]
    pub fn tell(&self, places: impl Iterator<Item = (u16, u64)>, mut tell: impl FnMut(usize, Entry)) {
        for (number, bits) in places.filter(|&(number, _)| number < self.words) {
            let word = self.word(number);
            let mut both = word & bits & BITS;
            while both != 0 {
                let bit = both.trailing_zeros();
                let rank = (word >> WORD) as usize + (word & ((1 << bit) - 1)).count_ones() as usize;
                bring_at(&self.data, 2 * usize::from(self.words) + rank);
                tell(WORD * usize::from(number) + bit as usize, Entry(rank as u16));
                both &= both - 1;
            }
        }
    }

    #[inline]
    fn word(&self, number: u16) -> u64 {
        let place = 2 * usize::from(number);
        u64::from(self.data[place]) | u64::from(self.data[place + 1]) << 32
    }

    /// Who is known at an entry.
    #[inline]
    pub fn takers(&self, Entry(entry): Entry) -> Takers {
        Takers::from_word(self.data[2 * usize::from(self.words) + usize::from(entry)])
    }

    /// Brings near their list.
    #[inline]
    pub fn bring_list(&self, entry: Entry) {
        if let Some(list) = self.takers(entry).near() {
            bring_at(&self.data, self.lists as usize + list);
        }
    }

    /// The lists that takers of the row refer to.
    #[inline]
    pub fn lists(&self) -> &[u32] {
        &self.data[self.lists as usize..]
    }

    /// How many spots there are whose nodes someone gets.
    #[inline]
    pub fn len(&self) -> usize {
        self.lists as usize - 2 * usize::from(self.words)
    }

    /// All places.
    pub fn all(&self) -> impl Iterator<Item = (u16, u64)> {
        (0..self.words).map(|word| (word, BITS))
    }

    #[inline]
    fn bring(&self) {
        const LINES: usize = 2;
        bring_lines(&self.data, 0, LINES);
        bring_lines(&self.data, 2 * usize::from(self.words), LINES);
    }
}

/// The rows that an automaton knows.
#[derive(Default)]
pub struct Rows {
    /// Of the spots.
    generation: u32,
    rows: Table<(u64, Row)>,
}

impl Rows {
    /// Whether what is known was learned of other spots; now it is forgotten.
    pub fn follow(&mut self, generation: u32) -> bool {
        let is_outdated = self.generation != generation;
        if is_outdated {
            *self = Rows { generation, ..Rows::default() };
        }
        is_outdated
    }

    #[inline]
    pub fn get(&self, Key(key): Key) -> Option<&Row> {
        self.rows.get(key).map(|(_, row)| row)
    }

    /// A row; if it is `new`, of which nothing is known yet, that is told.
    pub fn row(&mut self, Key(key): Key, new: impl FnOnce()) -> &mut Row {
        let (_, row) = self.rows.entry(key, || {
            new();
            (key, Row::default())
        });
        row
    }

    pub fn remove(&mut self, Key(key): Key) {
        self.rows.remove(key);
    }

    /// Brings a row near.
    #[inline]
    pub fn bring(&self, Key(key): Key) {
        self.rows.bring(key);
    }

    /// Brings near what is needed first of it.
    #[inline]
    pub fn bring_data(&self, key: Key) {
        if let Some(row) = self.get(key) {
            row.bring();
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// Who gets the nodes of a spot: no one, one or several.
    fn slots(spot: SpotId) -> Vec<u32> {
        match spot % 5 {
            0 | 1 => vec![],
            2 => vec![u32::from(spot)],
            3 => vec![u32::from(spot), 7, 100_000],
            _ => (0..u32::from(spot) % 200).collect(),
        }
    }

    fn ask(row: &mut Row, within: &[SpotId], lists: &mut Lists) {
        row.ask(within, lists, |spot, _, all| {
            all.extend(slots(spot));
            false
        });
    }

    #[test]
    fn a_row_tells_who_gets_the_nodes_of_each_place() {
        let (mut row, mut lists, mut found) = (Row::default(), Lists::default(), Lists::default());
        let within: Vec<SpotId> = (0..2_000).map(|place| place * 3).collect();
        for known in [1, 2, 47, 48, 49, 1_000, 2_000] {
            ask(&mut row, &within[..known], &mut lists);
            assert!(row.knows_all(&within[..known]) && row.knows(&[(0, 1), (known as u16 / 48, 0)]));
            assert!(!row.knows(&[((known / WORD) as u16, 1 << (known % WORD))]));
            let mut told = vec![Vec::new(); known];
            row.tell(row.all(), |place, entry| {
                row.takers(entry).adopted(row.lists(), || &lists, &mut found).append_to(&mut told[place], &found);
            });
            for (place, told) in told.iter_mut().enumerate() {
                let mut wanted = slots(within[place]);
                wanted.sort_unstable();
                assert_eq!(*told, wanted);
            }
        }
        let mut told = Vec::new();
        row.tell([(1, 0b110), (41, 1 << 31), (60_000, 1)].into_iter(), |place, _| told.push(place));
        let wanted = [49, 50, 41 * 48 + 31].into_iter().filter(|&place| !slots(within[place]).is_empty());
        assert_eq!(told, wanted.collect::<Vec<_>>());
    }

    #[test]
    fn each_key_has_its_own_row() {
        let (mut rows, mut lists) = (Rows::default(), Lists::default());
        let keys = [(0, 0, 0), (0, 0, 1), (0, 1, 0), (1, 0, 0), (1 << 27, (1 << 20) - 1, 65_535)];
        let keys = keys.map(|(groups, stem, anchor)| {
            let key = Key::new(groups, stem, anchor).unwrap();
            assert_eq!((key.groups(), key.stem()), (groups, stem));
            key
        });
        assert_eq!(Key::new(0, 1 << 20, 0), None);
        for (count, key) in (1..).zip(keys) {
            assert!(rows.get(key).is_none());
            let mut is_new = false;
            ask(rows.row(key, || is_new = true), &vec![2; count], &mut lists);
            assert!(is_new);
        }
        rows.remove(keys[1]);
        for (count, key) in (1..).zip(keys) {
            assert_eq!(rows.get(key).map(Row::len), Some(count).filter(|_| key != keys[1]));
        }
        assert!(!rows.follow(0) && rows.follow(1) && rows.get(keys[0]).is_none());
    }
}
