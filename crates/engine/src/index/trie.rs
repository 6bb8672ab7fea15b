//! The trigger paths of all subscriptions: a trie whose branches are shared.
//!
//! A new path would change what every state of the automaton means. So there are two automata: a large one over the
//! *settled* paths, and one over the few *recent* ones, which is made anew whenever a path is added.

use hashbrown::HashTable;
use rustc_hash::{FxBuildHasher, FxHashSet};
use serde::{Deserialize, Serialize};
use std::hash::BuildHasher;

use super::hints::Hints;
use super::pattern::{packed, unpacked, Axis, AxisAndTest};
use super::shapes::{Link, END, TRUE};
use super::tests::{TestId, NODE, TEXT};
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

/// How paths go on from a node: with children, with text nodes among them, with attributes, with descendants.
pub type Onward = u8;

pub const CHILDREN: Onward = 1;
pub const TEXTS: Onward = 2;
pub const ATTRIBUTES: Onward = 4;
pub const DESCENDANTS: Onward = 8;
/// What is so of settled paths has the lower half of the bits, what is so of recent ones the upper half.
const ONWARD_BITS: u32 = 4;

#[derive(Serialize, Deserialize)]
struct Node {
    parent: NodeId,
    step: AxisAndTest,
    /// Hints of the constants of its triggers. They stay when the last trigger goes.
    hints: Hints,
    first_child: NodeId,
    next_sibling: NodeId,
    /// Children and triggers.
    users: u32,
    /// Which kinds of triggers hang here: see [`super::triggers::Kind`]. They stay, too.
    kinds: Kind,
    flags: u8,
    onward: u8,
}

impl Node {
    fn new(parent: NodeId, step: AxisAndTest, next_sibling: NodeId) -> Node {
        let (hints, first_child, users, kinds, flags, onward) = (0, NONE, 0, 0, 0, 0);
        Node { parent, step, hints, first_child, next_sibling, users, kinds, flags, onward }
    }

    /// How paths through it go on from its parent.
    fn is_onward(&self) -> Onward {
        match unpacked(self.step) {
            (Axis::Child, TEXT | NODE) => CHILDREN | TEXTS,
            (Axis::Child, _) => CHILDREN,
            (Axis::Attribute, _) => ATTRIBUTES,
            (Axis::Descendant | Axis::DescendantOrSelf, _) => DESCENDANTS,
        }
    }

    fn hash(&self) -> u64 {
        hash(self.parent, self.step)
    }

    fn is_on(&self, side: Side) -> bool {
        self.flags & if side == Side::Settled { SETTLED } else { TOWARDS_RECENT } != 0
    }
}

/// Roots are made by the caller; a path is found below one of them.
#[derive(Default, Serialize, Deserialize)]
pub struct Trie {
    nodes: Vec<Node>,
    #[serde(skip)]
    by_step: HashTable<NodeId>,
    /// All steps that were ever taken.
    #[serde(skip)]
    steps: FxHashSet<AxisAndTest>,
    free: Vec<NodeId>,
}

impl Trie {
    pub fn add_root(&mut self) -> NodeId {
        self.push(Node { users: 1, flags: SETTLED, ..Node::new(NONE, 0, NONE) })
    }

    /// The node of a path, made if it is new.
    pub fn insert(&mut self, root: NodeId, path: &[(Axis, TestId)]) -> NodeId {
        path.iter().fold(root, |node, &(axis, test)| {
            let step = packed(axis, test);
            self.find(node, step).unwrap_or_else(|| self.add_child(node, step))
        })
    }

    #[inline]
    fn find(&self, parent: NodeId, step: AxisAndTest) -> Option<NodeId> {
        let is_it = |&id: &NodeId| {
            let node = &self.nodes[id as usize];
            (node.parent, node.step) == (parent, step)
        };
        self.by_step.find(hash(parent, step), is_it).copied()
    }

