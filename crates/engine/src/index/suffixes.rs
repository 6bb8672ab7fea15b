//! The ways down from an anchor that are asked for together: a tree in which ways that begin alike are one.

use super::block::Gate;
use super::pattern::Axis;
use super::relations::Several;
use super::shapes::{ConditionId, Link, PathId, Shapes};
use super::takers::{Takers, NO_ONE};
use super::tests::{Marks, TestId};

/// Steps that follow one another without a fork.
pub struct Branch {
    /// What all who follow the branch need.
    pub gate: Gate,
    pub steps: Vec<Step>,
    /// Who gets what the branch leads to.
    pub takers: Takers,
    /// The fork at its end; `NO_FORK` if none follows it further.
    pub next: u32,
}

pub const NO_FORK: u32 = u32::MAX;

#[derive(Clone, Copy)]
pub struct Step {
    pub axis: Axis,
    pub test: TestId,
    pub condition: ConditionId,
    /// The way to here: by that what was found out about it is known again.
    pub path: PathId,
}

impl Step {
    pub fn of(Link { axis, test, condition, .. }: Link, path: PathId) -> Step {
        Step { axis, test, condition, path }
    }
}

/// Branches that begin at the same place, and those that go on from them.
#[derive(Default)]
pub struct Suffixes {
    pub forks: Vec<Vec<Branch>>,
}

/// A way down.
pub struct Way<'a> {
    /// The paths to its first step, its second and so on.
    pub paths: &'a [PathId],
    /// Who gets what it leads to.
    pub takers: Takers,
    pub relations: Several,
}

impl Suffixes {
    /// Adds the branches of ways that are in order and alike in their first `depth` steps; their fork and what all need below it.
    pub fn add(&mut self, shapes: &Shapes, ways: &[Way<'_>], depth: usize) -> (u32, Marks) {
        if ways.is_empty() {
            return (NO_FORK, 0);
        }
        let fork = self.forks.len();
        self.forks.push(Vec::new());
        let beginnings = ways.chunk_by(|left, right| left.paths[depth] == right.paths[depth]);
        let branches: Vec<Branch> = beginnings.map(|ways| self.branch(shapes, ways, depth)).collect();
        let all_need = branches.iter().fold(Marks::MAX, |all_need, branch| all_need & branch.gate.needs);
        self.forks[fork] = branches;
        (fork as u32, all_need)
    }

    /// The branch of ways that have the next step in common; adds those that go on from it.
    fn branch(&mut self, shapes: &Shapes, ways: &[Way<'_>], depth: usize) -> Branch {
        let (shortest, last) = (ways[0].paths, ways[ways.len() - 1].paths);
        // They are in order: what the outermost have in common, all have.
        let fork = shortest.iter().zip(last).take_while(|(left, right)| left == right).count();
        let (mut needs, mut steps) = (0, Vec::new());
        for &path in &shortest[depth..fork] {
            let Some(link) = shapes.link(path) else { continue };
            needs |= shapes.step_needs(link);
            steps.push(Step::of(link, path));
        }
        let (takers, rest) = if shortest.len() == fork { (ways[0].takers, &ways[1..]) } else { (NO_ONE, ways) };
        let (next, further) = self.add(shapes, rest, fork);
        if takers == NO_ONE {
            needs |= further;
        }
        let relations = Several::common(ways.iter().map(|way| way.relations)).needed();
        Branch { gate: Gate { needs, relations }, steps, takers, next }
    }
}
