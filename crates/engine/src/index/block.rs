//! What one trigger calls for, as one piece of memory.
//!
//! With many subscriptions there is far more of this than a processor keeps near. A document needs a little of much of
//! it: so each piece is small, lies in one place, and is read from its beginning on.

use std::ops::Range;

use super::pattern::Axis;
use super::places::PlaceId;
use super::plans::Climb;
use super::relations::{Needed, Relations};
use super::shapes::{ConditionId, PathId};
use super::suffixes::{Step, Suffixes, NO_BRANCH};
use super::takers::Takers;
use super::tests::{Marks, TestId};
use super::values::ConstantId;
use crate::near::bring_lines;

/// Groups with anchors in common.
pub struct Kin {
    pub climb: Climb,
    /// They need a constant besides the one that triggered: where it is looked for.
    pub place: Option<PlaceId>,
    /// Numbers of their stems, which are in order of that constant.
    pub stems: Range<u32>,
}

/// Groups that ask the same of an anchor.
pub struct Stem {
    pub above: PathId,
    pub condition: ConditionId,
    /// Who gets the anchor itself.
    pub takers: Takers,
    /// The first of the branches for the others; `NO_BRANCH` if there are none.
    pub first_branch: u32,
    /// How many branches there are if where they lead to depends on nothing but names, which spots tell.
    pub told_branches: Option<u32>,
    /// Where the last tests of the branches are: who passes none of them is led to by none.
    pub ends: Range<u32>,
}

/// What must be found for a stem to have results.
pub struct Gate {
    /// Below the anchor.
    pub needs: Marks,
    /// In the document.
    pub relations: Needed,
    /// The constant by which the stem is selected; 0 if by none.
    pub constant: ConstantId,
}

/// Steps that follow one another without a fork, as they lie in memory.
#[derive(Clone, Copy)]
pub struct Branch<'a> {
    pub steps: Steps<'a>,
    /// Who gets what the branch leads to.
    pub takers: Takers,
    /// The first branch that goes on from this one; `NO_BRANCH` if none does.
    pub next: u32,
}

#[derive(Clone, Copy)]
pub struct Steps<'a>(&'a [[u32; STEP]]);

/// How many kin there are, where gates, stems, last tests and branches begin; then the kin, the constants of the stems, and these,
/// one kind after the other: most stems are dismissed by their gates, so that nothing else is to lie between those. Each branch has
/// its steps behind it.
#[derive(Default)]
pub struct Block {
    words: Box<[u32]>,
}

const HEAD: usize = 5;
const KIN: usize = 4;
const GATE: usize = 8;
const STEM: usize = 7;
const BRANCH: usize = 7;
const STEP: usize = 3;
const NO_PLACE: u32 = u32::MAX;
const NOT_TOLD: u32 = u32::MAX;
const IS_LAST: u32 = 1 << 31;
/// The axis is above the test.
const AXIS_SHIFT: u32 = 30;
/// Lines of memory that are brought near before gates are looked at, and before branches are followed.
const FIRST_LINES: usize = 8;
const BRANCH_LINES: usize = 2;

impl Block {
    pub fn of(kin: &[Kin], stems: &[(Gate, Stem)], ends: &[TestId], suffixes: &Suffixes) -> Block {
        let places = suffixes.places(|branch| BRANCH + STEP * branch.steps.len());
        let place = |branch: u32| places.get(branch as usize).copied().unwrap_or(NO_BRANCH);
        let first_gate = HEAD + KIN * kin.len() + stems.len();
        let first_stem = first_gate + GATE * stems.len();
        let first_end = first_stem + STEM * stems.len();
        let first_branch = first_end + ends.len();
        let mut words = Vec::new();
        words.extend([kin.len(), first_gate, first_stem, first_end, first_branch].map(|word| word as u32));
        for Kin { climb, place, stems } in kin {
            words.extend([climb.to_word(), place.unwrap_or(NO_PLACE), stems.start, stems.end]);
        }
        words.extend(stems.iter().map(|(gate, _)| gate.constant));
        for (gate, _) in stems {
            words.extend(halves(gate.needs));
            let pairs = gate.relations.as_chunks::<2>().0;
            words.extend(pairs.iter().map(|&[low, high]| u32::from(low) | u32::from(high) << 16));
        }
        for (_, stem) in stems {
            let Stem { above, condition, takers, first_branch, told_branches, .. } = *stem;
            let Range { start, end } = stem.ends;
            let told_branches = told_branches.unwrap_or(NOT_TOLD);
            words.extend([above, condition, takers.to_word(), place(first_branch), told_branches, start, end]);
        }
        words.extend(ends);
        for branch in &suffixes.branches {
            words.extend(halves(branch.needs));
            let steps = branch.steps.len() as u32 | if branch.is_last { IS_LAST } else { 0 };
            words.extend([steps, branch.takers.to_word(), place(branch.next)]);
            for step in &branch.steps {
                words.extend([step.test | (step.axis as u32) << AXIS_SHIFT, step.condition, step.path]);
            }
        }
        Block { words: words.into() }
    }

    /// Whether it calls for no one.
    pub fn is_empty(&self) -> bool {
        self.word(0) == 0
    }

    /// Brings near what begins it.
    #[inline]
    pub fn bring(&self) {
        bring_lines(&self.words, 0, FIRST_LINES);
    }

