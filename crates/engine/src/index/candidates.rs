//! Who of those that were triggered is worth a closer look, and who holds.
//!
//! First all are found that names do not rule out, then each is looked at. What the second part needs of each has then
//! been asked for in the first: it comes from memory for many at once.

use std::ops::Range;

use super::block::Kin;
use super::check::Checker;
use super::found::{Held, Triggered};
use super::groups::Groups;
use super::shapes::{END, TRUE};
use super::suffixes::NO_BRANCH;
use super::takers::NO_ONE;
use super::walk::Walk;
use crate::error::Stop;
use crate::tape::Node;

/// So many are looked at together.
const BATCH: usize = 4096;

const DOCUMENT: Node = 0;

/// A stem that may hold at an anchor.
#[derive(Clone, Copy)]
pub struct Candidate {
    /// What triggered: the first of those that triggered the same groups.
    triggered: u32,
    stem: u32,
    anchor: Node,
    /// Surely spots are to tell whom it is for.
    is_told: bool,
}

/// Something that triggered.
#[derive(Clone, Copy)]
struct Cause<'a> {
    one: &'a Triggered,
    /// The first of those that triggered the same groups.
    first: u32,
    /// There are others.
    has_others: bool,
}

impl Checker<'_> {
    /// Checks all that was triggered, which is in order. What comes of it is added to `all`.
    pub fn check(&mut self, triggered: &[Triggered], all: &mut Vec<Held>) -> Result<(), Stop> {
        let mut first = 0;
        for alike in triggered.chunk_by(|left, right| left.is_alike(right)) {
            for one in alike {
                let cause = Cause { one, first, has_others: alike.len() > 1 };
                self.gather(one.groups(self.automata), cause)?;
            }
            if self.answers.candidates.len() > BATCH {
                self.check_candidates(triggered, all)?;
            }
            first += alike.len() as u32;
        }
        self.check_candidates(triggered, all)
    }

    /// Gathers the stems that may hold at the anchors of what triggered.
    fn gather(&mut self, groups: &Groups, cause: Cause<'_>) -> Result<(), Stop> {
        for (number, kin) in (0..).zip(groups.block.kin()) {
            if let Some(levels) = kin.climb.as_levels() {
                let anchor = cause.one.up(levels, self.tape);
                if levels == 0 || self.is_new(cause, number, anchor) {
                    self.gather_kin(groups, &kin, anchor, cause)?;
                }
                continue;
            }
            let mut anchors = std::mem::take(&mut self.answers.anchors);
            anchors.clear();
            self.climb(kin.climb.as_path().unwrap_or(END), cause.one.node(), &mut anchors)?;
            anchors.sort_unstable();
            anchors.dedup();
            anchors.retain(|&anchor| self.is_new(cause, number, anchor));
            let gathered = anchors.iter().try_for_each(|&anchor| self.gather_kin(groups, &kin, anchor, cause));
            self.answers.anchors = anchors;
            gathered?;
        }
        Ok(())
    }

    /// Whether nothing else below an anchor has triggered the same.
    fn is_new(&mut self, cause: Cause<'_>, kin: u32, anchor: Node) -> bool {
        !cause.has_others || self.answers.done.insert((cause.first, kin, anchor), ()).is_none()
    }

    #[inline]
    fn gather_kin(&mut self, groups: &Groups, kin: &Kin, anchor: Node, cause: Cause<'_>) -> Result<(), Stop> {
        let Some(place) = kin.place else { return self.gather_stems(groups, kin.stems.clone(), anchor, cause) };
        let (from, to) = self.constants_at(anchor, cause.one.side, place)?;
        for found in from..to {
            let constant = self.answers.found[found as usize];
            self.gather_stems(groups, groups.block.selected(kin, constant), anchor, cause)?;
        }
        Ok(())
    }

    #[inline]
    fn gather_stems(&mut self, groups: &Groups, stems: Range<u32>, anchor: Node, cause: Cause<'_>) -> Result<(), Stop> {
        let (nodes, shapes) = (self.nodes, &self.index.shapes);
        for number in stems {
            self.spend()?;
            let (needs, anywhere) = groups.block.needs_of(number);
            if !nodes.may_have(anchor, needs) || !nodes.may_have(DOCUMENT, anywhere) {
                continue;
            }
            let stem = groups.block.stem(number);
            if shapes.condition(stem.condition).is_some() & shapes.link(stem.above).is_some() {
                let is_told = stem.condition == TRUE && !self.is_to_walk(&stem, anchor);
                if !is_told {
                    std::hint::black_box(groups.block.fetch_rest());
                }
                self.answers.told += usize::from(is_told);
                self.answers.candidates.push(Candidate { triggered: cause.first, stem: number, anchor, is_told });
            }
        }
        Ok(())
    }

    /// If spots are to tell whom many candidates are for, what they have told is brought near.
    fn ask_spots(&mut self, triggered: &[Triggered]) {
        let told = std::mem::take(&mut self.answers.told);
        if !self.spots.find(self.nodes, told) {
            return;
        }
        let told = self.answers.candidates.iter().filter(|candidate| candidate.is_told);
        let near = told.fold(0, |near, one| {
            let groups = triggered[one.triggered as usize].groups(self.automata);
            near | groups.fetch_told(one.stem, self.spots.of(one.anchor))
        });
        std::hint::black_box(near);
    }

    /// Checks what is around the anchors of the candidates, takes what is below.
    fn check_candidates(&mut self, triggered: &[Triggered], all: &mut Vec<Held>) -> Result<(), Stop> {
        self.ask_spots(triggered);
        let mut candidates = std::mem::take(&mut self.answers.candidates);
        for Candidate { triggered: place, stem, anchor, .. } in candidates.drain(..) {
            let (cause, number) = (&triggered[place as usize], stem);
            let groups = cause.groups(self.automata);
            let stem = groups.block.stem(number);
            if stem.above != END && !self.is_last(stem.above, anchor)? || !self.holds(stem.condition, anchor)? {
                continue;
            }
            if stem.takers != NO_ONE {
                all.push(Held { node: anchor, triggered: place, takers: stem.takers });
            }
            if stem.first_branch != NO_BRANCH {
                let walk = &mut Walk { groups, anchor, triggered: place, all };
                if !self.follow_spots(number, &stem, cause.side, walk)? {
                    self.walk_from_anchor(stem.first_branch, walk)?;
                }
            }
        }
        self.answers.candidates = candidates;
        Ok(())
    }
}
