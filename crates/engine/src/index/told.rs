//! Who gets the nodes at an anchor's spot and below it, remembered from document to document.
//!
//! With many subscriptions there is far more of this than a processor keeps near: so it is small and lies together, and
//! most questions are answered by a bit.

use super::groups::GroupsId;
use super::located::{There, WORD};
use super::spots::SpotId;
use super::table::{Entry, Table};
use super::takers::Takers;
use crate::lists::Lists;
use crate::near::{bring_at, bring_lines};

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

    #[inline]
    fn halves(self) -> [u32; 2] {
        [self.0 as u32, (self.0 >> 32) as u32]
    }
}

/// What is known for one key: who gets the nodes at spots, of all spots up to a number.
///
/// It is a head (that number, and how many words there are; where its lists begin; its size), the words, takers for each
/// spot whose nodes someone gets, and the lists that these refer to, each behind its length.
#[derive(Clone, Copy)]
pub struct Row<'a> {
    data: &'a [u32],
}

const HEAD: usize = 3;
/// Where in the head these are.
const KNOWN: usize = 0;
const LISTS: usize = 1;
const SIZE: usize = 2;

/// Of some spots, and only if there is such a one: at which someone gets the nodes; before it the number of the word, and how
/// many such spots there are in the words before it.
type Word = [u32; 2];
const WORD_SIZE: usize = 2;

impl<'a> Row<'a> {
    /// It knows all spots with smaller numbers.
    #[inline]
    pub fn known(self) -> SpotId {
        self.data[KNOWN] as SpotId
    }

    #[inline]
    fn words(self) -> &'a [Word] {
        let end = HEAD + WORD_SIZE * (self.data[KNOWN] >> SpotId::BITS) as usize;
        self.data[HEAD..end].as_chunks().0
    }

    /// Tells at which of the spots that are there someone gets the nodes, and where in the row it is known who.
    #[inline]
    pub fn tell(self, there: &There, mut tell: impl FnMut(SpotId, u32)) {
        let words = self.words();
        let takers = HEAD + WORD_SIZE * words.len();
        for &[place, word] in words {
            let (number, before) = (place as SpotId, place >> SpotId::BITS);
            let mut both = word & there.word(number);
            while both != 0 {
                let bit = both.trailing_zeros();
                let entry = before + (word & ((1 << bit) - 1)).count_ones();
                tell(number * WORD as SpotId + bit as SpotId, takers as u32 + entry);
                both &= both - 1;
            }
        }
    }

    /// How many spots there are whose nodes someone gets.
    #[cfg(test)]
    fn len(self) -> usize {
        self.words().last().map_or(0, |[place, word]| ((place >> SpotId::BITS) + word.count_ones()) as usize)
    }

    /// Where the lists begin that its takers refer to.
    #[inline]
    pub fn first_list(self) -> u32 {
        self.data[LISTS]
    }

    fn lists(self) -> &'a [u32] {
        &self.data[self.first_list() as usize..]
    }

    /// The spots whose nodes someone gets, and who.
    fn entries(self) -> impl Iterator<Item = (SpotId, Takers)> + 'a {
        let spots = self.words().iter().flat_map(|&[place, word]| {
            let is_set = move |bit: &usize| word >> bit & 1 != 0;
            (0..WORD).filter(is_set).map(move |bit| place as SpotId * WORD as SpotId + bit as SpotId)
        });
        spots.zip(self.data[HEAD + WORD_SIZE * self.words().len()..].iter().map(|&word| Takers::from_word(word)))
    }
}

/// Where the row of a key begins. Until there is one: how often it was asked for, less than `NO_ROW`.
#[derive(Clone, Copy)]
struct Start {
    key: [u32; 2],
    row: u32,
}

const NO_ROW: u32 = u32::MAX;
/// There are fewer words than that.
const MOST_WORDS: u32 = NO_ROW - MOST_TIMES;
const MOST_TIMES: u32 = (SpotId::MAX as usize / SPOTS_FOR_A_TIME) as u32 + 1;

impl Entry for Start {
    const FREE: u64 = u64::MAX;

    fn free() -> Start {
        Start { key: [u32::MAX; 2], row: NO_ROW }
    }

    #[inline(always)]
    fn key(&self) -> u64 {
        u64::from(self.key[0]) | u64::from(self.key[1]) << 32
    }
}

