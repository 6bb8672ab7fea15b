//! The ways down from an anchor to results.

use super::answers;
use super::block::{Branch, Stem, Steps};
use super::check::Checker;
use super::climbing::few_on;
use super::found::Held;
use super::groups::Groups;
use super::pattern::Axis;
use super::suffixes::{Step, NO_FORK};
use super::takers::{Takers, NO_ONE};
use crate::error::Stop;
use crate::lists::Lists;
use crate::tape::Node;

/// From so many nodes on a step is remembered: to find that again takes less than to take it again.
const MANY: u32 = 8;
/// The same for nodes below an anchor, if all of them are asked.
const LARGE: u32 = 64;

/// Spots are asked, rather than ways walked, if there are at most so many nodes for each branch.
const NODES_FOR_A_BRANCH: u32 = 16;

/// Where to walk, and where what is found is told.
pub struct Walk<'a> {
    pub groups: &'a Groups,
    pub anchor: Node,
    /// What triggered.
    pub triggered: u32,
    pub all: &'a mut Vec<Held>,
    pub lists: &'a mut Lists,
}

impl Walk<'_> {
    /// Nodes are for some.
    pub fn add(&mut self, nodes: &[Node], takers: Takers) {
        if takers != NO_ONE && !nodes.is_empty() {
            let (triggered, takers) = (self.triggered, takers.adopted(&[], || self.groups.lists(), self.lists));
            self.all.extend(nodes.iter().map(|&node| Held { node, triggered, takers }));
        }
    }
}

impl Checker<'_> {
    /// Whether to ask spots is less work than to walk.
    #[inline]
    pub fn is_told(&self, stem: &Stem<Steps<'_>>, anchor: Node) -> bool {
        let nodes = self.nodes.end(anchor) - anchor;
        stem.told_branches.is_some_and(|branches| nodes <= NODES_FOR_A_BRANCH * branches)
    }

    /// Walks all ways of a stem that holds at an anchor.
    pub fn walk_stem(&mut self, stem: &Stem<Steps<'_>>, walk: &mut Walk<'_>) -> Result<(), Stop> {
        walk.add(&[walk.anchor], stem.takers);
        if stem.fork != NO_FORK {
            let start = self.answers.nodes.len();
            self.answers.nodes.push(walk.anchor);
            self.walk(stem.fork, (start as u32, start as u32 + 1), walk)?;
            self.forget_nodes(start);
        }
        Ok(())
    }

    /// Follows the branches of a fork from nodes: a range of `Answers::nodes`, in order and each once.
    fn walk(&mut self, fork: u32, from: answers::Range, walk: &mut Walk<'_>) -> Result<(), Stop> {
        let nodes = &self.answers.nodes[from.0 as usize..from.1 as usize];
        let below = nodes.iter().fold(0, |below, &node| below | self.nodes.below(node));
        let (groups, there) = (walk.groups, self.nodes.relations());
        for branch in groups.block.branches(fork, below, there) {
            self.follow_branch(branch, from, walk)?;
        }
        Ok(())
    }

    fn follow_branch(&mut self, branch: Branch<'_>, from: answers::Range, walk: &mut Walk<'_>) -> Result<(), Stop> {
        let start = self.answers.nodes.len();
        let (mut reached, mut next) = (from, 0);
        if self.answers.nodes[from.0 as usize..from.1 as usize] == [walk.anchor] {
            if let Some((step, nodes)) = few_on(self.nodes, branch.steps, walk.anchor) {
                (reached, next) = (self.led_to(branch.steps, step, nodes, walk.anchor)?, step + 1);
            }
        }
        for step in branch.steps.iter().skip(next) {
            if reached.0 == reached.1 {
                break;
            }
            reached = self.take(step, reached, walk.anchor)?;
        }
        walk.add(&self.answers.nodes[reached.0 as usize..reached.1 as usize], branch.takers);
        if reached.0 < reached.1 && branch.next != NO_FORK {
            self.walk(branch.next, reached, walk)?;
        }
        self.forget_nodes(start);
        Ok(())
    }

    fn forget_nodes(&mut self, start: usize) {
        self.answers.nodes.truncate(start.max(self.answers.kept));
    }

    /// Where a step leads to from nodes, which its path leads to from an anchor.
    fn take(&mut self, step: Step, from: answers::Range, anchor: Node) -> Result<answers::Range, Stop> {
        let is_much =
            from.1 - from.0 >= MANY || self.nodes.end(anchor) - anchor >= LARGE && self.nodes.asks_all(step.test);
        if is_much {
            if let Some(known) = self.answers.results.get((step.path, anchor)) {
                return Ok(known);
            }
        }
        let start = self.answers.nodes.len();
        if from.1 - from.0 == 1 || !self.take_together(step, from)? {
            for place in from.0..from.1 {
                let node = self.answers.nodes[place as usize];
                for one in self.nodes.along(step.axis, step.test, node) {
                    self.add_node(step, one)?;
                }
            }
        }
        let range = self.answers.in_order(start);
        if is_much {
            self.answers.results.add((step.path, anchor), range);
            self.answers.kept = self.answers.nodes.len();
        }
        Ok(range)
    }

    /// Takes a step from several nodes at once by asking those that pass its test, if they are few; else does nothing and
    /// says so.
    fn take_together(&mut self, step: Step, from: answers::Range) -> Result<bool, Stop> {
        let contexts = from.0 as usize..from.1 as usize;
        let nodes = self.nodes;
        let Some(candidates) = nodes.candidates(step.axis, step.test, &self.answers.nodes[contexts.clone()]) else {
            return Ok(false);
        };
        // The contexts before the candidate, and where the last of them ends.
        let (mut passed, mut end) = (contexts.start, 0);
        for &one in candidates.iter().filter(|&&one| !nodes.is_attribute(one)) {
            while passed < contexts.end && self.answers.nodes[passed] < one {
                end = end.max(nodes.end(self.answers.nodes[passed]));
                passed += 1;
            }
            let parent = nodes.parent(one);
            let is_led_to = match step.axis {
                Axis::Child => self.answers.nodes[contexts.start..passed].binary_search(&parent).is_ok(),
                _ => one < end,
            };
            if is_led_to {
                self.add_node(step, one)?;
            }
        }
        Ok(true)
    }

    /// Adds a node to `Answers::nodes` to which a step leads if its condition holds.
    #[inline]
    fn add_node(&mut self, step: Step, node: Node) -> Result<(), Stop> {
        self.spend()?;
        if self.holds(step.condition, node)? {
            self.answers.nodes.push(node);
        }
        Ok(())
    }
}
