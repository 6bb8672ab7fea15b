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

/// Where in a row it is known who gets the nodes of a spot, until more is asked.
#[derive(Clone, Copy)]
pub struct Entry(u16);

/// Who gets the nodes at the spots within an anchor's, as far as that has been asked.
#[derive(Default)]
pub struct Row {
    /// How many words there are.
    words: u16,
    /// Where lists begin.
    lists: u32,
    /// The words; takers for each spot whose nodes someone gets; and the lists that these refer to, each behind its length.
    data: Box<[u32]>,
}

/// Of some places: which have been asked about, at which someone gets the nodes, and how many there are of these before it.
type Word = [u32; WORD_SIZE];
const WORD_SIZE: usize = 3;

impl Row {
    /// The words, and what is behind them.
    #[inline]
    fn parts(&self) -> (&[Word], &[u32]) {
        let (words, rest) = self.data.split_at(WORD_SIZE * usize::from(self.words));
        (words.as_chunks().0, rest)
    }

    /// Asks about those of the places that have not been asked about, who add themselves to a list and say whether they may be given
    /// the same elsewhere; the bytes that it takes to remember them.
    pub fn ask(
        &mut self,
        places: &[(u16, u32)],
        lists: &mut Lists,
        mut add_takers: impl FnMut(usize, &Lists, &mut Vec<u32>) -> bool,
    ) -> usize {
        let (words, rest) = self.parts();
        let (takers, near) = rest.split_at(self.len());
        let (mut words, mut near) = (words.to_vec(), near.to_vec());
        let (mut slots, mut asked, mut long) = (Vec::new(), Vec::new(), 0);
        for &(number, bits) in places {
            let mut bits = unknown(&words, (number, bits));
            words.resize(words.len().max(usize::from(number) + 1), Word::default());
            words[usize::from(number)][0] |= bits;
            while bits != 0 {
                let place = WORD * usize::from(number) + bits.trailing_zeros() as usize;
                slots.clear();
                let may_repeat = add_takers(place, lists, &mut slots);
                slots.sort_unstable();
                slots.dedup();
                if Lists::refers_to(&slots) {
                    long += 32 + 4 * slots.len();
                }
                if !slots.is_empty() {
                    asked.push((place, Takers::told(&slots, may_repeat, &mut near, lists).to_word()));
                }
                bits &= bits - 1;
            }
        }
        asked.extend(set_places(self.parts().0).zip(takers.iter().copied()));
        asked.sort_unstable();
        for &(place, _) in &asked {
            words[place / WORD][1] |= 1 << (place % WORD);
        }
        let mut before = 0;
        for word in &mut words {
            word[2] = before;
            before += word[1].count_ones();
        }
        let count = words.len() as u16;
        let mut data = words.into_flattened();
        data.extend(asked.iter().map(|(_, takers)| takers));
        let (first_list, old) = (data.len() as u32, self.data.len());
        data.append(&mut near);
        *self = Row { words: count, lists: first_list, data: data.into() };
        long + 4 * (self.data.len() - old)
    }

    /// Tells of which of these places someone gets the nodes, and brings near who. Whether all of the places have been asked about; if not,
    /// more may have to be told.
    #[inline]
    pub fn tell(&self, places: &[(u16, u32)], mut tell: impl FnMut(usize, Entry)) -> bool {
        let (words, rest) = self.parts();
        let mut unknown = 0;
        for &(number, bits) in places {
            let &[known, word, before] = words.get(usize::from(number)).unwrap_or(&[0; WORD_SIZE]);
            unknown |= bits & !known;
            let mut both = word & bits;
            while both != 0 {
                let bit = both.trailing_zeros();
                let entry = before + (word & ((1 << bit) - 1)).count_ones();
                bring_at(rest, entry as usize);
                tell(WORD * usize::from(number) + bit as usize, Entry(entry as u16));
                both &= both - 1;
            }
        }
        unknown == 0
    }

