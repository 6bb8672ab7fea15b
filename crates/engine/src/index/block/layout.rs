//! How a block lies in memory.
//!
//! How many kin there are, where the constants, the gates and the stems begin; then the kin and the ways that they climb, and these,
//! one kind after the other: most stems are dismissed by their gates, so that nothing else is to lie between those. Behind them
//! are the ways above the anchors and the forks. A fork begins with the gates of its branches, for the same reason; but most have only
//! one branch, which needs no more than the stem, and from which nothing goes on: of that only the rest is written.

use rustc_hash::FxHashMap;

use super::{Block, Climb, ConstantId, Gate, Kin, Marks, Needed, Stem};
use crate::index::pattern::packed;
use crate::index::shapes::{PathId, Shapes};
use crate::index::suffixes::{Branch, Step, Suffixes, NO_FORK};

pub const HEAD: usize = 4;
pub const KIN: usize = 4;
pub const GATE: usize = 8;
pub const STEM: usize = 5;
/// A gate and where the branch is.
pub const BRANCH: usize = GATE + 1;
pub const STEP: usize = 3;
pub const NO_PLACE: u32 = u32::MAX;
pub const NOT_TOLD: u32 = u32::MAX;
/// Instead of branches, so many steps of the only one follow, behind who gets what they lead to.
pub const IS_ONLY: u32 = 1 << 31;
/// A climb is a way, not a number of levels.
pub const IS_WAY: u32 = 1 << 31;

/// Steps that are written down once for all who take them.
struct Ways<'a> {
    shapes: &'a Shapes,
    /// Where the first of them is to be in the block.
    start: usize,
    words: Vec<u32>,
    known: FxHashMap<PathId, u32>,
}

impl Block {
    pub fn of(
        shapes: &Shapes,
        kin: &[Kin<Climb>],
        stems: &[(ConstantId, Gate, Stem<PathId>)],
        suffixes: &Suffixes,
    ) -> Block {
        let mut climbs = Ways::new(shapes, HEAD + KIN * kin.len());
        let climb_of = |kin: &Kin<Climb>| match kin.climb.as_path() {
            Some(path) => climbs.place(path) | IS_WAY,
            None => kin.climb.as_levels().unwrap_or(0),
        };
        let found: Vec<u32> = kin.iter().map(climb_of).collect();
        let first_constant = climbs.end();
        let first_gate = first_constant + stems.len();
        let first_stem = first_gate + GATE * stems.len();
        let mut above = Ways::new(shapes, first_stem + STEM * stems.len());
        let led_to: Vec<u32> = stems.iter().map(|(_, _, stem)| above.place(stem.above)).collect();
        let (forks, end) = places(suffixes, above.end());
        let fork_place = |fork: u32| forks.get(fork as usize).copied().unwrap_or(NO_FORK);

        let head = [kin.len(), first_constant, first_gate, first_stem];
        let mut words: Vec<u32> = Vec::with_capacity(end);
        words.extend(head.map(|word| word as u32));
        for (Kin { place, stems, .. }, &climb) in kin.iter().zip(&found) {
            words.extend([climb, place.unwrap_or(NO_PLACE), stems.start, stems.end]);
        }
        words.append(&mut climbs.words);
        words.extend(stems.iter().map(|(constant, ..)| constant));
        stems.iter().for_each(|(_, gate, _)| words.extend(gate.words()));
        for ((_, _, stem), &above) in stems.iter().zip(&led_to) {
            let (fork, told_branches) = (fork_place(stem.fork), stem.told_branches.unwrap_or(NOT_TOLD));
            words.extend([above, stem.condition, stem.takers.to_word(), fork, told_branches]);
        }
        words.append(&mut above.words);
        for fork in &suffixes.forks {
            add_fork(&mut words, fork, fork_place);
        }
        Block { words: words.into() }
    }
}

impl Ways<'_> {
    fn new(shapes: &Shapes, start: usize) -> Ways<'_> {
        Ways { shapes, start, words: Vec::new(), known: FxHashMap::default() }
    }

    fn end(&self) -> usize {
        self.start + self.words.len()
    }

    /// Where the steps of a path are, the last one first.
    fn place(&mut self, path: PathId) -> u32 {
        let place = self.end() as u32;
        *self.known.entry(path).or_insert_with(|| {
            let count = self.words.len();
            self.words.push(0);
            self.words.extend(self.shapes.links(path).flat_map(|(path, link)| step_words(&Step::of(link, path))));
            self.words[count] = ((self.words.len() - count - 1) / STEP) as u32;
            place
        })
    }
}

/// Where forks begin if they lie one after the other from `start` on, and where the last of them ends.
fn places(suffixes: &Suffixes, mut start: usize) -> (Vec<u32>, usize) {
    let size = |fork: &Vec<Branch>| match only(fork) {
        Some(branch) => 2 + STEP * branch.steps.len(),
        None => 1 + fork.iter().map(|branch| BRANCH + body_size(branch)).sum::<usize>(),
    };
    let mut places = Vec::with_capacity(suffixes.forks.len());
    for fork in &suffixes.forks {
        places.push(start as u32);
        start += size(fork);
    }
    (places, start)
}

/// The branch that needs neither a gate nor a place.
fn only(fork: &[Branch]) -> Option<&Branch> {
    match fork {
        [branch] if branch.gate == Gate::OPEN && branch.next == NO_FORK => Some(branch),
        _ => None,
    }
}

/// What a branch takes besides its gate.
fn body_size(branch: &Branch) -> usize {
    3 + STEP * branch.steps.len()
}

fn add_fork(words: &mut Vec<u32>, fork: &[Branch], place: impl Fn(u32) -> u32) {
    if let Some(branch) = only(fork) {
        words.extend([branch.steps.len() as u32 | IS_ONLY, branch.takers.to_word()]);
        words.extend(branch.steps.iter().flat_map(step_words));
        return;
    }
    words.push(fork.len() as u32);
    let mut body = words.len() + BRANCH * fork.len();
    for branch in fork {
        words.extend(branch.gate.words());
        words.push(body as u32);
        body += body_size(branch);
    }
    for branch in fork {
        words.extend([branch.takers.to_word(), place(branch.next), branch.steps.len() as u32]);
        words.extend(branch.steps.iter().flat_map(step_words));
    }
}

fn step_words(step: &Step) -> [u32; STEP] {
    [packed(step.axis, step.test), step.condition, step.path]
}

impl Gate {
    fn words(&self) -> [u32; GATE] {
        let [a, b, c, d] = [0, 32, 64, 96].map(|shift| (self.needs >> shift) as u32);
        let pairs = self.relations.as_chunks::<2>().0;
        let mut words = [a, b, c, d, 0, 0, 0, 0];
        for (word, &[low, high]) in words[4..].iter_mut().zip(pairs) {
            *word = u32::from(low) | u32::from(high) << 16;
        }
        words
    }
}

#[inline]
pub fn marks([a, b, c, d]: [u32; 4]) -> Marks {
    let low = u64::from(a) | u64::from(b) << 32;
    let high = u64::from(c) | u64::from(d) << 32;
    Marks::from(low) | Marks::from(high) << 64
}

#[inline]
pub fn relations(words: [u32; 4]) -> Needed {
    let [a, b, c, d] = words.map(|word| [word as u16, (word >> 16) as u16]);
    [a[0], a[1], b[0], b[1], c[0], c[1], d[0], d[1]]
}
