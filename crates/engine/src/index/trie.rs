//! The trigger paths of all subscriptions: a trie whose branches are shared.
//!
//! A new path would change what every state of the automaton means. So there are two automata: a large one over the
//! *settled* paths, and one over the few *recent* ones, which is made anew whenever a path is added.

use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;
use serde::{Deserialize, Serialize};
use std::hash::BuildHasher;

use super::hints::Hints;
use super::pattern::Axis;
use super::shapes::{Link, END, TRUE};
use super::tests::TestId;
use super::triggers::Kind;

pub type NodeId = u32;

const NONE: NodeId = NodeId::MAX;

/// Which automaton.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Side {
    Settled,
    Recent,
}

pub const SIDES: [Side; 2] = [Side::Settled, Side::Recent];

/// Flags of a node: it lies on a settled path, it lies on the path to a recent one, its own triggers are recent.
const SETTLED: u8 = 1;
const TOWARDS_RECENT: u8 = 2;
const RECENT: u8 = 4;

#[derive(Serialize, Deserialize)]
struct Node {
    parent: NodeId,
    test: TestId,
    axis: Axis,
    flags: u8,
    /// Which kinds of triggers hang here: see [`super::triggers::Kind`]. A kind stays when its last trigger goes.
    kinds: Kind,
    /// Hints of the constants they have. They stay, too.
    hints: Hints,
    first_child: NodeId,
    next_sibling: NodeId,
    /// Children and triggers.
    users: u32,
}

/// Roots are made by the caller; a path is found below one of them.
#[derive(Default, Serialize, Deserialize)]
pub struct Trie {
    nodes: Vec<Node>,
    #[serde(skip)]
    by_step: HashTable<NodeId>,
    free: Vec<NodeId>,
}

impl Trie {
    pub fn add_root(&mut self) -> NodeId {
        self.push(Node {
            parent: NONE,
            test: 0,
            axis: Axis::Child,
            flags: SETTLED,
            kinds: 0,
            hints: 0,
            first_child: NONE,
            next_sibling: NONE,
            users: 1,
        })
    }

    /// The node of a path, made if it is new.
    pub fn insert(&mut self, root: NodeId, path: &[(Axis, TestId)]) -> NodeId {
        path.iter().fold(root, |node, &(axis, test)| match self.child(node, axis, test) {
            Some(child) => child,
            None => self.add_child(node, axis, test),
        })
    }

    fn child(&self, parent: NodeId, axis: Axis, test: TestId) -> Option<NodeId> {
        let is_it = |&id: &NodeId| {
            let node = &self.nodes[id as usize];
            node.parent == parent && node.axis == axis && node.test == test
        };
        self.by_step.find(hash(parent, axis, test), is_it).copied()
    }

    fn add_child(&mut self, parent: NodeId, axis: Axis, test: TestId) -> NodeId {
        let next_sibling = self.nodes[parent as usize].first_child;
        let id = self.push(Node {
            parent,
            test,
            axis,
            flags: 0,
            kinds: 0,
            hints: 0,
            first_child: NONE,
            next_sibling,
            users: 0,
        });
        let above = &mut self.nodes[parent as usize];
        above.first_child = id;
        above.users += 1;
        let nodes = &self.nodes;
        let rehash = |&id: &NodeId| {
            let node = &nodes[id as usize];
            hash(node.parent, node.axis, node.test)
        };
        self.by_step.insert_unique(hash(parent, axis, test), id, rehash);
        id
    }

    fn push(&mut self, node: Node) -> NodeId {
        match self.free.pop() {
            Some(id) => {
                self.nodes[id as usize] = node;
                id
            }
            None => {
                self.nodes.push(node);
                self.nodes.len() as NodeId - 1
            }
        }
    }

    /// A trigger of this kind, for a constant with this hint, hangs on the node; whether `kinds` or `hints` of the node have
    /// changed.
    pub fn add_trigger(&mut self, node: NodeId, kind: Kind, hint: Hints) -> bool {
        let node = &mut self.nodes[node as usize];
        node.users += 1;
        let (kinds, hints) = (node.kinds | kind, node.hints | hint);
        let is_new = (kinds, hints) != (node.kinds, node.hints);
        (node.kinds, node.hints) = (kinds, hints);
        is_new
    }

