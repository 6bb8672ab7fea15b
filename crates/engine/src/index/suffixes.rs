//! The ways down from an anchor that are asked for together: a tree in which ways that begin alike are one.

use super::pattern::Axis;
use super::shapes::{ConditionId, PathId, Shapes, END};
use super::takers::{Takers, NO_ONE};
use super::tests::{Marks, TestId};

/// Steps that follow one another without a fork. Branches that begin at the same fork lie side by side.
pub struct Branch {
    /// What all who follow the branch need below where it begins.
    pub needs: Marks,
    pub steps: Vec<Step>,
    /// No more branches begin at the same fork.
    pub is_last: bool,
    /// Who gets what the branch leads to.
    pub takers: Takers,
    /// The first branch that goes on from this one; `NO_BRANCH` if none does.
    pub next: u32,
}

pub const NO_BRANCH: u32 = u32::MAX;

#[derive(Clone, Copy)]
pub struct Step {
    pub axis: Axis,
    pub test: TestId,
    pub condition: ConditionId,
    /// The way from the anchor to here: by that its results are known again.
    pub path: PathId,
}

#[derive(Default)]
pub struct Suffixes {
    pub branches: Vec<Branch>,
}

/// A way down, as the paths to its first step, its second and so on; and who gets what it leads to.
pub type Way = (Vec<PathId>, Takers);

/// A path as the paths that lead to each of its steps, the shortest first.
pub fn way(shapes: &Shapes, path: PathId) -> Vec<PathId> {
    let some = |path: PathId| Some(path).filter(|&path| path != END);
    let next = |&path: &PathId| some(shapes.link(path)?.rest);
    let mut paths: Vec<PathId> = std::iter::successors(some(path), next).collect();
    paths.reverse();
    paths
}

impl Suffixes {
    /// Adds the branches of ways that are in order and alike in their first `depth` steps; the first of them and what all
    /// need.
    pub fn add(&mut self, shapes: &Shapes, ways: &[Way], depth: usize) -> (u32, Marks) {
        let beginnings: Vec<&[Way]> = ways.chunk_by(|left, right| left.0[depth] == right.0[depth]).collect();
        if beginnings.is_empty() {
            return (NO_BRANCH, 0);
        }
        let first = self.branches.len();
        let empty = || Branch { needs: 0, steps: Vec::new(), is_last: false, takers: NO_ONE, next: NO_BRANCH };
        self.branches.resize_with(first + beginnings.len(), empty);
        let mut common = Marks::MAX;
        for (place, ways) in beginnings.iter().enumerate() {
            let branch = self.branch(shapes, ways, depth);
            common &= branch.needs;
            self.branches[first + place] = Branch { is_last: place + 1 == beginnings.len(), ..branch };
        }
        (first as u32, common)
    }

    /// Where each branch begins if they lie one after the other and this is what they take.
    pub fn places(&self, size: impl Fn(&Branch) -> usize) -> Vec<u32> {
        let next = |place: &mut usize, branch| Some(std::mem::replace(place, *place + size(branch)) as u32);
        self.branches.iter().scan(0, next).collect()
    }

    /// The branch of ways that have the next step in common; adds those that go on from it.
    fn branch(&mut self, shapes: &Shapes, ways: &[Way], depth: usize) -> Branch {
        let (shortest, last) = (&ways[0].0, &ways[ways.len() - 1].0);
        // They are in order: what the outermost have in common, all have.
        let fork = shortest.iter().zip(last).take_while(|(left, right)| left == right).count();
        let (mut needs, mut steps) = (0, Vec::new());
        for &path in &shortest[depth..fork] {
            let Some(link) = shapes.link(path) else { continue };
            needs |= shapes.step_needs(link);
            steps.push(Step { axis: link.axis, test: link.test, condition: link.condition, path });
        }
        let (takers, rest) = if shortest.len() == fork { (ways[0].1, &ways[1..]) } else { (NO_ONE, ways) };
        let (next, further) = self.add(shapes, rest, fork);
        if takers == NO_ONE {
            needs |= further;
        }
        Branch { needs, steps, is_last: false, takers, next }
    }
}