    /// The children of nodes by a step, as far as an automaton follows them.
    pub fn children<'a>(
        &'a self,
        side: Side,
        parents: &'a [NodeId],
        axis: Axis,
        test: TestId,
    ) -> impl Iterator<Item = NodeId> + 'a {
        let step = packed(axis, test);
        let parents = if self.steps.contains(&step) { parents } else { &[] };
        let children = parents.iter().filter_map(move |&parent| self.find(parent, step));
        children.filter(move |&child| self.nodes[child as usize].is_on(side))
    }

    /// The steps by which an automaton follows descendants of a node, and where they lead.
    pub fn descendants(&self, side: Side, node: NodeId) -> impl Iterator<Item = (TestId, NodeId)> + '_ {
        let children = self.all_children(node).map(|child| (child, &self.nodes[child as usize]));
        let some = children.filter(move |(_, node)| node.is_on(side) && node.is_onward() == DESCENDANTS);
        some.map(|(child, node)| (unpacked(node.step).1, child))
    }

    /// How the paths that an automaton follows go on from a node, and perhaps no longer do.
    #[inline]
    pub fn onward(&self, side: Side, node: NodeId) -> Onward {
        self.nodes[node as usize].onward >> (side as u32 * ONWARD_BITS) & ((1 << ONWARD_BITS) - 1)
    }

    fn add_child(&mut self, parent: NodeId, step: AxisAndTest) -> NodeId {
        let next_sibling = self.nodes[parent as usize].first_child;
        let id = self.push(Node::new(parent, step, next_sibling));
        let above = &mut self.nodes[parent as usize];
        above.first_child = id;
        above.users += 1;
        let nodes = &self.nodes;
        self.by_step.insert_unique(hash(parent, step), id, |&id| nodes[id as usize].hash());
        self.steps.insert(step);
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
        unpacked(self.nodes[node as usize].step).1
    }

    /// The steps to a node, the last one first.
    pub fn way_up(&self, node: NodeId) -> impl Iterator<Item = Link> + '_ {
        let some = |id: NodeId| self.nodes.get(id as usize).filter(|node| node.parent != NONE);
        let nodes = std::iter::successors(some(node), move |node| some(node.parent));
        nodes.map(|node| unpacked(node.step)).map(|(axis, test)| Link { axis, test, condition: TRUE, rest: END })
    }

    fn all_children(&self, node: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        let next = |&id: &NodeId| Some(self.nodes[id as usize].next_sibling).filter(|&id| id != NONE);
        std::iter::successors(Some(self.nodes[node as usize].first_child).filter(|&id| id != NONE), next)
    }

    /// Whether an automaton fires the node's triggers.
    pub fn fires(&self, side: Side, node: NodeId) -> bool {
        let node = &self.nodes[node as usize];
        node.kinds != 0 && (node.flags & RECENT != 0) == (side == Side::Recent)
    }

    /// The node's triggers are recent.
    pub fn mark_recent(&mut self, node: NodeId) {
        self.nodes[node as usize].flags |= RECENT;
        self.mark_path(node, |node, onward| {
            node.flags |= TOWARDS_RECENT;
            node.onward |= onward << ONWARD_BITS;
        });
    }

    /// They no longer are, and nor are any others.
    pub fn settle(&mut self, node: NodeId) {
        self.mark_path(node, |node, onward| {
            node.flags = SETTLED;
            node.onward = (node.onward | onward) & ((1 << ONWARD_BITS) - 1);
        });
    }

    /// Marks all nodes on a path, which are told how the path goes on.
    fn mark_path(&mut self, mut node: NodeId, mark: impl Fn(&mut Node, Onward)) {
        let mut onward = 0;
        while node != NONE {
            let entry = &mut self.nodes[node as usize];
            mark(entry, onward);
            (node, onward) = (entry.parent, entry.is_onward());
        }
    }

    /// Gives up all below a node that leads to no trigger. All paths are settled.
    pub fn prune(&mut self, node: NodeId) {
        let children: Vec<NodeId> = self.all_children(node).collect();
        (self.nodes[node as usize].first_child, self.nodes[node as usize].onward) = (NONE, 0);
        for child in children {
            self.prune(child);
            if self.nodes[child as usize].users > 0 {
                self.nodes[child as usize].next_sibling = self.nodes[node as usize].first_child;
                self.nodes[node as usize].first_child = child;
                self.nodes[node as usize].onward |= self.nodes[child as usize].is_onward();
                continue;
            }
            if let Ok(entry) = self.by_step.find_entry(self.nodes[child as usize].hash(), |&id| id == child) {
                entry.remove();
            }
            self.nodes[node as usize].users -= 1;
            self.free.push(child);
        }
    }

    /// Makes the table anew, which is not stored.
    pub fn restore(&mut self) {
        let nodes = &self.nodes;
        let hash = |&id: &NodeId| nodes[id as usize].hash();
        let mut is_free = vec![false; nodes.len()];
        self.free.iter().for_each(|&id| is_free[id as usize] = true);
        self.by_step = HashTable::with_capacity(nodes.len());
        for id in (0..nodes.len() as NodeId).filter(|&id| !is_free[id as usize]) {
            if nodes[id as usize].parent != NONE {
                self.by_step.insert_unique(hash(&id), id, hash);
                self.steps.insert(nodes[id as usize].step);
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

fn hash(parent: NodeId, step: AxisAndTest) -> u64 {
    FxBuildHasher.hash_one(u64::from(parent) << 32 | u64::from(step))
}
