//! Who gets the nodes at a spot below an anchor, by what is called for there.

use super::block::Block;
use super::pattern::Axis;
use super::spots::Label;
use super::suffixes::Step;
use super::takers::{Takers, NO_ONE};
use super::tests::{Marks, Symbols, TestId};

/// A set of places on a way is one number, in which the first place is for the node that it starts from.
pub const LONGEST: usize = 63;

/// Who gets the node at the end of a way, which has these labels, by following a branch and those beside it.
pub fn takers(block: &Block, first_branch: u32, labels: &[Label], symbols: &Symbols) -> Vec<Takers> {
    let marks = labels.iter().fold(0, |marks, label| marks | label.marks(symbols));
    let mut follower = Follower { block, labels, symbols, marks, takers: Vec::new() };
    follower.follow(first_branch, 1);
    follower.takers
}

struct Follower<'a> {
    block: &'a Block,
    labels: &'a [Label],
    symbols: &'a Symbols,
    marks: Marks,
    takers: Vec<Takers>,
}

/// A set of places on a way: the first is its start, then come its labels.
type Places = u64;

impl Follower<'_> {
    fn follow(&mut self, first: u32, from: Places) {
        let block = self.block;
        for branch in block.branches(first, self.marks) {
            let steps = branch.first_step..branch.first_step + branch.steps;
            let reached = steps.fold(from, |places, step| self.take(block.step(step), places));
            if reached >> self.labels.len() & 1 != 0 && branch.takers != NO_ONE {
                self.takers.push(branch.takers);
            }
            if reached != 0 {
                self.follow(branch.next, reached);
            }
        }
    }

    /// Where a step leads to.
    fn take(&self, step: Step, from: Places) -> Places {
        let led_to = match step.axis {
            Axis::Child | Axis::Attribute => from << 1,
            _ if from == 0 => 0,
            _ => Places::MAX.checked_shl(from.trailing_zeros() + 1).unwrap_or(0),
        };
        if led_to == 0 {
            return 0;
        }
        led_to & self.passing(step.test, step.axis == Axis::Attribute)
    }

    fn passing(&self, test: TestId, is_attribute: bool) -> Places {
        let passes = |label: &Label| Places::from(label.passes(self.symbols, test, is_attribute));
        self.labels.iter().rev().fold(0, |places, label| places << 1 | passes(label)) << 1
    }
}