    /// Who is known at an entry.
    #[inline]
    pub fn takers(&self, Entry(entry): Entry) -> Takers {
        Takers::from_word(self.data[WORD_SIZE * usize::from(self.words) + usize::from(entry)])
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
        self.lists as usize - WORD_SIZE * usize::from(self.words)
    }

    /// Brings near what is looked at first, of words and of takers.
    #[inline]
    fn bring(&self) {
        const LINES: usize = 2;
        bring_lines(&self.data, 0, LINES);
        bring_lines(&self.data, WORD_SIZE * usize::from(self.words), LINES);
    }
}

/// Which of some places have not been asked about.
#[inline]
fn unknown(words: &[Word], (number, bits): (u16, u32)) -> u32 {
    words.get(usize::from(number)).map_or(bits, |[known, ..]| bits & !known)
}

/// The places at which someone gets the nodes.
fn set_places(words: &[Word]) -> impl Iterator<Item = usize> + '_ {
    let is_set = |place: &usize| words[place / WORD][1] >> (place % WORD) & 1 != 0;
    (0..WORD * words.len()).filter(is_set)
}

/// The rows that an automaton knows.
#[derive(Default)]
pub struct Rows {
    /// Of the spots.
    generation: u32,
    rows: Table<(u64, Row)>,
}

impl Rows {
    /// What a row takes besides its data, roughly.
    pub const BYTES: usize = 2 * size_of::<(u64, Row)>();

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

    fn ask(row: &mut Row, places: &[(u16, u32)], lists: &mut Lists) {
        row.ask(places, lists, |place, _, all| {
            all.extend(slots(place as SpotId));
            false
        });
    }

    fn knows(row: &Row, places: &[(u16, u32)]) -> bool {
        row.tell(places, |_, _| ())
    }

    /// Whether a row tells of these places what they were asked.
    fn tells(row: &Row, asked: &[(u16, u32)], lists: &Lists) -> bool {
        let (mut told, mut found) = (Vec::new(), Lists::default());
        let is_all = row.tell(asked, |place, entry| {
            let mut slots = Vec::new();
            row.takers(entry).adopted(row.lists(), || lists, &mut found).append_to(&mut slots, &found);
            told.push((place, slots));
        });
        let places = asked.iter().flat_map(|&(number, bits)| {
            let is_set = move |bit: &usize| bits >> bit & 1 != 0;
            (0..WORD).filter(is_set).map(move |bit| WORD * usize::from(number) + bit)
        });
        let mut wanted: Vec<_> = places.map(|place| (place, slots(place as SpotId))).collect();
        wanted.iter_mut().for_each(|(_, slots)| slots.sort_unstable());
        wanted.retain(|(_, slots)| !slots.is_empty());
        is_all && told == wanted
    }

    #[test]
    fn a_row_tells_who_gets_the_nodes_of_each_place_that_was_asked_about() {
        let (mut row, mut lists) = (Row::default(), Lists::default());
        let many = (0..31).map(|number| (number, u32::MAX)).collect();
        let some = [vec![(7, 0b1101)], vec![(0, 1), (7, 0b11)], vec![(60, u32::MAX)], many];
        for places in &some {
            assert!(!knows(&row, places));
            ask(&mut row, places, &mut lists);
            assert!(tells(&row, places, &lists));
        }
        assert!(!knows(&row, &[(60, 1), (61, 1)]) && !knows(&row, &[(31, 1)]) && knows(&row, &[(30, 1 << 31), (7, 6)]));
        assert!(some.iter().all(|places| tells(&row, places, &lists)));
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
            rows.row(key, || is_new = true).ask(&[(0, (1 << count) - 1)], &mut lists, |place, _, slots| {
                slots.push(place as u32);
                false
            });
            assert!(is_new);
        }
        rows.remove(keys[1]);
        for (count, key) in (1..).zip(keys) {
            assert_eq!(rows.get(key).map(Row::len), Some(count).filter(|_| key != keys[1]));
        }
        assert!(!rows.follow(0) && rows.follow(1) && rows.get(keys[0]).is_none());
    }
}
