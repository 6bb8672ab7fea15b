//! What is found in a document: the nodes that triggered, and at last who gets which node.

use rustc_hash::FxHashSet;

use super::automaton::Automaton;
use super::effects::FiredId;
use super::groups::{Groups, GroupsId};
use super::plans::Slot;
use super::takers::Takers;
use super::tests::Marks;
use super::trie::Side;
use super::triggers::Kind;
use super::values::ConstantId;
use super::Index;
use crate::lists::{ListId, Lists};
use crate::tape::{Node, Tape};

/// The automata that what is found refers to, by side.
pub type Automata<'a> = [&'a Automaton; 2];

/// What numbers of groups take.
const GROUPS_BITS: u32 = 27;

/// A node that calls for checks.
#[derive(Clone, Copy)]
pub struct Triggered {
    /// Groups of different kinds or constants have no subscription in common, unless one is a union.
    key: (Kind, ConstantId),
    pub side: Side,
    groups: GroupsId,
    at: At,
}

/// Where something fired: at a node, or at an attribute of one, which is not kept itself.
#[derive(Clone, Copy)]
pub struct At {
    pub node: Node,
    pub is_attribute: bool,
}

impl Triggered {
    #[inline]
    pub fn groups<'a>(&self, automata: Automata<'a>) -> &'a Groups {
        automata[self.side as usize].groups(self.groups)
    }

    /// In order of this, those with the same groups are side by side, and all with the same key.
    #[inline]
    pub fn rank(&self) -> u64 {
        let (kind, constant) = self.key;
        // Kinds are single bits of 16; so many groups would take more memory than may be used.
        let key = u64::from(kind.trailing_zeros()) << 32 | u64::from(constant);
        key << (GROUPS_BITS + 1) | (self.side as u64) << GROUPS_BITS | u64::from(self.groups)
    }

    /// The node so many levels above it.
    #[inline]
    pub fn up(&self, levels: u32, tape: &Tape) -> Node {
        let At { node, is_attribute } = self.at;
        (u32::from(is_attribute)..levels).fold(node, |node, _| tape.record(node).parent)
    }

    /// The node itself. (An attribute is one if it may be looked at.)
    #[inline]
    pub fn node(&self) -> Node {
        self.at.node
    }

    pub fn is_alike(&self, other: &Triggered) -> bool {
        (self.side, self.groups) == (other.side, other.groups)
    }
}

/// A value is a constant that may call for checks.
#[derive(Clone, Copy)]
pub struct Call {
    pub at: At,
    pub fired: FiredId,
    pub constant: ConstantId,
    pub kind: Kind,
    pub side: Side,
}

/// A check that gave a node.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Held {
    pub node: Node,
    /// Which of those that triggered, and who of its groups.
    pub triggered: u32,
    pub takers: Takers,
}

#[derive(Default)]
pub struct Found {
    /// Nodes that some get for their path alone, in document order.
    accepted: Vec<(Node, Given)>,
    /// They are looked up together when the document has ended: one after the other each would wait for memory.
    calls: Vec<Call>,
    pub triggered: Vec<Triggered>,
    /// In order of what triggered, the first of those alike standing for all.
    pub held: Vec<Held>,
    /// For putting them in order of nodes.
    sorted: Vec<Held>,
    places: Vec<u32>,
    results: Results,
}

/// Who gets a node.
#[derive(Clone, Copy)]
pub enum Given {
    One(Slot),
    /// All of a list, who are so many.
    All(ListId, u32),
}

impl Given {
    /// How many they are.
    #[inline]
    pub fn count(self) -> usize {
        match self {
            Given::One(_) => 1,
            Given::All(_, count) => count as usize,
        }
    }
}

/// Nodes and who gets them.
#[derive(Default)]
pub struct Results {
    /// In document order; no one gets a node twice.
    pub given: Vec<(Node, Given)>,
    /// Subscriptions in ascending order: many nodes may have the same list.
    pub lists: Lists,
}

impl Results {
    pub fn slots<'a>(&'a self, given: &'a Given) -> &'a [Slot] {
        match given {
            Given::One(slot) => std::slice::from_ref(slot),
            Given::All(list, _) => self.lists.get(*list),
        }
    }

    fn push(&mut self, node: Node, takers: Takers, groups: &Groups) {
        let given = match takers.one() {
            Some(slot) => Given::One(slot),
            None => {
                let list = self.lists.adopt(&groups.lists(), takers.list());
                Given::All(list, self.lists.get(list).len() as u32)
            }
        };
        self.given.push((node, given));
    }
}

impl Found {
    pub fn begin(&mut self) {
        self.accepted.clear();
        self.calls.clear();
        self.triggered.clear();
        self.held.clear();
        self.results.given.clear();
        self.results.lists.clear();
    }

    /// A node is for those whom its path calls for.
    #[inline]
    pub fn accept(&mut self, node: Node, accepted: Given) {
        self.accepted.push((node, accepted));
    }

    #[inline]
    pub fn trigger(&mut self, at: At, side: Side, groups: GroupsId, key: (Kind, ConstantId)) {
        self.triggered.push(Triggered { key, side, groups, at });
    }

    #[inline]
    pub fn call(&mut self, call: Call) {
        self.calls.push(call);
    }

