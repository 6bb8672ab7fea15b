//! States of an automaton: sets of trie nodes, each distinct one once.

use std::hash::BuildHasher;
use std::sync::Arc;

use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;

use super::tests::TestId;
use super::trie::NodeId;

pub type StateId = u32;

/// In the number of a state: its paths go on with attributes, with text nodes.
pub const HAS_ATTRIBUTES: StateId = 1 << 31;
pub const HAS_TEXT: StateId = 1 << 30;
pub const FLAGS: StateId = HAS_ATTRIBUTES | HAS_TEXT;

/// Whether attributes of the element whose state this is may fire.
#[inline]
pub fn has_attributes(state: StateId) -> bool {
    state & HAS_ATTRIBUTES != 0
}

/// Whether its text nodes may.
#[inline]
pub fn has_text(state: StateId) -> bool {
    state & HAS_TEXT != 0
}

#[inline]
pub fn place(state: StateId) -> usize {
    (state & !FLAGS) as usize
}

/// A node behind its test.
pub type Ranked = u64;

/// Nodes of whose paths some go on at any depth: those from above, and more. There are many of them, and states within each
/// other have most in common.
#[derive(Default)]
pub struct Lasting {
    above: Option<Arc<Lasting>>,
    /// In order.
    nodes: Box<[NodeId]>,
    /// Where they go on, in order.
    more: Box<[Ranked]>,
}

impl Lasting {
    fn all(&self) -> impl Iterator<Item = &Lasting> {
        std::iter::successors(Some(self), |one| one.above.as_deref())
    }

    pub fn contains(&self, node: NodeId) -> bool {
        self.all().any(|one| one.nodes.binary_search(&node).is_ok())
    }

    /// Where they go on that asks for this test.
    pub fn of_test(&self, wanted: TestId) -> impl Iterator<Item = NodeId> + '_ {
        self.all().flat_map(move |one| {
            let first = one.more.partition_point(|&ranked| test(ranked) < wanted);
            one.more[first..].iter().take_while(move |&&ranked| test(ranked) == wanted).map(|&ranked| node(ranked))
        })
    }

    fn hash(&self) -> u64 {
        FxBuildHasher.hash_one((self.above.as_ref().map(Arc::as_ptr), &self.nodes))
    }

    fn is_same(&self, other: &Lasting) -> bool {
        self.above.as_ref().map(Arc::as_ptr) == other.above.as_ref().map(Arc::as_ptr) && self.nodes == other.nodes
    }
}

pub struct State {
    /// Equal ones are one.
    pub lasting: Arc<Lasting>,
    /// Those of whose paths some go on with a child, in order.
    pub next: Box<[NodeId]>,
    /// The same with an attribute.
    pub attributes: Box<[NodeId]>,
}

impl State {
    fn hash(&self) -> u64 {
        FxBuildHasher.hash_one((Arc::as_ptr(&self.lasting), &self.next, &self.attributes))
    }

    fn is_same(&self, other: &State) -> bool {
        Arc::ptr_eq(&self.lasting, &other.lasting) && (&self.next, &self.attributes) == (&other.next, &other.attributes)
    }

    /// Without the list that states share.
    pub fn bytes(&self) -> usize {
        128 + 4 * (self.next.len() + self.attributes.len())
    }
}

#[derive(Default)]
pub struct States {
    states: Vec<State>,
    by_nodes: HashTable<StateId>,
    lasting: HashTable<Arc<Lasting>>,
}

impl States {
    pub fn len(&self) -> usize {
        self.states.len()
    }

    pub fn get(&self, state: StateId) -> &State {
        &self.states[place(state)]
    }

    /// Nodes, which are in order, besides those from above, and where they go on; and the bytes that this takes if there were none
    /// such yet.
    pub fn lasting(
        &mut self,
        above: Option<Arc<Lasting>>,
        nodes: Box<[NodeId]>,
        more: impl FnOnce(&[NodeId]) -> Box<[Ranked]>,
    ) -> (Arc<Lasting>, usize) {
        let mut lasting = Lasting { above, nodes, more: Box::default() };
        let hash = lasting.hash();
        if let Some(known) = self.lasting.find(hash, |known| known.is_same(&lasting)) {
            return (Arc::clone(known), 0);
        }
        lasting.more = more(&lasting.nodes);
        let bytes = 96 + 4 * lasting.nodes.len() + 8 * lasting.more.len();
        let lasting = Arc::new(lasting);
        self.lasting.insert_unique(hash, Arc::clone(&lasting), |known| known.hash());
        (lasting, bytes)
    }

    /// The same for what other states had.
    pub fn adopt(&mut self, lasting: &Lasting) -> (Arc<Lasting>, usize) {
        let above = lasting.above.as_deref().map(|above| self.adopt(above));
        let (above, before) = above.map_or((None, 0), |(above, bytes)| (Some(above), bytes));
        let (lasting, bytes) = self.lasting(above, lasting.nodes.clone(), |_| lasting.more.clone());
        (lasting, before + bytes)
    }

    /// The number of a state; and whether it is new.
    pub fn intern(&mut self, state: State, flags: StateId) -> (StateId, bool) {
        let hash = state.hash();
        let states = &mut self.states;
        if let Some(&known) = self.by_nodes.find(hash, |&known| states[place(known)].is_same(&state)) {
            return (known, false);
        }
        let new = states.len() as StateId | flags;
        states.push(state);
        self.by_nodes.insert_unique(hash, new, |&known| states[place(known)].hash());
        (new, true)
    }
}

#[inline]
pub fn ranked((test, node): (TestId, NodeId)) -> Ranked {
    u64::from(test) << 32 | u64::from(node)
}

#[inline]
fn node(ranked: Ranked) -> NodeId {
    ranked as NodeId
}

#[inline]
fn test(ranked: Ranked) -> TestId {
    (ranked >> 32) as TestId
}
