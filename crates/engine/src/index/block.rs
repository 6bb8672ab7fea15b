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
use super::suffixes::{Branch, Step, Suffixes, NO_BRANCH};
use super::takers::Takers;
use super::tests::{Marks, TestId};
use super::values::ConstantId;
use crate::near::{bring_at, bring_lines};

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
    /// What must be found below the anchor for there to be results.
    pub needs: Marks,
    /// What must be found in the document.
    pub relations: Needed,
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
    /// The constant by which they are selected; 0 if by none.
    pub constant: ConstantId,
}

/// How many kin there are, where stems, last tests, branches and steps begin; then these, one kind after the other.
#[derive(Default)]
pub struct Block {
    words: Box<[u32]>,
}

const HEAD: usize = 5;
const KIN: usize = 4;
const STEM: usize = 16;
const BRANCH: usize = 8;
const STEP: usize = 3;
const NO_PLACE: u32 = u32::MAX;
const NOT_TOLD: u32 = u32::MAX;
const IS_LAST: u32 = 1 << 31;
/// The axis is above the test.
const AXIS_SHIFT: u32 = 30;
/// Lines of memory that are brought near before stems are looked at, and before branches are followed.
const FIRST_LINES: usize = 4;
const BRANCH_LINES: usize = 2;

impl Block {
    pub fn of(kin: &[Kin], stems: &[Stem], ends: &[TestId], suffixes: &Suffixes) -> Block {
        let first_stem = HEAD + KIN * kin.len();
        let first_end = first_stem + STEM * stems.len();
        let first_branch = first_end + ends.len();
        let first_step = first_branch + BRANCH * suffixes.branches.len();
        let mut words = Vec::with_capacity(first_step + STEP * suffixes.steps.len());
        words.extend([kin.len(), first_stem, first_end, first_branch, first_step].map(|word| word as u32));
        for Kin { climb, place, stems } in kin {
            words.extend([climb.to_word(), place.unwrap_or(NO_PLACE), stems.start, stems.end]);
        }
        for stem in stems {
            words.extend(halves(stem.needs));
            let pairs = stem.relations.as_chunks::<2>().0;
            words.extend(pairs.iter().map(|&[low, high]| u32::from(low) | u32::from(high) << 16));
            let Stem { above, condition, takers, first_branch, told_branches, constant, .. } = *stem;
            let Range { start, end } = stem.ends;
            let told_branches = told_branches.unwrap_or(NOT_TOLD);
            words.extend([above, condition, takers.to_word(), first_branch, told_branches, start, end, constant]);
        }
        words.extend(ends);
        for branch in &suffixes.branches {
            words.extend(halves(branch.needs));
            let steps = branch.steps | if branch.is_last { IS_LAST } else { 0 };
            words.extend([branch.first_step, steps, branch.takers.to_word(), branch.next]);
        }
        for step in &suffixes.steps {
            words.extend([step.test | (step.axis as u32) << AXIS_SHIFT, step.condition, step.path]);
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

    /// Brings near a branch and those beside it.
    #[inline]
    pub fn bring_branch(&self, branch: u32) {
        if branch != NO_BRANCH {
            bring_lines(&self.words, self.word(3) as usize + BRANCH * branch as usize, BRANCH_LINES);
        }
    }

    /// Brings near the first steps of a branch.
    #[inline]
    pub fn bring_steps(&self, branch: u32) {
        if branch != NO_BRANCH {
            let [_, _, _, _, first_step, ..]: [u32; BRANCH] =
                self.read(self.word(3) as usize + BRANCH * branch as usize);
            bring_at(&self.words, self.word(4) as usize + STEP * first_step as usize);
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
        let words: [u32; STEM] = self.read(self.word(1) as usize + STEM * number as usize);
        let [a, b, c, d, e, f, g, h, above, condition, takers, first_branch, told_branches, start, end, constant] =
            words;
        let (needs, relations) = (whole([a, b, c, d]), relations([e, f, g, h]));
        let (takers, ends) = (Takers::from_word(takers), start..end);
        let told_branches = Some(told_branches).filter(|&branches| branches != NOT_TOLD);
        Stem { needs, relations, ends, above, condition, takers, first_branch, told_branches, constant }
    }

    /// Those of the stems that need no more than is below their anchor and in the document: of most no more is looked at.
    #[inline]
    pub fn stems<'a>(
        &'a self,
        stems: Range<u32>,
        below: Marks,
        there: &'a Relations,
    ) -> impl Iterator<Item = u32> + 'a {
        let packed = self.words[self.word(1) as usize..].as_chunks::<STEM>().0;
        let some = packed.get(stems.start as usize..stems.end as usize).unwrap_or(&[]);
        let may_hold = move |&[a, b, c, d, e, f, g, h, ..]: &[u32; STEM]| {
            whole([a, b, c, d]) & !below == 0 && there.have(&relations([e, f, g, h]))
        };
        (stems.start..).zip(some).filter(move |(_, stem)| may_hold(stem)).map(|(number, _)| number)
    }

    /// The last tests of the branches of a stem.
    #[inline]
    pub fn ends(&self, stem: &Stem) -> &[TestId] {
        let first = self.word(2);
        self.words.get((first + stem.ends.start) as usize..(first + stem.ends.end) as usize).unwrap_or(&[])
    }

    /// The stems of those kin that need a constant.
    pub fn selected(&self, kin: &Kin, constant: ConstantId) -> Range<u32> {
        let constant_of = |stem: u32| self.word(self.word(1) as usize + STEM * stem as usize + STEM - 1);
        let (mut from, mut to) = (kin.stems.start, kin.stems.end);
        while from < to {
            let middle = from + (to - from) / 2;
            if constant_of(middle) < constant {
                from = middle + 1;
            } else {
                to = middle;
            }
        }
        let count = (from..kin.stems.end).take_while(|&stem| constant_of(stem) == constant).count();
        from..from + count as u32
    }

    /// A branch and those beside it that need no more than is there.
    #[inline]
    pub fn branches(&self, first: u32, there: Marks) -> impl Iterator<Item = Branch> + '_ {
        let packed = self.words[self.word(3) as usize..].as_chunks::<BRANCH>().0;
        let mut is_over = first == NO_BRANCH;
        let mut rest = packed.iter().skip(if is_over { packed.len() } else { first as usize });
        std::iter::from_fn(move || {
            while !is_over {
                let &[a, b, c, d, first_step, steps, takers, next] = rest.next()?;
                is_over = steps & IS_LAST != 0;
                let needs = whole([a, b, c, d]);
                if needs & !there == 0 {
                    let (steps, takers) = (steps & !IS_LAST, Takers::from_word(takers));
                    return Some(Branch { needs, first_step, steps, is_last: is_over, takers, next });
                }
            }
            None
        })
    }

    #[inline]
    pub fn step(&self, number: u32) -> Step {
        let [test, condition, path] = self.read(self.word(4) as usize + STEP * number as usize);
        let axis = match test >> AXIS_SHIFT {
            0 => Axis::Child,
            1 => Axis::Descendant,
            2 => Axis::DescendantOrSelf,
            _ => Axis::Attribute,
        };
        Step { axis, test: test & ((1 << AXIS_SHIFT) - 1), condition, path }
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
