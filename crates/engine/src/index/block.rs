//! What one trigger calls for, as one piece of memory.
//!
//! With many subscriptions there is far more of this than a processor keeps near. A document needs a little of much of
//! it: so each piece is small, lies in one place, and is read from its beginning on.

mod layout;

use std::ops::Range;

use super::pattern::unpacked;
use super::places::PlaceId;
use super::plans::Climb;
use super::relations::{Needed, Relations, EVERYTHING, NOTHING_NEEDED};
use super::shapes::ConditionId;
use super::suffixes::{Step, NO_FORK};
use super::takers::{Takers, NO_ONE};
use super::tests::{mark, Marks};
use super::values::ConstantId;
use crate::near::{bring_at, bring_lines};
use layout::{BRANCH, GATE, HEAD, IS_ONLY, IS_WAY, KIN, NOT_TOLD, NO_PLACE, STEM, STEP};

/// Groups with anchors in common. `C`: how the anchors are found from what triggers.
pub struct Kin<C> {
    pub climb: C,
    /// They need a constant besides the one that triggered: where it is looked for.
    pub place: Option<PlaceId>,
    /// Numbers of their stems, which are in order of that constant.
    pub stems: Range<u32>,
}

/// How anchors are found, as a block tells it.
pub enum Up<'a> {
    Levels(u32),
    Way(Steps<'a>),
}

/// Groups that ask the same of an anchor. `P`: the path that leads to it, from there up.
pub struct Stem<P> {
    pub above: P,
    pub condition: ConditionId,
    /// Who gets the anchor itself.
    pub takers: Takers,
    /// Where the ways to the others begin; `NO_FORK` if there are none.
    pub fork: u32,
    /// How many branches there are if where they lead to depends on nothing but names, which spots tell.
    pub told_branches: Option<u32>,
}

/// What must be found for there to be results.
#[derive(PartialEq, Eq)]
pub struct Gate {
    /// Below the anchor, or below where a branch begins.
    pub needs: Marks,
    /// In the document.
    pub relations: Needed,
}

impl Gate {
    /// Nothing must be found.
    pub const OPEN: Gate = Gate { needs: 0, relations: NOTHING_NEEDED };
}

/// Steps that follow one another without a fork.
#[derive(Clone, Copy)]
pub struct Branch<'a> {
    pub steps: Steps<'a>,
    /// Who gets what the branch leads to.
    pub takers: Takers,
    /// Where those begin that go on from this one; `NO_FORK` if none does.
    pub next: u32,
}

/// Steps as they lie in memory.
#[derive(Clone, Copy)]
pub struct Steps<'a>(&'a [[u32; STEP]]);

/// See [`layout`].
#[derive(Default)]
pub struct Block {
    words: Box<[u32]>,
}

/// Lines of memory that are brought near before gates are looked at, and before branches are followed.
const FIRST_LINES: usize = 8;
const FORK_LINES: usize = 2;

impl Block {
    /// Brings near what begins it.
    #[inline]
    pub fn bring(&self) {
        bring_lines(&self.words, 0, FIRST_LINES);
    }

    /// Brings a stem near.
    #[inline]
    pub fn bring_stem(&self, number: u32) {
        bring_at(&self.words, self.word(3) as usize + STEM * number as usize);
    }

    /// Brings near what a stem leads to.
    #[inline]
    pub fn bring_ways(&self, stem: &Stem<Steps<'_>>) {
        bring_at(stem.above.0, 0);
        if stem.fork != NO_FORK {
            bring_lines(&self.words, stem.fork as usize, FORK_LINES);
        }
    }

