//! What is found in a document: the nodes that triggered, and at last who gets which node.

use std::sync::Arc;

use super::groups::{Groups, Slots};
use super::plans::Slot;
use super::triggers::Kind;
use super::values::ConstantId;
use crate::tape::Node;

/// A node that calls for checks.
pub struct Triggered {
    pub node: Node,
    pub groups: Arc<Groups>,
    /// Groups of different kinds or constants have no subscription in common, unless one is a union.
    pub key: (Kind, ConstantId),
}

/// A check that gave a node.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Held {
    pub node: Node,
    /// Which of those that triggered, and which of its groups.
    pub triggered: u32,
    pub group: u32,
}

#[derive(Default)]
pub struct Found {
    /// Nodes that some get for their paths alone, in document order.
    accepted: Vec<(Node, Arc<[Slot]>)>,
    pub triggered: Vec<Triggered>,
    pub held: Vec<Held>,
    /// Nodes and who gets them, in document order; no one gets a node twice.
    results: Vec<(Node, Slots)>,
}

impl Found {
    pub fn begin(&mut self) {
        self.accepted.clear();
        self.triggered.clear();
        self.held.clear();
        self.results.clear();
    }

    pub fn accept(&mut self, node: Node, slots: &Arc<[Slot]>) {
        if !slots.is_empty() {
            self.accepted.push((node, Arc::clone(slots)));
        }
    }

    pub fn trigger(&mut self, node: Node, groups: &Arc<Groups>, key: (Kind, ConstantId)) {
        self.triggered.push(Triggered { node, groups: Arc::clone(groups), key });
    }

    /// Grows with everything that is found.
    pub fn size(&self) -> usize {
        self.accepted.len() + self.triggered.len()
    }

    pub fn results(&self) -> &[(Node, Slots)] {
        &self.results
    }

    /// All checks are done: sorts out who gets what.
    pub fn conclude(&mut self) {
        let Found { accepted, triggered, held, results } = self;
        held.sort_unstable();
        held.dedup();
        let slots_of = |one: &Held| &triggered[one.triggered as usize].groups.all[one.group as usize].slots;
        let mut accepted = accepted.drain(..).map(|(node, slots)| (node, Slots::Many(slots))).peekable();
        for same_node in held.chunk_by(|left, right| left.node == right.node) {
            let node = same_node[0].node;
            while let Some(earlier) = accepted.next_if(|(other, _)| *other <= node) {
                results.push(earlier);
            }
            if may_repeat(same_node, triggered) {
                results.push((node, Slots::merged(same_node.iter().map(slots_of))));
            } else {
                results.extend(same_node.iter().map(|one| (node, slots_of(one).clone())));
            }
        }
        results.extend(accepted);
    }
}

/// Whether someone may get the node for several reasons.
fn may_repeat(same_node: &[Held], triggered: &[Triggered]) -> bool {
    let (Some(first), Some(last)) = (same_node.first(), same_node.last()) else { return false };
    if same_node.len() == 1 {
        return false;
    }
    let of = |one: &Held| &triggered[one.triggered as usize];
    if same_node.iter().any(|one| of(one).groups.all[one.group as usize].may_repeat) {
        return true;
    }
    if first.triggered == last.triggered {
        return false;
    }
    let by_trigger = same_node.chunk_by(|left, right| left.triggered == right.triggered);
    let mut keys: Vec<(Kind, ConstantId)> = by_trigger.map(|same| of(&same[0]).key).collect();
    keys.sort_unstable();
    keys.windows(2).any(|pair| pair[0] == pair[1])
}