/// The rows that an automaton knows.
#[derive(Default)]
pub struct Rows {
    /// Of the spots.
    generation: u32,
    /// All rows, one after the other.
    data: Vec<u32>,
    /// How much of that no one will ask for again.
    given_up: usize,
    starts: Table<Start>,
}

/// To answer once without a row takes as long as to look at so many spots for it.
const SPOTS_FOR_A_TIME: usize = 64;
/// So much that no one asks for is put up with, next to half of all.
const LITTLE: usize = 1 << 16;

impl Rows {
    /// What a row takes besides its data, roughly.
    pub const BYTES: usize = 2 * size_of::<Start>() + size_of::<Key>();

    /// Whether what is known was learned of other spots; now it is forgotten.
    pub fn follow(&mut self, generation: u32) -> bool {
        let is_outdated = self.generation != generation;
        if is_outdated {
            *self = Rows { generation, ..Rows::default() };
        }
        is_outdated
    }

    pub fn get(&self, key: Key) -> Option<Row<'_>> {
        self.find(key).map(|start| self.row(start))
    }

    /// Where a row begins.
    #[inline]
    pub fn find(&self, Key(key): Key) -> Option<u32> {
        self.starts.get(key).map(|start| start.row).filter(|&start| start < MOST_WORDS)
    }

    #[inline]
    pub fn row(&self, start: u32) -> Row<'_> {
        let start = start as usize;
        Row { data: &self.data[start..start + self.data[start + SIZE] as usize] }
    }

    /// Whether it is worth while to learn a row, for which all of so many spots are looked at: to answer once without it is far less
    /// work. When it is first asked for, that is told.
    pub fn is_worth_it(&mut self, key: Key, spots: usize, first: impl FnOnce()) -> bool {
        let start = self.starts.entry(key.0, || {
            first();
            Start { key: key.halves(), row: NO_ROW }
        });
        let times = (NO_ROW - start.row) as usize;
        let is_worth_it = times * SPOTS_FOR_A_TIME >= spots;
        if !is_worth_it {
            start.row -= 1;
        }
        is_worth_it
    }

    /// A row is to know all spots before one; those which it does not know and whose nodes someone gets are told. The bytes that it takes
    /// to remember them.
    pub fn learn(&mut self, key: Key, known: SpotId, mut told: Vec<(SpotId, Takers)>, lists: &mut Lists) -> usize {
        let old = self.get(key);
        let mut entries: Vec<(SpotId, Takers)> = old.into_iter().flat_map(Row::entries).collect();
        let mut near = old.map_or_else(Vec::new, |row| row.lists().to_vec());
        let (mut slots, mut long) = (Vec::new(), 0);
        told.sort_unstable();
        for same in told.chunk_by(|left, right| left.0 == right.0) {
            slots.clear();
            same.iter().for_each(|(_, takers)| takers.append_to(&mut slots, lists));
            slots.sort_unstable();
            slots.dedup();
            long += if Lists::refers_to(&slots) { 32 + 4 * slots.len() } else { 0 };
            let may_repeat = same.iter().any(|(_, takers)| takers.may_repeat());
            entries.push((same[0].0, Takers::told(&slots, may_repeat, &mut near, lists)));
        }
        let old_size = old.map_or(0, |row| row.data.len());
        let row = row(known, &entries, &near);
        let learned = long + 4 * row.len().saturating_sub(old_size);
        let start = Start { key: key.halves(), row: self.data.len() as u32 };
        *self.starts.entry(key.0, || start) = start;
        self.data.extend(row);
        self.given_up += old_size;
        if self.given_up > LITTLE + self.data.len() / 2 {
            self.move_together();
        }
        learned
    }

    /// No one gets the nodes at spots that a row does not know, up to a number.
    pub fn note_known(&mut self, key: Key, known: SpotId) {
        if let Some(start) = self.find(key) {
            let head = &mut self.data[start as usize + KNOWN];
            *head = *head >> SpotId::BITS << SpotId::BITS | u32::from(known);
        }
    }

    pub fn remove(&mut self, key: Key) {
        self.given_up += self.get(key).map_or(0, |row| row.data.len());
        self.starts.remove(key.0);
    }

    #[cold]
    fn move_together(&mut self) {
        let mut data = Vec::with_capacity(self.data.len() - self.given_up);
        for start in self.starts.iter_mut().filter(|start| start.row < MOST_WORDS) {
            let old = start.row as usize;
            start.row = data.len() as u32;
            data.extend_from_slice(&self.data[old..old + self.data[old + SIZE] as usize]);
        }
        (self.data, self.given_up) = (data, 0);
    }

    /// Brings near where a row begins.
    #[inline]
    pub fn bring_start(&self, Key(key): Key) {
        self.starts.bring(key);
    }

    /// Brings near the row that begins there.
    #[inline]
    pub fn bring(&self, start: u32) {
        const LINES: usize = 2;
        bring_lines(&self.data, start as usize, LINES);
    }

    /// Brings near who is known at a place.
    #[inline]
    pub fn bring_takers(&self, place: u32) {
        bring_at(&self.data, place as usize);
    }

    /// Who is known at a place. Their list, which is among those that begin there, is brought near.
    #[inline]
    pub fn takers(&self, place: u32, first_list: u32) -> Takers {
        let takers = Takers::from_word(self.data[place as usize]);
        if let Some(list) = takers.near() {
            bring_at(&self.data, first_list as usize + list);
        }
        takers
    }

    /// The lists that begin there.
    #[inline]
    pub fn lists(&self, first_list: u32) -> &[u32] {
        &self.data[first_list as usize..]
    }
}

