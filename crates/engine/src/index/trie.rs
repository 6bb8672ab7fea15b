//! The trigger paths of all subscriptions: a trie whose branches are shared.
//!
//! A new path would change what every state of the automaton means. So there are two automata: a large one over the
//! *settled* paths, and one over the few *recent* ones, which is made anew whenever a path is added.

use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};

use super::hints::Hints;
use super::pattern::{packed, unpacked, Axis, AxisAndTest};
use super::shapes::{Link, END, TRUE};
use super::table::{Entry, Table};
use super::tests::{TestId, NODE, TEXT};
use super::triggers::Kind;
use crate::near::bring_at;

pub type NodeId = u32;

const NONE: NodeId = NodeId::MAX;
/// The children of so many nodes are looked for together.
const TOGETHER: usize = 32;

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
    /// The first of the steps to descendants that are taken from here; and the next one that is taken from the same node, if it is one.
    first: NodeId,
    next: NodeId,
    /// Children and triggers.
    users: u32,
    /// Which kinds of triggers hang here: see [`super::triggers::Kind`]. They stay, too.
    kinds: Kind,
    flags: u8,
    onward: u8,
}

impl Node {
    fn new(parent: NodeId, step: AxisAndTest) -> Node {
        Node { parent, step, hints: 0, first: NONE, next: NONE, users: 0, kinds: 0, flags: 0, onward: 0 }
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

    fn is_on(&self, side: Side) -> bool {
        self.flags & if side == Side::Settled { SETTLED } else { TOWARDS_RECENT } != 0
    }
}

/// Where a step leads from a node.
struct Branch {
    key: [u32; 2],
    child: NodeId,
}

impl Branch {
    fn key(parent: NodeId, step: AxisAndTest) -> u64 {
        u64::from(parent) << 32 | u64::from(step)
    }

    fn new(&Node { parent, step, .. }: &Node, child: NodeId) -> Branch {
        Branch { key: [step, parent], child }
    }
}

impl Entry for Branch {
    const FREE: u64 = u64::MAX;

    fn free() -> Branch {
        Branch { key: [u32::MAX; 2], child: NONE }
    }

    #[inline(always)]
    fn key(&self) -> u64 {
        Branch::key(self.key[1], self.key[0])
    }
}

/// Roots are made by the caller; a path is found below one of them.
#[derive(Default, Serialize, Deserialize)]
pub struct Trie {
    nodes: Vec<Node>,
    #[serde(skip)]
    by_step: Table<Branch>,
    /// All steps that were ever taken.
    #[serde(skip)]
    steps: FxHashSet<AxisAndTest>,
    free: Vec<NodeId>,
}

impl Trie {
    pub fn add_root(&mut self) -> NodeId {
        self.push(Node { users: 1, flags: SETTLED, ..Node::new(NONE, 0) })
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
        self.by_step.get(Branch::key(parent, step)).map(|branch| branch.child)
    }

    /// Adds the children of nodes by a step to others. (An automaton that does not follow paths through them finds that they do not go on
    /// and do not fire.)
    pub fn add_children(&self, axis: Axis, test: TestId, parents: &[NodeId], children: &mut Vec<NodeId>) {
        let step = packed(axis, test);
        if !self.steps.contains(&step) {
            return;
        }
        // Each is far from the others: what is asked for together comes together.
        for parents in parents.chunks(TOGETHER) {
            parents.iter().for_each(|&parent| self.by_step.bring(Branch::key(parent, step)));
            for child in parents.iter().filter_map(|&parent| self.find(parent, step)) {
                bring_at(&self.nodes, child as usize);
                children.push(child);
            }
        }
    }

    /// The steps by which an automaton follows descendants of a node, and where they lead.
    pub fn descendants(&self, side: Side, node: NodeId) -> impl Iterator<Item = (TestId, NodeId)> + '_ {
        let some = |id: NodeId| Some(id).filter(|&id| id != NONE);
        let first = some(self.nodes[node as usize].first);
        let all = std::iter::successors(first, move |&id| some(self.nodes[id as usize].next));
        all.filter(move |&id| self.nodes[id as usize].is_on(side)).map(|id| (self.test(id), id))
    }

    /// How the paths that an automaton follows go on from a node, and perhaps no longer do.
    #[inline]
    pub fn onward(&self, side: Side, node: NodeId) -> Onward {
        self.nodes[node as usize].onward >> (side as u32 * ONWARD_BITS) & ((1 << ONWARD_BITS) - 1)
    }

    fn add_child(&mut self, parent: NodeId, step: AxisAndTest) -> NodeId {
        let id = self.push(Node::new(parent, step));
        self.nodes[parent as usize].users += 1;
        self.link(id);
        self.by_step.add(Branch::new(&self.nodes[id as usize], id));
        self.steps.insert(step);
        id
    }

    /// Enters a node among the steps to descendants, if it is one.
    fn link(&mut self, id: NodeId) {
        let Node { parent, .. } = self.nodes[id as usize];
        if self.nodes[id as usize].is_onward() == DESCENDANTS {
            self.nodes[id as usize].next = std::mem::replace(&mut self.nodes[parent as usize].first, id);
        }
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

    /// Gives up all nodes that lead to no trigger. All paths are settled.
    pub fn prune(&mut self) {
        let mut is_free = self.are_free();
        for id in 0..self.nodes.len() {
            let mut unused = id;
            while !is_free[unused] && self.nodes[unused].users == 0 {
                let Node { parent, step, .. } = self.nodes[unused];
                self.by_step.remove(Branch::key(parent, step));
                self.free.push(unused as NodeId);
                is_free[unused] = true;
                unused = parent as usize;
                self.nodes[unused].users -= 1;
            }
        }
        self.nodes.iter_mut().for_each(|node| (node.first, node.onward) = (NONE, 0));
        for (id, _) in is_free.into_iter().enumerate().filter(|(_, is_free)| !is_free) {
            let (parent, onward) = (self.nodes[id].parent, self.nodes[id].is_onward());
            if parent != NONE {
                self.nodes[parent as usize].onward |= onward;
                self.link(id as NodeId);
            }
        }
    }

    fn are_free(&self) -> Vec<bool> {
        let mut are_free = vec![false; self.nodes.len()];
        self.free.iter().for_each(|&id| are_free[id as usize] = true);
        are_free
    }

    /// Makes the table anew, which is not stored.
    pub fn restore(&mut self) {
        let (nodes, is_free) = (&self.nodes, self.are_free());
        self.by_step = Table::with_capacity(nodes.len());
        for id in (0..nodes.len() as NodeId).filter(|&id| !is_free[id as usize]) {
            if nodes[id as usize].parent != NONE {
                self.by_step.add(Branch::new(&nodes[id as usize], id));
                self.steps.insert(nodes[id as usize].step);
            }
        }
    }

    pub fn len(&self) -> usize {
        self.by_step.len()
    }

    pub fn bytes(&self) -> usize {
        self.nodes.capacity() * size_of::<Node>() + self.by_step.bytes()
    }
}