    /// Looks up who is called for and may get anything in a document in which no more is found than `there`.
    pub fn look_up(&mut self, index: &Index, automata: [&mut Automaton; 2], there: Marks) {
        let near = self.calls.iter().fold(0, |near, call| {
            near | automata[call.side as usize].fetch_called(call.fired, (call.kind, call.constant))
        });
        std::hint::black_box(near);
        for call in self.calls.drain(..) {
            let key = (call.kind, call.constant);
            if let Some(groups) = automata[call.side as usize].called(index, call.fired, key, there) {
                self.triggered.push(Triggered { key, side: call.side, groups, at: call.at });
            }
        }
    }

    /// Grows with everything that may be found.
    pub fn size(&self) -> usize {
        self.accepted.len() + self.calls.len() + self.triggered.len()
    }

    /// What an automaton is still needed for.
    pub fn uses(&self, side: Side) -> FxHashSet<GroupsId> {
        self.triggered.iter().filter(|one| one.side == side).map(|one| one.groups).collect()
    }

    pub fn has_no_results(&self) -> bool {
        self.results.given.is_empty()
    }

    pub fn results(&mut self) -> &mut Results {
        &mut self.results
    }

    /// All checks are done: sorts out who gets what in a document of so many nodes.
    pub fn conclude(&mut self, nodes: usize, automata: Automata<'_>) {
        let Found { accepted, results, .. } = self;
        if !accepted.is_empty() {
            automata.iter().for_each(|one| results.lists.set_growing(one.side() as usize, one.accepted()));
        }
        if self.held.is_empty() {
            std::mem::swap(accepted, &mut results.given);
            return;
        }
        self.order_by_node(nodes);
        let Found { accepted, triggered, held, results, .. } = self;
        let mut accepted = accepted.iter().copied().peekable();
        for same_node in held.chunk_by_mut(|left, right| left.node == right.node) {
            let node = same_node[0].node;
            while let Some(earlier) = accepted.next_if(|(other, _)| *other <= node) {
                results.given.push(earlier);
            }
            // The same groups may have come to it from several anchors.
            if same_node.windows(2).any(|pair| pair[0] > pair[1]) {
                same_node.sort_unstable();
            }
            Giving { node, triggered, automata }.add(same_node, results);
        }
        results.given.extend(accepted);
    }

    /// Orders what holds by node, leaving it in order otherwise.
    fn order_by_node(&mut self, nodes: usize) {
        let Found { held, sorted, places, .. } = self;
        if held.len() * 4 < nodes {
            held.sort_by_key(|one| one.node);
            return;
        }
        places.clear();
        places.resize(nodes + 1, 0);
        held.iter().for_each(|one| places[one.node as usize + 1] += 1);
        (1..places.len()).for_each(|node| places[node] += places[node - 1]);
        sorted.clear();
        sorted.resize(held.len(), Held::default());
        for one in held.iter() {
            let place = &mut places[one.node as usize];
            sorted[*place as usize] = *one;
            *place += 1;
        }
        std::mem::swap(held, sorted);
    }
}

/// Who gets a node, each once.
struct Giving<'a> {
    node: Node,
    triggered: &'a [Triggered],
    automata: Automata<'a>,
}

impl<'a> Giving<'a> {
    fn groups(&self, one: &Held) -> &'a Groups {
        self.triggered[one.triggered as usize].groups(self.automata)
    }

    /// Groups of triggers with different constants have no one in common, unless they say so.
    fn add(&self, same_node: &[Held], results: &mut Results) {
        if same_node.len() > 1 && same_node.iter().any(|one| one.takers.may_repeat()) {
            self.add_union(same_node, results);
            return;
        }
        let key = |one: &Held| self.triggered[one.triggered as usize].key;
        for same_key in same_node.chunk_by(|left, right| key(left) == key(right)) {
            if same_key.len() > 1 && self.may_overlap(same_key) {
                self.add_union(same_key, results);
            } else {
                let each_once = same_key.chunk_by(|left, right| left == right);
                each_once.for_each(|same| results.push(self.node, same[0].takers, self.groups(&same[0])));
            }
        }
    }

    /// Whether groups with the same key may have someone in common.
    fn may_overlap(&self, held: &[Held]) -> bool {
        let mut fields = 0;
        for same_groups in held.chunk_by(|left, right| left.triggered == right.triggered) {
            let own = self.groups(&same_groups[0]).fields;
            let is_mixed = same_groups.iter().any(|one| one.takers != same_groups[0].takers);
            if fields & own != 0 || is_mixed && same_groups.iter().any(|one| one.takers.is_union()) {
                return true;
            }
            fields |= own;
        }
        false
    }

    /// Adds groups that may have someone in common, as one list.
    fn add_union(&self, held: &[Held], results: &mut Results) {
        let mut slots = Vec::new();
        held.iter().for_each(|one| one.takers.append_to(&mut slots, &self.groups(one).lists()));
        slots.sort_unstable();
        slots.dedup();
        let given = match *slots {
            [slot] => Given::One(slot),
            _ => Given::All(results.lists.add(&slots), slots.len() as u32),
        };
        results.given.push((self.node, given));
    }
}
