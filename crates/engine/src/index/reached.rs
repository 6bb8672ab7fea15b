//! Who gets the nodes at an anchor's spot and at those below it, by what is called for there: ways without conditions are walked
//! from spot to spot, as they would be in a document that has all of these spots.

use super::block::{Block, Stem, Steps};
use super::groups::Ways;
use super::pattern::Axis;
use super::relations::EVERYTHING;
use super::spots::{Label, SpotId};
use super::suffixes::Step;
use super::takers::{Takers, NO_ONE};

/// Of so many spots each is tried at each step.
const FEW: usize = 128;
/// To find what is below a spot takes as long as to try so many.
const FINDING: usize = 4;

/// Who gets the nodes at which of the `new` spots, which are all spots within an anchor's from some number on; one may occur
/// more than once.
pub fn takers(
    block: &Block,
    stem: &Stem<Steps<'_>>,
    anchor: SpotId,
    new: &[SpotId],
    ways: Ways<'_>,
) -> Vec<(SpotId, Takers)> {
    let few = (new.len() <= FEW).then(|| {
        let around = |&spot: &SpotId| ways.spots.above(spot).take_while(|&above| above > anchor);
        let mut few: Vec<SpotId> = new.iter().flat_map(around).chain(new.iter().copied()).collect();
        few.sort_unstable();
        few.dedup();
        few
    });
    let mut follower = Follower { block, anchor, ways, few, takers: Vec::new() };
    follower.add(&[anchor], stem.takers);
    follower.follow(stem.fork, &[anchor]);
    let first = new.first().copied().unwrap_or(SpotId::MAX);
    follower.takers.retain(|&(spot, _)| spot >= first);
    follower.takers
}

struct Follower<'a> {
    block: &'a Block,
    anchor: SpotId,
    ways: Ways<'a>,
    /// All that matters, if it is so little.
    few: Option<Vec<SpotId>>,
    takers: Vec<(SpotId, Takers)>,
}

impl Follower<'_> {
    fn add(&mut self, spots: &[SpotId], takers: Takers) {
        if takers != NO_ONE {
            self.takers.extend(spots.iter().map(|&spot| (spot, takers)));
        }
    }

    /// Follows the branches of a fork from spots.
    fn follow(&mut self, fork: u32, from: &[SpotId]) {
        let block = self.block;
        let there = from.iter().fold(0, |there, &spot| there | self.ways.spots.below(spot));
        for branch in block.branches(fork, there, &EVERYTHING) {
            let mut steps = branch.steps.iter();
            let first = steps.next().map_or_else(Vec::new, |step| self.take(step, from));
            let reached =
                steps.fold(first, |spots, step| if spots.is_empty() { spots } else { self.take(step, &spots) });
            self.add(&reached, branch.takers);
            if !reached.is_empty() {
                self.follow(branch.next, &reached);
            }
        }
    }

    /// Where a step leads to from spots in order: in order, and each once.
    fn take(&self, step: Step, from: &[SpotId]) -> Vec<SpotId> {
        let Ways { spots, symbols } = self.ways;
        let (is_deep, is_attribute) = (step.axis == Axis::Descendant, step.axis == Axis::Attribute);
        let (few, of_test) = (self.few.as_deref(), symbols.of_test(step.test));
        let passes = |spot: &SpotId| match *of_test {
            [symbol] => spots.label(*spot) == Label { symbol, is_attribute },
            _ => spots.label(*spot).passes(symbols, step.test, is_attribute),
        };
        let is_led_to = |spot: &SpotId| {
            let mut above = spots.above(*spot).take(if is_deep { usize::MAX } else { 1 });
            above.any(|above| from.binary_search(&above).is_ok())
        };
        let among = |all: &[SpotId]| all.iter().copied().filter(passes).filter(is_led_to).collect();
        let mut reached: Vec<SpotId> = match (few, of_test) {
            (_, &[symbol]) if !is_deep && few.is_none_or(|few| from.len() * FINDING <= few.len()) => {
                from.iter().filter_map(|&spot| spots.find(spot, Label { symbol, is_attribute })).collect()
            }
            (_, &[symbol]) if is_deep && few.is_none_or(|few| spots.of_symbol(symbol).len() <= few.len()) => {
                return among(spots.of_symbol(symbol));
            }
            (Some(few), _) => return among(few),
            (None, _) if is_deep => match spots.within(self.anchor, self.anchor) {
                [anchor, below @ ..] if from.first() == Some(anchor) => {
                    return below.iter().copied().filter(passes).collect();
                }
                // Not what is below each: they may be within each other.
                within => return among(within),
            },
            (None, _) => from.iter().flat_map(|&spot| spots.children(spot)).copied().filter(passes).collect(),
        };
        reached.sort_unstable();
        reached.dedup();
        reached
    }
}