    /// A trigger is gone; whether nothing is left here. The node stays until `prune`: automata know its number.
    pub fn remove_trigger(&mut self, node: NodeId) -> bool {
        let node = &mut self.nodes[node as usize];
        node.users -= 1;
        node.users == 0
    }

    /// Hints of the constants of the triggers, and perhaps of others.
    pub fn hints(&self, node: NodeId) -> Hints {
        self.nodes[node as usize].hints
    }

    pub fn kinds(&self, node: NodeId) -> Kind {
        self.nodes[node as usize].kinds
    }

    pub fn test(&self, node: NodeId) -> TestId {
        self.nodes[node as usize].test
    }

    /// The steps to a node, the last one first.
    pub fn way_up(&self, node: NodeId) -> impl Iterator<Item = Link> + '_ {
        let some = |id: NodeId| self.nodes.get(id as usize).filter(|node| node.parent != NONE);
        let nodes = std::iter::successors(some(node), move |node| some(node.parent));
        nodes.map(|node| Link { axis: node.axis, test: node.test, condition: TRUE, rest: END })
    }

    pub fn axis(&self, node: NodeId) -> Axis {
        self.nodes[node as usize].axis
    }

    pub fn children(&self, node: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        let next = |&id: &NodeId| Some(self.nodes[id as usize].next_sibling).filter(|&id| id != NONE);
        std::iter::successors(Some(self.nodes[node as usize].first_child).filter(|&id| id != NONE), next)
    }

    /// Whether an automaton follows paths through the node.
    pub fn is_on(&self, side: Side, node: NodeId) -> bool {
        let flag = if side == Side::Settled { SETTLED } else { TOWARDS_RECENT };
        self.nodes[node as usize].flags & flag != 0
    }

    /// Whether an automaton fires the node's triggers.
    pub fn fires(&self, side: Side, node: NodeId) -> bool {
        let node = &self.nodes[node as usize];
        node.kinds != 0 && (node.flags & RECENT != 0) == (side == Side::Recent)
    }

    /// The node's triggers are recent.
    pub fn mark_recent(&mut self, node: NodeId) {
        self.nodes[node as usize].flags |= RECENT;
        self.mark_path(node, |flags| flags | TOWARDS_RECENT);
    }

    /// They no longer are.
    pub fn settle(&mut self, node: NodeId) {
        self.mark_path(node, |flags| (flags | SETTLED) & !(RECENT | TOWARDS_RECENT));
    }

    fn mark_path(&mut self, mut node: NodeId, mark: impl Fn(u8) -> u8) {
        while node != NONE {
            let entry = &mut self.nodes[node as usize];
            entry.flags = mark(entry.flags);
            node = entry.parent;
        }
    }

    /// Gives up all below a node that leads to no trigger.
    pub fn prune(&mut self, node: NodeId) {
        let children: Vec<NodeId> = self.children(node).collect();
        self.nodes[node as usize].first_child = NONE;
        for child in children {
            self.prune(child);
            if self.nodes[child as usize].users > 0 {
                self.nodes[child as usize].next_sibling = self.nodes[node as usize].first_child;
                self.nodes[node as usize].first_child = child;
                continue;
            }
            let Node { axis, test, .. } = self.nodes[child as usize];
            if let Ok(entry) = self.by_step.find_entry(hash(node, axis, test), |&id| id == child) {
                entry.remove();
            }
            self.nodes[node as usize].users -= 1;
            self.free.push(child);
        }
    }

    /// Makes the table anew, which is not stored.
    pub fn restore(&mut self) {
        let nodes = &self.nodes;
        let hash = |&id: &NodeId| {
            let node = &nodes[id as usize];
            hash(node.parent, node.axis, node.test)
        };
        let mut is_free = vec![false; nodes.len()];
        self.free.iter().for_each(|&id| is_free[id as usize] = true);
        self.by_step = HashTable::with_capacity(nodes.len());
        for id in (0..nodes.len() as NodeId).filter(|&id| !is_free[id as usize]) {
            if nodes[id as usize].parent != NONE {
                self.by_step.insert_unique(hash(&id), id, hash);
            }
        }
    }

    pub fn len(&self) -> usize {
        self.by_step.len()
    }

    pub fn bytes(&self) -> usize {
        self.nodes.capacity() * std::mem::size_of::<Node>() + self.by_step.capacity() * 5
    }
}

fn hash(parent: NodeId, axis: Axis, test: TestId) -> u64 {
    FxBuildHasher.hash_one((parent, axis, test))
}
