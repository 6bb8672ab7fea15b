//! Who of those that were triggered is worth a closer look, and who holds.
//!
//! First all are found that names do not rule out, then each is looked at. What the second part needs of each has then
//! been asked for in the first: it comes from memory for many at once.

use std::ops::Range;

use super::block::{Kin, Up};
use super::check::Checker;
use super::found::{Held, Triggered};
use super::groups::Groups;
use super::hits::Telling;
use super::shapes::TRUE;
use super::walk::Walk;
use crate::error::Stop;
use crate::lists::Lists;
use crate::near;
use crate::tape::Node;

/// So many are looked at together.
const BATCH: usize = 4096;

/// So many stems are looked at before the place of their constants: most are dismissed by names.
const FEW_STEMS: usize = 4;

/// The groups of so many are brought near before they are looked at.
const AHEAD: usize = 12;

/// A stem that may hold at an anchor.
#[derive(Clone, Copy)]
pub struct Candidate {
    /// What triggered: the first of those that triggered the same groups.
    triggered: u32,
    stem: u32,
    anchor: Node,
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
    /// Brings near what is looked at first of all that was triggered.
    pub fn bring(&mut self, triggered: &[Triggered]) {
        let told = triggered.iter().filter(|one| one.is_told()).count();
        let are_located = self.located.find(self.spots, self.nodes, told);
        let rows = self.automata.map(|automaton| automaton.kept().rows().borrow());
        for one in triggered {
            match one.told_anchor(self.tape).filter(|_| are_located) {
                Some(anchor) => {
                    let key = one.key(0, self.located.spot(anchor));
                    key.into_iter().for_each(|key| rows[one.side as usize].bring_start(key));
                }
                None => near::bring(one.groups(self.automata)),
            }
        }
    }

    /// Checks all that was triggered, which is in order. What comes of it is added to `all`, with lists among `lists`.
    pub fn check(&mut self, triggered: &[Triggered], all: &mut Vec<Held>, lists: &mut Lists) -> Result<(), Stop> {
        let (automata, are_located) = (self.automata, self.located.are_found());
        let is_gathered = |one: &&Triggered| !are_located || !one.is_told();
        let mut soon = triggered.iter().filter(is_gathered);
        let mut bring_next = || soon.next().into_iter().for_each(|one| one.groups(automata).block.bring());
        (0..AHEAD).for_each(|_| bring_next());
        let mut first = 0;
        for alike in triggered.chunk_by(|left, right| left.is_alike(right)) {
            for one in alike {
                let cause = Cause { one, first, has_others: alike.len() > 1 };
                match one.told_anchor(self.tape).filter(|_| are_located) {
                    Some(anchor) => self.gather_told(anchor, cause)?,
                    None => {
                        bring_next();
                        self.gather(one.groups(self.automata), cause)?;
                    }
                }
            }
            if self.answers.candidates.len() + self.answers.tellings.len() > BATCH {
                self.check_candidates(triggered, all, lists)?;
            }
            first += alike.len() as u32;
        }
        self.check_candidates(triggered, all, lists)
    }

    #[inline]
    fn gather_told(&mut self, anchor: Node, cause: Cause<'_>) -> Result<(), Stop> {
        self.spend()?;
        if self.is_new(cause, 0, anchor) {
            self.is_to_tell(0, anchor, cause.first, cause.one);
        }
        Ok(())
    }