    /// Brings near a branch and its first steps.
    #[inline]
    pub fn bring_branch(&self, branch: u32) {
        if branch != NO_BRANCH {
            bring_lines(&self.words, (self.word(4) + branch) as usize, BRANCH_LINES);
        }
    }

    #[inline]
    pub fn kin(&self) -> impl Iterator<Item = Kin> + '_ {
        (0..self.word(0)).map(|number| {
            let [climb, place, from, to] = self.read(HEAD + KIN * number as usize);
            Kin {
                climb: Climb::from_word(climb),
                place: Some(place).filter(|&place| place != NO_PLACE),
                stems: from..to,
            }
        })
    }

    #[inline]
    pub fn stem(&self, number: u32) -> Stem {
        let [above, condition, takers, first_branch, told_branches, start, end]: [u32; STEM] =
            self.read(self.word(2) as usize + STEM * number as usize);
        let told_branches = Some(told_branches).filter(|&branches| branches != NOT_TOLD);
        Stem { above, condition, takers: Takers::from_word(takers), first_branch, told_branches, ends: start..end }
    }

    /// Those of the stems that need no more than is below their anchor and in the document: of most no more is looked at.
    #[inline]
    pub fn stems<'a>(
        &'a self,
        stems: Range<u32>,
        below: Marks,
        there: &'a Relations,
    ) -> impl Iterator<Item = u32> + 'a {
        let gates = self.words[self.word(1) as usize..].as_chunks::<GATE>().0;
        let some = gates.get(stems.start as usize..stems.end as usize).unwrap_or(&[]);
        let may_hold = move |&[a, b, c, d, e, f, g, h]: &[u32; GATE]| {
            whole([a, b, c, d]) & !below == 0 && there.have(&relations([e, f, g, h]))
        };
        (stems.start..).zip(some).filter(move |(_, gate)| may_hold(gate)).map(|(number, _)| number)
    }

    /// The last tests of the branches of a stem.
    #[inline]
    pub fn ends(&self, stem: &Stem) -> &[TestId] {
        let first = self.word(3);
        self.words.get((first + stem.ends.start) as usize..(first + stem.ends.end) as usize).unwrap_or(&[])
    }

    /// The stems of those kin that need a constant.
    pub fn selected(&self, kin: &Kin, constant: ConstantId) -> Range<u32> {
        let first = HEAD + KIN * self.word(0) as usize;
        let places = first + kin.stems.start as usize..first + kin.stems.end as usize;
        let constants = self.words.get(places).unwrap_or(&[]);
        let from = constants.partition_point(|&other| other < constant);
        let count = constants[from..].iter().take_while(|&&other| other == constant).count();
        let from = kin.stems.start + from as u32;
        from..from + count as u32
    }

    /// A branch and those beside it that need no more than is there.
    #[inline]
    pub fn branches(&self, first: u32, there: Marks) -> impl Iterator<Item = Branch<'_>> + '_ {
        let mut rest = match first {
            NO_BRANCH => &[],
            first => self.words.get((self.word(4) + first) as usize..).unwrap_or(&[]),
        };
        std::iter::from_fn(move || loop {
            let (&[a, b, c, d, steps, takers, next], behind) = rest.split_first_chunk::<BRANCH>()?;
            let (own, others) = behind.split_at_checked(STEP * (steps & !IS_LAST) as usize)?;
            rest = if steps & IS_LAST == 0 { others } else { &[] };
            if whole([a, b, c, d]) & !there == 0 {
                let takers = Takers::from_word(takers);
                return Some(Branch { steps: Steps(own.as_chunks().0), takers, next });
            }
        })
    }

    #[inline]
    fn word(&self, place: usize) -> u32 {
        self.words.get(place).copied().unwrap_or(0)
    }

    #[inline]
    fn read<const N: usize>(&self, place: usize) -> [u32; N] {
        self.words[place..].first_chunk().copied().unwrap_or([0; N])
    }

    pub fn bytes(&self) -> usize {
        std::mem::size_of_val(&*self.words)
    }
}

impl<'a> Steps<'a> {
    #[inline]
    pub fn len(self) -> usize {
        self.0.len()
    }

    /// One of them, by its place.
    #[inline]
    pub fn get(self, place: usize) -> Step {
        step(&self.0[place])
    }

    #[inline]
    pub fn iter(self) -> impl Iterator<Item = Step> + use<'a> {
        self.0.iter().map(step)
    }
}

#[inline]
fn step(&[test, condition, path]: &[u32; STEP]) -> Step {
    let axis = match test >> AXIS_SHIFT {
        0 => Axis::Child,
        1 => Axis::Descendant,
        2 => Axis::DescendantOrSelf,
        _ => Axis::Attribute,
    };
    Step { axis, test: test & ((1 << AXIS_SHIFT) - 1), condition, path }
}

fn halves(marks: Marks) -> [u32; 4] {
    [0, 32, 64, 96].map(|shift| (marks >> shift) as u32)
}

#[inline]
fn whole([a, b, c, d]: [u32; 4]) -> Marks {
    let low = u64::from(a) | u64::from(b) << 32;
    let high = u64::from(c) | u64::from(d) << 32;
    Marks::from(low) | Marks::from(high) << 64
}

#[inline]
fn relations(words: [u32; 4]) -> Needed {
    let [a, b, c, d] = words.map(|word| [word as u16, (word >> 16) as u16]);
    [a[0], a[1], b[0], b[1], c[0], c[1], d[0], d[1]]
}
