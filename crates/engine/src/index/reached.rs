//! Who gets the node at the end of a trail from an anchor, by what is called for there.

use super::block::Block;
use super::pattern::Axis;
use super::suffixes::Step;
use super::takers::{Takers, NO_ONE};
use super::tests::{Marks, Symbols, TestId};
use super::trails::{Label, TrailId, MOST_TRAILS};

/// What is remembered of it for one piece of memory with groups: a table in which each answer is at the place that its
/// question tells, or next to it.
#[derive(Default)]
pub struct Reached {
    /// Of the trails.
    generation: u32,
    used: u32,
    /// At least half of them are free; their number is a power of two.
    entries: Vec<Entry>,
}

#[derive(Clone, Copy)]
struct Entry {
    question: Question,
    takers: Takers,
}

/// A stem, by its number in the block, and a trail.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Question(u32);

const TRAIL_BITS: u32 = 21;
const _: () = assert!(MOST_TRAILS < 1 << TRAIL_BITS);

/// Stems of a block that may be asked about.
pub const MOST_STEMS: u32 = (1 << (u32::BITS - TRAIL_BITS)) - 1;

const FREE: Entry = Entry { question: Question(u32::MAX), takers: NO_ONE };

impl Question {
    #[inline]
    pub fn new(stem: u32, trail: TrailId) -> Question {
        Question(stem << TRAIL_BITS | trail)
    }
}

impl Reached {
    /// Forgets what was remembered of trails of another generation; whether there may have been such.
    #[inline]
    pub fn follow(&mut self, generation: u32) -> bool {
        let is_other = self.generation != generation;
        if is_other {
            *self = Reached { generation, ..Reached::default() };
        }
        is_other
    }

    #[inline]
    pub fn generation(&self) -> u32 {
        self.generation
    }

    /// Brings an answer near. Asked for one after the other, they come all at once; to go on with one would be to wait for it,
    /// as no one can foretell whether it is that anyone gets the node.
    #[inline]
    pub fn fetch(&self, question: Question) -> u32 {
        self.entries.get(self.place(question)).map_or(0, |entry| entry.question.0)
    }

    #[inline]
    pub fn get(&self, question: Question) -> Option<Takers> {
        let mut place = self.place(question);
        let mut entry = self.entries.get(place)?;
        while entry.question != question {
            if entry.question == FREE.question {
                return None;
            }
            place = self.after(place);
            entry = &self.entries[place];
        }
        Some(entry.takers)
    }

    /// Adds an answer; the bytes that takes.
    pub fn add(&mut self, question: Question, takers: Takers) -> usize {
        self.used += 1;
        if self.entries.len() < 2 * self.used as usize {
            let larger = vec![FREE; (2 * self.used as usize).next_power_of_two()];
            let known = std::mem::replace(&mut self.entries, larger);
            known.into_iter().filter(|entry| entry.question != FREE.question).for_each(|entry| self.put(entry));
        }
        self.put(Entry { question, takers });
        2 * std::mem::size_of::<Entry>()
    }

    fn put(&mut self, entry: Entry) {
        let mut place = self.place(entry.question);
        while self.entries[place].question != FREE.question {
            place = self.after(place);
        }
        self.entries[place] = entry;
    }

    /// Trails that were met together have numbers near each other: so have their places.
    #[inline]
    fn place(&self, Question(question): Question) -> usize {
        let stem = (question >> TRAIL_BITS).wrapping_mul(0x9E37_79B1);
        question.wrapping_add(stem) as usize & self.entries.len().wrapping_sub(1)
    }

    #[inline]
    fn after(&self, place: usize) -> usize {
        (place + 1) & (self.entries.len() - 1)
    }
}

/// Who gets the node at the end of a trail by following a branch and those beside it.
pub fn takers(block: &Block, first_branch: u32, labels: &[Label], symbols: &Symbols) -> Vec<Takers> {
    let marks = labels.iter().fold(0, |marks, label| marks | label.marks(symbols));
    let mut follower = Follower { block, labels, symbols, marks, takers: Vec::new() };
    follower.follow(first_branch, 1);
    follower.takers
}

struct Follower<'a> {
    block: &'a Block,
    labels: &'a [Label],
    symbols: &'a Symbols,
    marks: Marks,
    takers: Vec<Takers>,
}

/// A set of places on a trail: the first is its start, then come its labels.
type Places = u64;

impl Follower<'_> {
    fn follow(&mut self, first: u32, from: Places) {
        let block = self.block;
        for branch in block.branches(first, self.marks) {
            let steps = branch.first_step..branch.first_step + branch.steps;
            let reached = steps.fold(from, |places, step| self.take(block.step(step), places));
            if reached >> self.labels.len() & 1 != 0 && branch.takers != NO_ONE {
                self.takers.push(branch.takers);
            }
            if reached != 0 {
                self.follow(branch.next, reached);
            }
        }
    }

    /// Where a step leads to.
    fn take(&self, step: Step, from: Places) -> Places {
        let led_to = match step.axis {
            Axis::Child | Axis::Attribute => from << 1,
            _ if from == 0 => 0,
            _ => Places::MAX.checked_shl(from.trailing_zeros() + 1).unwrap_or(0),
        };
        if led_to == 0 {
            return 0;
        }
        led_to & self.passing(step.test, step.axis == Axis::Attribute)
    }

    fn passing(&self, test: TestId, is_attribute: bool) -> Places {
        let passes = |label: &Label| Places::from(label.passes(self.symbols, test, is_attribute));
        self.labels.iter().rev().fold(0, |places, label| places << 1 | passes(label)) << 1
    }
}
