//! What is found in a document: the nodes that triggered, and at last who gets which node.

use std::sync::Arc;

use rustc_hash::FxHashMap;

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
    /// For putting them in order.
    sorted: Vec<Held>,
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

    pub fn results(&mut self) -> &mut Vec<(Node, Slots)> {
        &mut self.results
    }

    /// The first of those that triggered the same groups as each, which stands for it.
    pub fn first_alike(&self) -> Vec<u32> {
        let mut known: FxHashMap<*const Groups, u32> = FxHashMap::default();
        let places = (0..).zip(&self.triggered);
        places.map(|(place, one)| *known.entry(Arc::as_ptr(&one.groups)).or_insert(place)).collect()
    }

    /// All checks are done: sorts out who gets what in a document of so many nodes.
    pub fn conclude(&mut self, nodes: usize) {
        let Found { accepted, triggered, held, results, .. } = self;
        by_node(held, &mut self.sorted, nodes);
        let mut accepted = accepted.drain(..).map(|(node, slots)| (node, Slots::Many(slots))).peekable();
        for same_node in held.chunk_by_mut(|left, right| left.node == right.node) {
            let node = same_node[0].node;
            while let Some(earlier) = accepted.next_if(|(other, _)| *other <= node) {
                results.push(earlier);
            }
            if same_node.windows(2).any(|pair| pair[0] > pair[1]) {
                same_node.sort_unstable();
            }
            takers(node, same_node, triggered, results);
        }
        results.extend(accepted);
    }
}

/// Orders what holds by node, leaving it in order otherwise.
fn by_node(held: &mut Vec<Held>, sorted: &mut Vec<Held>, nodes: usize) {
    if held.len() * 4 < nodes {
        held.sort_by_key(|one| one.node);
        return;
    }
    let mut places = vec![0_usize; nodes + 1];
    held.iter().for_each(|one| places[one.node as usize + 1] += 1);
    (1..places.len()).for_each(|node| places[node] += places[node - 1]);
    sorted.clear();
    sorted.resize(held.len(), Held { node: 0, triggered: 0, group: 0 });
    for one in held.iter() {
        sorted[places[one.node as usize]] = *one;
        places[one.node as usize] += 1;
    }
    std::mem::swap(held, sorted);
}

/// Who gets a node, each once. Groups of triggers with different constants have no one in common, unless they say so.
fn takers(node: Node, same_node: &[Held], triggered: &[Triggered], results: &mut Vec<(Node, Slots)>) {
    let trigger = |one: &Held| &triggered[one.triggered as usize];
    let group = |one: &Held| &trigger(one).groups.all[one.group as usize];
    let merged =
        |all: &[&[Held]]| (node, Slots::merged(all.iter().flat_map(|some| *some).map(|one| &group(one).slots)));
    if same_node.len() > 1 && same_node.iter().any(|one| group(one).may_repeat) {
        results.push(merged(&[same_node]));
        return;
    }
    let mut by_trigger: Vec<&[Held]> = same_node.chunk_by(|left, right| left.triggered == right.triggered).collect();
    by_trigger.sort_by_key(|same| trigger(&same[0]).key);
    for same_key in by_trigger.chunk_by(|left, right| trigger(&left[0]).key == trigger(&right[0]).key) {
        match same_key {
            [only] => {
                let each_once = only.chunk_by(|left, right| left == right);
                results.extend(each_once.map(|same| (node, group(&same[0]).slots.clone())));
            }
            several => results.push(merged(several)),
        }
    }
}
