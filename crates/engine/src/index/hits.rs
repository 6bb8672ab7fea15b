//! Spots tell who gets what is below anchors.
//!
//! Who that is lies in memory far apart: so first all is found that there is to know, then it is asked for, and only then
//! looked at.

use super::check::Checker;
use super::found::{Held, Triggered};
use super::groups::Ways;
use super::spots::SpotId;
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
}

/// The nodes at a spot, if they are below the anchor, are for someone.
pub struct Hit {
    /// Which of the tellings it is of.
    telling: u32,
    spot: SpotId,
    /// Where the row begins, and where in it it is known who they are for.
    row: u32,
    takers: u32,
}

impl Checker<'_> {
    /// Gives what is at anchors and below them to those whom spots tell.
    pub fn tell(&mut self, triggered: &[Triggered], all: &mut Vec<Held>, lists: &mut Lists) -> Result<(), Stop> {
        let mut tellings = std::mem::take(&mut self.answers.tellings);
        let mut unknown = self.tell_known(&tellings, triggered, all, lists)?;
        if !unknown.is_empty() {
            let new = unknown.extract_if(.., |one| !self.is_worth_learning(one)).collect::<Vec<_>>();
            for Telling { triggered: place, key, anchor, .. } in new {
                let groups = triggered[place as usize].groups(self.automata);
                let walk = &mut Walk { groups, anchor, triggered: place, all, lists };
                self.walk_stem(&groups.block.stem(key.stem()), walk)?;
            }
            self.complete(&unknown);
            self.tell_known(&unknown, triggered, all, lists)?;
        }
        tellings.clear();
        self.answers.tellings = tellings;
        Ok(())
    }

    fn is_worth_learning(&self, Telling { side, key, anchor, .. }: &Telling) -> bool {
        let spots = self.spots.within(self.located.spot(*anchor), 0).len();
        self.automata[*side as usize].kept().rows().borrow_mut().is_worth_it(key.groups(), spots)
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
            let known = rows.find(telling.key).map(|start| (start, rows.row(start)));
            match known.filter(|(_, row)| row.known() > self.located.highest(telling.anchor)) {
                Some((row, known)) => known.tell(there, |spot, takers| {
                    hits.push(Hit { telling: number, spot, row, takers });
                }),
                None => unknown.push(*telling),
            }
        }
        self.answers.spend(hits.len() as u64)?;
        for Hit { telling, row, takers, .. } in &hits {
            let Telling { side, .. } = tellings[*telling as usize];
            rows[side as usize].row(*row).bring_list(*takers);
        }
        for &Hit { telling, spot, row, takers } in &hits {
            let Telling { triggered: place, side, anchor, .. } = tellings[telling as usize];
            let nodes = self.located.nodes(spot, &(anchor..self.nodes.end(anchor)));
            if !nodes.is_empty() {
                let (row, groups) =
                    (rows[side as usize].row(row), || triggered[place as usize].groups(self.automata).lists());
                let takers = row.takers(takers).adopted(row.lists(), groups, lists);
                all.extend(nodes.iter().map(|&node| Held { node, triggered: place, takers }));
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
            let (groups, spot) = (automaton.kept().get(key.groups()), self.located.spot(anchor));
            let (mut rows, ways) =
                (automaton.kept().rows().borrow_mut(), Ways { spots: self.spots, symbols: self.nodes.symbols });
            self.answers.learned[side as usize] += groups.complete(&mut rows, (key, spot), ways);
        }
    }
}
