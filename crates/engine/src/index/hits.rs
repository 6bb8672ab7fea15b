//! Spots tell who gets what is below anchors.
//!
//! Who that is lies in memory far apart: so first all is found that there is to know, then it is asked for, and only then
//! looked at.

use super::check::Checker;
use super::found::{Held, Triggered};
use super::groups::Ways;
use super::spots::SpotId;
use super::told::{all_places, Entry, Key, Row};
use super::trie::Side;
use crate::error::Stop;
use crate::lists::Lists;
use crate::tape::Node;

/// To look for so many nodes in a row takes as long as to look for the nodes of one of its spots.
const NODES_FOR_A_SPOT: usize = 4;

/// A stem that holds at an anchor; spots are to tell whom it is for.
#[derive(Clone, Copy)]
pub struct Telling {
    pub triggered: u32,
    pub side: Side,
    pub key: Key,
    pub anchor: Node,
}

/// The nodes at a spot below an anchor are for someone.
pub struct Hit {
    spot: SpotId,
    entry: Entry,
}

impl Checker<'_> {
    /// Gives what is at anchors and below them to those whom spots tell.
    pub fn tell(&mut self, triggered: &[Triggered], all: &mut Vec<Held>, lists: &mut Lists) -> Result<(), Stop> {
        let mut tellings = std::mem::take(&mut self.answers.tellings);
        self.complete(&tellings);
        let (mut hits, mut told) = (std::mem::take(&mut self.answers.hits), Vec::with_capacity(tellings.len()));
        let rows = self.automata.map(|automaton| automaton.kept().rows().borrow());
        for telling in tellings.drain(..) {
            let Some(row) = rows[telling.side as usize].get(telling.key) else { continue };
            let (of_row, before) = (self.spots.within(self.located.spot(telling.anchor)), hits.len());
            let add = |place: usize, entry| hits.push(Hit { spot: of_row[place], entry });
            if self.is_large(row, telling.anchor) {
                row.tell(all_places(of_row.len()), add);
            } else {
                row.tell(self.located.places(telling.anchor).iter().copied(), add);
            }
            told.push((telling, row, before..hits.len()));
        }
        self.answers.spend(hits.len() as u64)?;
        for (_, row, range) in &told {
            hits[range.clone()].iter().for_each(|hit| row.bring_list(hit.entry));
        }
        for (Telling { triggered: place, anchor, .. }, row, range) in told {
            let within = anchor..self.nodes.end(anchor);
            for Hit { spot, entry } in &hits[range] {
                let nodes = self.located.nodes(*spot, &within);
                if !nodes.is_empty() {
                    let groups = || triggered[place as usize].groups(self.automata).lists();
                    let takers = row.takers(*entry).adopted(row.lists(), groups, lists);
                    nodes.iter().for_each(|&node| all.push(Held { node, triggered: place, takers }));
                }
            }
        }
        hits.clear();
        (self.answers.tellings, self.answers.hits) = (tellings, hits);
        Ok(())
    }

    /// Sees to it that rows know who gets the nodes at all spots that they will be asked about.
    fn complete(&mut self, tellings: &[Telling]) {
        for (side, automaton) in self.automata.into_iter().enumerate() {
            let mut rows = automaton.kept().rows().borrow_mut();
            for &Telling { key, anchor, .. } in tellings.iter().filter(|telling| telling.side as usize == side) {
                let (spot, row) = (self.located.spot(anchor), rows.get(key));
                let every = all_places(self.spots.within(spot).len());
                let is_large = row.is_some_and(|row| self.is_large(row, anchor));
                if is_large && row.is_some_and(|row| row.knows(every.clone())) {
                    continue;
                }
                self.located.find_places(self.spots, &(anchor..self.nodes.end(anchor)));
                let some = self.located.places(anchor).iter().copied();
                if !is_large && row.is_some_and(|row| row.knows(some.clone())) {
                    continue;
                }
                let (groups, key) = (automaton.kept().get(key.groups()), (key, spot));
                let ways = Ways { spots: self.spots, symbols: self.nodes.symbols };
                self.answers.learned[side] += if is_large {
                    groups.complete(&mut rows, key, every, ways)
                } else {
                    groups.complete(&mut rows, key, some, ways)
                };
            }
        }
    }

    /// Whether there are too many nodes below an anchor to look for each in a row.
    #[inline]
    fn is_large(&self, row: &Row, anchor: Node) -> bool {
        (self.nodes.end(anchor) - anchor) as usize > NODES_FOR_A_SPOT * (1 + row.len())
    }
}