    /// Gathers the stems that may hold at the anchors of what triggered.
    fn gather(&mut self, groups: &Groups, cause: Cause<'_>) -> Result<(), Stop> {
        for (number, kin) in (0..).zip(groups.block.kin()) {
            let way = match kin.climb {
                Up::Way(way) => way,
                Up::Levels(levels) => {
                    let anchor = cause.one.up(levels, self.tape);
                    if self.is_new(cause, number, anchor) {
                        self.gather_kin(groups, &kin, anchor, cause)?;
                    }
                    continue;
                }
            };
            let mut anchors = std::mem::take(&mut self.answers.anchors);
            anchors.clear();
            let (steps, node) = cause.one.climb(way);
            self.climb(steps, node, &mut anchors)?;
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
        let key = (cause.first, kin, anchor);
        let is_new = !cause.has_others || self.answers.done.get(key).is_none();
        if is_new && cause.has_others {
            self.answers.done.add(key, ());
        }
        is_new
    }

    #[inline]
    fn gather_kin(&mut self, groups: &Groups, kin: &Kin<Up<'_>>, anchor: Node, cause: Cause<'_>) -> Result<(), Stop> {
        let Some(place) = kin.place else { return self.gather_stems(groups, kin.stems.clone(), anchor, cause) };
        if kin.stems.len() <= FEW_STEMS {
            let (below, there) = (self.nodes.below(anchor), self.nodes.relations());
            if groups.block.stems(kin.stems.clone(), below, there).next().is_none() {
                return Ok(());
            }
        }
        let (from, to) = self.constants_at(anchor, cause.one.side, place)?;
        for found in from..to {
            let constant = self.answers.found[found as usize];
            self.gather_stems(groups, groups.block.selected(kin, constant), anchor, cause)?;
        }
        Ok(())
    }

    #[inline]
    fn gather_stems(&mut self, groups: &Groups, stems: Range<u32>, anchor: Node, cause: Cause<'_>) -> Result<(), Stop> {
        self.answers.spend(stems.len() as u64)?;
        let (below, there) = (self.nodes.below(anchor), self.nodes.relations());
        for number in groups.block.stems(stems, below, there) {
            groups.block.bring_stem(number);
            let triggered = cause.first;
            self.answers.candidates.push(Candidate { triggered, stem: number, anchor });
        }
        Ok(())
    }

    /// Brings near what candidates lead to, one kind after the other: where the next is, the one before tells. For how many spots
    /// are surely to tell.
    fn bring_candidates(&self, triggered: &[Triggered]) -> usize {
        let shapes = &self.index.shapes;
        let block = |one: &Candidate| &triggered[one.triggered as usize].groups(self.automata).block;
        let mut told = 0;
        for one in &self.answers.candidates {
            let stem = block(one).stem(one.stem);
            shapes.bring(stem.condition);
            block(one).bring_ways(&stem);
            told += usize::from(stem.condition == TRUE && self.is_told(&stem, one.anchor));
        }
        for one in &self.answers.candidates {
            shapes.bring_parts(block(one).stem(one.stem).condition);
        }
        told
    }

    /// Checks what is around the anchors of the candidates, takes what is below.
    fn check_candidates(
        &mut self,
        triggered: &[Triggered],
        all: &mut Vec<Held>,
        lists: &mut Lists,
    ) -> Result<(), Stop> {
        let told = self.bring_candidates(triggered);
        let are_located = self.located.find(self.spots, self.nodes, told);
        let mut candidates = std::mem::take(&mut self.answers.candidates);
        for Candidate { triggered: place, stem: number, anchor } in candidates.drain(..) {
            let cause = &triggered[place as usize];
            let groups = cause.groups(self.automata);
            let stem = groups.block.stem(number);
            if !self.is_led_up(stem.above, anchor)? || !self.holds(stem.condition, anchor)? {
                continue;
            }
            if are_located && self.is_told(&stem, anchor) && self.is_to_tell(number, anchor, place, cause) {
                continue;
            }
            self.walk_stem(&stem, &mut Walk { groups, anchor, triggered: place, all, lists })?;
        }
        self.answers.candidates = candidates;
        self.tell(triggered, all, lists)
    }

    /// Leaves it to spots to tell whom a stem is for that holds at an anchor; whether that is possible.
    #[inline]
    fn is_to_tell(&mut self, stem: u32, anchor: Node, triggered: u32, cause: &Triggered) -> bool {
        let Some(key) = cause.key(stem, self.located.spot(anchor)) else { return false };
        let rows = self.automata[cause.side as usize].kept().rows().borrow();
        let row = rows.find(key);
        row.into_iter().for_each(|row| rows.bring(row));
        self.answers.tellings.push(Telling { triggered, side: cause.side, key, anchor, row });
        true
    }
}
