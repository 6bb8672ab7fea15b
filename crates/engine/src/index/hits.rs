//! Spots tell who gets what is below anchors.
//!
//! Who that is lies in memory far apart: so first all is found that there is to know, then it is asked for, and only then
//! looked at.

use super::check::Checker;
use super::found::{Held, Triggered};
use super::groups::Ways;
use super::spots::SpotId;
use super::takers::{Takers, NO_ONE};
use super::told::Key;
use super::trie::Side;
use super::walk::Walk;
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
    /// Where its row begins, if there is one.
    pub row: Option<u32>,
}

/// The nodes at a spot, if they are below the anchor, are for someone.
pub struct Hit {
    /// Which of the tellings it is of.
    telling: u32,
    spot: SpotId,
    /// Where among all rows it is known who they are for, and where their lists begin.
    place: u32,
    first_list: u32,
    /// Who that is, once it has been looked at.
    takers: Takers,
}

impl Checker<'_> {
    /// Gives what is at anchors and below them to those whom spots tell.
    pub fn tell(&mut self, triggered: &[Triggered], all: &mut Vec<Held>, lists: &mut Lists) -> Result<(), Stop> {
        let mut tellings = std::mem::take(&mut self.answers.tellings);
        let mut unknown = self.tell_known(&tellings, triggered, all, lists)?;
        if !unknown.is_empty() {
            let rare: Vec<Telling> = unknown.extract_if(.., |one| !self.is_worth_learning(one)).collect();
            for Telling { triggered: place, key, anchor, .. } in rare {
                let groups = triggered[place as usize].groups(self.automata);
                let walk = &mut Walk { groups, anchor, triggered: place, all, lists };
                self.walk_stem(&groups.block.stem(key.stem()), walk)?;
            }
            self.complete(&mut unknown);
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
        let mut hits = std::mem::take(&mut self.answers.hits);
        let mut unknown = Vec::new();
        let rows = self.automata.map(|automaton| automaton.kept().rows().borrow());
        let there = self.located.there();
        for (number, telling) in (0..).zip(tellings) {
            let rows = &rows[telling.side as usize];
            let row = telling.row.map(|start| (start, rows.row(start)));
            match row.filter(|(_, row)| row.known() > self.located.highest(telling.anchor)) {
                Some((start, row)) => row.tell(there, |spot, place| {
                    let (place, first_list) = (start + place, start + row.first_list());
                    rows.bring_takers(place);
                    hits.push(Hit { telling: number, spot, place, first_list, takers: NO_ONE });
                }),
                None => unknown.push(*telling),
            }
        }
        self.answers.spend(hits.len() as u64)?;
        for hit in &mut hits {
            let Telling { side, .. } = tellings[hit.telling as usize];
            hit.takers = rows[side as usize].takers(hit.place, hit.first_list);
        }
        for &Hit { telling, spot, first_list, takers, .. } in &hits {
            let Telling { triggered: place, side, anchor, .. } = tellings[telling as usize];
            let nodes = self.located.nodes(spot, &(anchor..self.nodes.end(anchor)));
            if !nodes.is_empty() {
                let near = rows[side as usize].lists(first_list);
                let groups = || triggered[place as usize].groups(self.automata).lists();
                let takers = takers.adopted(near, groups, lists);
                all.extend(nodes.iter().map(|&node| Held { node, triggered: place, takers }));
            }
        }
        hits.clear();
        self.answers.hits = hits;
        Ok(unknown)
    }

    /// Whether a row that is missing, or does not know all, is worth learning.
    fn is_worth_learning(&mut self, &Telling { side, key, anchor, .. }: &Telling) -> bool {
        let kept = self.automata[side as usize].kept();
        let spots = self.spots.within(self.located.spot(anchor), 0).len();
        let (is_worth_it, learned) = kept.get(key.groups()).is_worth_it(&mut kept.rows().borrow_mut(), key, spots);
        self.answers.learned[side as usize] += learned;
        is_worth_it
    }

    /// Sees to it that rows know who gets the nodes at all spots that they will be asked about.
    fn complete(&mut self, tellings: &mut [Telling]) {
        let ways = Ways { spots: self.spots, symbols: self.nodes.symbols };
        for &mut Telling { side, key, anchor, .. } in &mut *tellings {
            let kept = self.automata[side as usize].kept();
            let mut rows = kept.rows().borrow_mut();
            let learned = kept.get(key.groups()).complete(&mut rows, (key, self.located.spot(anchor)), ways);
            self.answers.learned[side as usize] += learned;
        }
        for telling in tellings {
            telling.row = self.automata[telling.side as usize].kept().rows().borrow().find(telling.key);
        }
    }
}