/// A row that knows all spots up to a number, those in order at which someone gets the nodes, and lists.
fn row(known: SpotId, entries: &[(SpotId, Takers)], lists: &[u32]) -> Vec<u32> {
    let mut row = vec![0; HEAD];
    let (mut before, mut words) = (0, 0);
    for same_word in entries.chunk_by(|left, right| left.0 / WORD as SpotId == right.0 / WORD as SpotId) {
        let word = same_word.iter().fold(0, |word, (spot, _)| word | 1 << (spot % WORD as SpotId));
        row.extend([before << SpotId::BITS | u32::from(same_word[0].0 / WORD as SpotId), word]);
        before += same_word.len() as u32;
        words += 1;
    }
    row.extend(entries.iter().map(|(_, takers)| takers.to_word()));
    (row[KNOWN], row[LISTS]) = (words << SpotId::BITS | u32::from(known), row.len() as u32);
    row.extend(lists);
    row[SIZE] = row.len() as u32;
    row
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

    /// Those who get the nodes of spots, each by a way of their own.
    fn learn(rows: &mut Rows, key: Key, spots: std::ops::Range<SpotId>, lists: &mut Lists) -> usize {
        let each = |spot: SpotId| {
            slots(spot).into_iter().rev().map(move |slot| (spot, Takers::of(&[slot], false, &mut Lists::default())))
        };
        rows.learn(key, spots.end, spots.flat_map(each).collect(), lists)
    }

    /// What a row tells of these spots.
    fn told(rows: &Rows, key: Key, spots: &[SpotId], lists: &Lists) -> Vec<(SpotId, Vec<u32>)> {
        let (mut told, mut found, mut there) = (Vec::new(), Lists::default(), There::default());
        spots.iter().for_each(|&spot| there.add(spot));
        let (start, row) = (rows.find(key).unwrap(), rows.get(key).unwrap());
        row.tell(&there, |spot, place| {
            let (mut slots, first_list) = (Vec::new(), start + row.first_list());
            let takers = rows.takers(start + place, first_list);
            takers.adopted(rows.lists(first_list), || lists, &mut found).append_to(&mut slots, &found);
            told.push((spot, slots));
        });
        told
    }

    fn wanted(spots: &[SpotId]) -> Vec<(SpotId, Vec<u32>)> {
        let mut wanted: Vec<_> = spots.iter().map(|&spot| (spot, slots(spot))).collect();
        wanted.iter_mut().for_each(|(_, slots)| slots.sort_unstable());
        wanted.retain(|(_, slots)| !slots.is_empty());
        wanted
    }

    #[test]
    fn a_row_tells_who_gets_the_nodes_of_each_spot_that_is_there() {
        let (mut rows, mut lists, key) = (Rows::default(), Lists::default(), Key::new(3, 0, 1).unwrap());
        for spots in [0..0, 0..12, 12..16, 16..17, 17..700, 700..60_000] {
            let known = spots.end;
            learn(&mut rows, key, spots, &mut lists);
            assert_eq!(rows.get(key).unwrap().known(), known);
            let some: [Vec<SpotId>; 3] = [(0..known).collect(), (0..known).step_by(37).collect(), vec![known / 2]];
            for spots in some.iter().filter(|spots| spots.iter().all(|&spot| spot < known)) {
                assert_eq!(told(&rows, key, spots, &lists), wanted(spots));
            }
        }
    }

    #[test]
    fn a_row_may_know_more_without_telling_more() {
        let (mut rows, mut lists, key) = (Rows::default(), Lists::default(), Key::new(0, 0, 0).unwrap());
        assert!(learn(&mut rows, key, 0..10, &mut lists) > 0);
        let size = rows.data.len();
        rows.note_known(key, 12);
        assert_eq!(rows.data.len(), size);
        assert_eq!((rows.get(key).unwrap().known(), told(&rows, key, &[3, 11], &lists)), (12, wanted(&[3])));
    }

    #[test]
    fn a_row_is_worth_it_when_it_was_asked_for_often_enough() {
        let (mut rows, mut lists, mut asked) = (Rows::default(), Lists::default(), 0);
        let keys = [0, 1].map(|anchor| Key::new(3, 0, anchor).unwrap());
        let mut times = |rows: &mut Rows, key, spots| (0..).find(|_| rows.is_worth_it(key, spots, || asked += 1));
        assert_eq!(times(&mut rows, keys[0], 1), Some(1));
        assert_eq!(times(&mut rows, keys[1], usize::from(SpotId::MAX)), Some(MOST_TIMES));
        assert!(keys.iter().all(|&key| rows.get(key).is_none()));
        learn(&mut rows, keys[0], 0..4, &mut lists);
        assert_eq!(times(&mut rows, keys[0], usize::from(SpotId::MAX)), Some(0));
        rows.remove(keys[0]);
        assert_eq!(times(&mut rows, keys[0], 1), Some(1));
        assert_eq!(asked, 3);
    }

    #[test]
    fn each_key_has_its_own_row() {
        let (mut rows, mut lists) = (Rows::default(), Lists::default());
        let keys = [(0, 0, 0), (0, 0, 1), (0, 1, 0), (1, 0, 0), (1 << 20, (1 << 20) - 1, 65_535)];
        let keys = keys.map(|(groups, stem, anchor)| {
            let key = Key::new(groups, stem, anchor).unwrap();
            assert_eq!((key.groups(), key.stem()), (groups, stem));
            key
        });
        assert_eq!(Key::new(0, 1 << 20, 0), None);
        for (count, key) in (1..).zip(keys) {
            assert!(rows.get(key).is_none());
            let told = (0..count).map(|spot| (spot, Takers::of(&[7], false, &mut lists))).collect();
            rows.learn(key, count, told, &mut Lists::default());
        }
        let len = |rows: &Rows, key| rows.get(key).map(Row::len);
        assert!((1..).zip(keys).all(|(count, key)| len(&rows, key) == Some(count)));
        keys[..3].iter().for_each(|&key| rows.remove(key));
        let left = keys.map(|key| len(&rows, key));
        assert_eq!(left, [None, None, None, Some(4), Some(5)]);
        assert!(!rows.follow(0) && rows.follow(1) && rows.get(keys[3]).is_none());
    }

    #[test]
    fn what_no_one_asks_for_is_given_back() {
        let (mut rows, mut lists) = (Rows::default(), Lists::default());
        let key = |groups| Key::new(groups, 0, 7).unwrap();
        for known in (0..3_000).step_by(10) {
            (0..20).for_each(|groups| {
                learn(&mut rows, key(groups), known..known + 10, &mut lists);
            });
        }
        let used: usize = (0..20).map(|groups| rows.get(key(groups)).unwrap().data.len()).sum();
        assert!(rows.data.len() <= 2 * (LITTLE + used), "{} of {used}", rows.data.len());
        let spots: Vec<SpotId> = (0..3_000).collect();
        assert!((0..20).all(|groups| told(&rows, key(groups), &spots, &lists) == wanted(&spots)));
    }
}