    #[inline]
    pub fn kin(&self) -> impl Iterator<Item = Kin<Up<'_>>> {
        (0..self.word(0)).map(|number| {
            let [climb, place, from, to] = self.read(HEAD + KIN * number as usize);
            let climb = match climb & IS_WAY {
                0 => Up::Levels(climb),
                _ => Up::Way(self.steps(climb & !IS_WAY)),
            };
            Kin { climb, place: Some(place).filter(|&place| place != NO_PLACE), stems: from..to }
        })
    }

    #[inline]
    pub fn stem(&self, number: u32) -> Stem<Steps<'_>> {
        let [above, condition, takers, fork, told_branches]: [u32; STEM] =
            self.read(self.word(3) as usize + STEM * number as usize);
        let told_branches = Some(told_branches).filter(|&branches| branches != NOT_TOLD);
        Stem { above: self.steps(above), condition, takers: Takers::from_word(takers), fork, told_branches }
    }

    /// Those of the stems that need no more than is below their anchor and in the document: of most no more is looked at.
    #[inline]
    pub fn stems<'a>(
        &'a self,
        stems: Range<u32>,
        below: Marks,
        there: &'a Relations,
    ) -> impl Iterator<Item = u32> + 'a {
        let gates = self.words[self.word(2) as usize..].as_chunks::<GATE>().0;
        let some = gates.get(stems.start as usize..stems.end as usize).unwrap_or(&[]);
        (stems.start..).zip(some).filter(move |(_, gate)| is_open(gate, below, there)).map(|(number, _)| number)
    }

    /// The stems of those kin that need a constant.
    pub fn selected(&self, kin: &Kin<Up<'_>>, constant: ConstantId) -> Range<u32> {
        let first = self.word(1);
        let places = (first + kin.stems.start) as usize..(first + kin.stems.end) as usize;
        let constants = self.words.get(places).unwrap_or(&[]);
        let from = constants.partition_point(|&other| other < constant);
        let count = constants[from..].iter().take_while(|&&other| other == constant).count();
        let from = kin.stems.start + from as u32;
        from..from + count as u32
    }

    /// The branches of a fork that need no more than is below where they begin and in the document.
    #[inline]
    pub fn branches<'a>(&'a self, fork: u32, below: Marks, there: &'a Relations) -> impl Iterator<Item = Branch<'a>> {
        let (count, behind) = self.counted(fork);
        let only = (count & IS_ONLY != 0).then(|| self.only_branch(count & !IS_ONLY, behind));
        let gates = behind.as_chunks::<BRANCH>().0;
        let gates = gates.get(..count as usize).unwrap_or(&[]).iter();
        let open = gates.filter(move |[gate @ .., _]| is_open(gate, below, there));
        only.into_iter().chain(open.map(|&[.., place]| self.branch(place)))
    }

    /// The last tests of the ways that begin at a fork: who passes none of them is led to by none.
    pub fn ends(&self, fork: u32) -> Marks {
        self.branches(fork, Marks::MAX, &EVERYTHING).fold(0, |ends, branch| {
            let is_end = branch.takers != NO_ONE;
            let last = branch.steps.iter().last().filter(|_| is_end).map_or(0, |step| mark(step.test));
            ends | last | self.ends(branch.next)
        })
    }

    /// The only branch of a fork, from its takers on.
    #[inline]
    fn only_branch<'a>(&self, steps: u32, words: &'a [u32]) -> Branch<'a> {
        let (&takers, behind) = words.split_first().unwrap_or((&NO_ONE.to_word(), &[]));
        Branch { steps: Steps::of(steps, behind), takers: Takers::from_word(takers), next: NO_FORK }
    }

    #[inline]
    fn branch(&self, place: u32) -> Branch<'_> {
        let [takers, next] = self.read(place as usize);
        Branch { steps: self.steps(place + 2), takers: Takers::from_word(takers), next }
    }

    #[inline]
    fn steps(&self, place: u32) -> Steps<'_> {
        let (count, behind) = self.counted(place);
        Steps::of(count, behind)
    }

    /// A number of things, and the words that these begin.
    #[inline]
    fn counted(&self, place: u32) -> (u32, &[u32]) {
        let from = self.words.get(place as usize..).unwrap_or(&[]);
        from.split_first().map_or((0, &[]), |(&count, behind)| (count, behind))
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
    fn of(count: u32, words: &'a [u32]) -> Steps<'a> {
        Steps(words.as_chunks().0.get(..count as usize).unwrap_or(&[]))
    }

    #[inline]
    pub fn is_empty(self) -> bool {
        self.0.is_empty()
    }

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

    /// The first of them, and the others.
    #[inline]
    pub fn split_first(self) -> Option<(Step, Steps<'a>)> {
        self.0.split_first().map(|(first, rest)| (step(first), Steps(rest)))
    }
}

#[inline]
fn step(&[test, condition, path]: &[u32; STEP]) -> Step {
    let (axis, test) = unpacked(test);
    Step { axis, test, condition, path }
}

/// Whether what a gate needs is there.
#[inline]
fn is_open(&[a, b, c, d, e, f, g, h]: &[u32; GATE], below: Marks, there: &Relations) -> bool {
    layout::marks([a, b, c, d]) & !below == 0 && there.have(&layout::relations([e, f, g, h]))
}
