//! Spots tell who gets what is below anchors.
//!
//! Who that is lies in memory far apart: so first all is found that there is to know, then it is asked for, and only then
//! looked at.

use super::check::Checker;
use super::found::{Held, Triggered};
use super::groups::Ways;
use super::spots::SpotId;
use super::told::{Entry, Key};
use super::trie::Side;
use crate::error::Stop;
use crate::lists::Lists;
use crate::tape::Node;

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
        let unknown = self.tell_known(&tellings, triggered, all, lists)?;
        if !unknown.is_empty() {
            self.complete(&unknown);
            self.tell_known(&unknown, triggered, all, lists)?;
        }
        tellings.clear();
        self.answers.tellings = tellings;
        Ok(())
    }

    /// The same as far as rows know all that they are asked about; those of which they do not are left.
    fn tell_known(
        &mut self,
        tellings: &[Telling],
        triggered: &[Triggered],
        all: &mut Vec<Held>,
        lists: &mut Lists,
    ) -> Result<Vec<Telling>, Stop> {
        let (mut hits, mut told) = (std::mem::take(&mut self.answers.hits), Vec::with_capacity(tellings.len()));
        let mut unknown = Vec::new();
        let rows = self.automata.map(|automaton| automaton.kept().rows().borrow());
        for &telling in tellings {
            let Telling { side, key, anchor, .. } = telling;
            self.located.find_places(self.spots, &(anchor..self.nodes.end(anchor)));
            let (of_row, before) = (self.spots.within(self.located.spot(anchor)), hits.len());
            let add = |place: usize, entry| hits.push(Hit { spot: of_row[place], entry });
            match rows[side as usize].get(key) {
                Some(row) if row.tell(self.located.places(anchor), add) => {
                    told.push((telling, row, before..hits.len()));
                }
                _ => {
                    hits.truncate(before);
                    unknown.push(telling);
                }
            }
        }
        self.answers.spend(hits.len() as u64)?;
        for (_, row, range) in &told {
            hits[range.clone()].iter().for_each(|hit| row.bring_list(hit.entry));
        }
        for (Telling { triggered: place, anchor, .. }, row, range) in told {
            let within = anchor..self.nodes.end(anchor);
            for Hit { spot, entry } in &hits[range] {
                let groups = || triggered[place as usize].groups(self.automata).lists();
                let takers = row.takers(*entry).adopted(row.lists(), groups, lists);
                let nodes = self.located.nodes(*spot, &within).iter();
                nodes.for_each(|&node| all.push(Held { node, triggered: place, takers }));
            }
        }
        hits.clear();
        self.answers.hits = hits;
        Ok(unknown)
    }

    /// Sees to it that rows know who gets the nodes at all spots that they will be asked about.
    fn complete(&mut self, tellings: &[Telling]) {
        for &Telling { side, key, anchor, .. } in tellings {
            let automaton = self.automata[side as usize];
            let (groups, spot, places) =
                (automaton.kept().get(key.groups()), self.located.spot(anchor), self.located.places(anchor));
            let ways = Ways { spots: self.spots, symbols: self.nodes.symbols };
            let mut rows = automaton.kept().rows().borrow_mut();
            self.answers.learned[side as usize] += groups.complete(&mut rows, (key, spot), places, ways);
        }
    }
}
