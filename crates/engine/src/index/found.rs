//! What is found in a document: the nodes that triggered, and at last who gets which node.

use rustc_hash::FxHashSet;

use super::automaton::{Automaton, FiredId};
use super::groups::{Groups, GroupsId, Slots};
use super::takers::Takers;
use super::trie::Side;
use super::triggers::Kind;
use super::values::ConstantId;
use super::Index;
use crate::tape::Node;

/// The automata that what is found refers to, by side.
pub type Automata<'a> = [&'a Automaton; 2];

/// A node that calls for checks.
#[derive(Clone, Copy)]
pub struct Triggered {
    /// Groups of different kinds or constants have no subscription in common, unless one is a union.
    key: (Kind, ConstantId),
    pub side: Side,
    groups: GroupsId,
    pub node: Node,
}

impl Triggered {
    #[inline]
    pub fn groups<'a>(&self, automata: Automata<'a>) -> &'a Groups {
        automata[self.side as usize].groups(self.groups)
    }

    /// In order of this, those with the same groups are side by side, and all with the same key.
    pub fn rank(&self) -> u128 {
        let (kind, constant) = self.key;
        let key = u128::from(kind) << 32 | u128::from(constant);
        let groups = (self.side as u128) << 32 | u128::from(self.groups);
        key << 80 | groups << 32 | u128::from(self.node)
    }

    pub fn is_alike(&self, other: &Triggered) -> bool {
        (self.side, self.groups) == (other.side, other.groups)
    }
}

/// A node whose value is a constant that may call for checks.
#[derive(Clone, Copy)]
pub struct Call {
    pub node: Node,
    pub fired: FiredId,
    pub constant: ConstantId,
    pub kind: Kind,
    pub side: Side,
}

/// A node that some get for its path alone.
struct Accepted {
    node: Node,
    side: Side,
    fired: FiredId,
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
    /// In document order.
    accepted: Vec<Accepted>,
    /// They are looked up together when the document has ended: one after the other each would wait for memory.
    calls: Vec<Call>,
    pub triggered: Vec<Triggered>,
    /// In order of what triggered, the first of those alike standing for all.
    pub held: Vec<Held>,
    /// For putting them in order of nodes.
    sorted: Vec<Held>,
    places: Vec<u32>,
    /// Nodes and who gets them, in document order; no one gets a node twice.
    results: Vec<(Node, Slots)>,
}

impl Found {
    pub fn begin(&mut self) {
        self.accepted.clear();
        self.calls.clear();
        self.triggered.clear();
        self.held.clear();
        self.results.clear();
    }

    #[inline]
    pub fn accept(&mut self, node: Node, side: Side, fired: FiredId) {
        self.accepted.push(Accepted { node, side, fired });
    }

    #[inline]
    pub fn trigger(&mut self, node: Node, side: Side, groups: GroupsId, key: (Kind, ConstantId)) {
        self.triggered.push(Triggered { key, side, groups, node });
    }

    #[inline]
    pub fn call(&mut self, call: Call) {
        self.calls.push(call);
    }

    /// Looks up who is called for.
    pub fn look_up(&mut self, index: &Index, automata: [&mut Automaton; 2]) {
        for call in self.calls.drain(..) {
            if let Some(groups) = automata[call.side as usize].called(index, call.fired, call.kind, call.constant) {
                let key = (call.kind, call.constant);
                self.triggered.push(Triggered { key, side: call.side, groups, node: call.node });
            }
        }
    }

    /// Grows with everything that may be found.
    pub fn size(&self) -> usize {
        self.accepted.len() + self.calls.len() + self.triggered.len()
    }

    /// What an automaton is still needed for.
    pub fn uses(&self, side: Side) -> (FxHashSet<FiredId>, FxHashSet<GroupsId>) {
        let accepted = self.accepted.iter().filter(|one| one.side == side).map(|one| one.fired);
        let called = self.triggered.iter().filter(|one| one.side == side).map(|one| one.groups);
        (accepted.collect(), called.collect())
    }

    pub fn results(&mut self) -> &mut Vec<(Node, Slots)> {
        &mut self.results
    }

    /// All checks are done: sorts out who gets what in a document of so many nodes.
    pub fn conclude(&mut self, nodes: usize, automata: Automata<'_>) {
        self.order_by_node(nodes);
        let Found { accepted, triggered, held, results, .. } = self;
        let slots =
            |one: &Accepted| automata[one.side as usize].accepted(one.fired).map(|all| Slots::Many(all.clone()));
        let mut accepted = accepted.iter().filter_map(|one| Some((one.node, slots(one)?))).peekable();
        for same_node in held.chunk_by_mut(|left, right| left.node == right.node) {
            let node = same_node[0].node;
            while let Some(earlier) = accepted.next_if(|(other, _)| *other <= node) {
                results.push(earlier);
            }
            // The same groups may have come to it from several anchors.
            if same_node.windows(2).any(|pair| pair[0] > pair[1]) {
                same_node.sort_unstable();
            }
            Given { node, triggered, automata }.add(same_node, results);
        }
        results.extend(accepted);
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

/// Up to so many subscriptions are compared with each other.
const FEW: usize = 32;

/// Who gets a node, each once.
struct Given<'a> {
    node: Node,
    triggered: &'a [Triggered],
    automata: Automata<'a>,
}

impl Given<'_> {
    fn slots(&self, one: &Held) -> Slots {
        match one.takers.one() {
            Some(slot) => Slots::One(slot),
            None => self.triggered[one.triggered as usize].groups(self.automata).slots(one.takers),
        }
    }

    /// Groups of triggers with different constants have no one in common, unless they say so.
    fn add(&self, same_node: &[Held], results: &mut Vec<(Node, Slots)>) {
        if same_node.len() > 1 && same_node.iter().any(|one| one.takers.may_repeat()) {
            results.push(self.merged(same_node));
            return;
        }
        let key = |one: &Held| self.triggered[one.triggered as usize].key;
        for same_key in same_node.chunk_by(|left, right| key(left) == key(right)) {
            if same_key.iter().any(|one| one.triggered != same_key[0].triggered) {
                self.add_each_once(same_key, results);
            } else {
                let each_once = same_key.chunk_by(|left, right| left == right);
                results.extend(each_once.map(|same| (self.node, self.slots(&same[0]))));
            }
        }
    }

    /// Adds groups that may have someone in common: of single subscriptions each once, of lists all as one.
    fn add_each_once(&self, held: &[Held], results: &mut Vec<(Node, Slots)>) {
        if held.len() > FEW || held.iter().any(|one| one.takers.one().is_none()) {
            results.push(self.merged(held));
            return;
        }
        let start = results.len();
        for slots in held.iter().map(|one| self.slots(one)) {
            if results[start..].iter().all(|(_, known)| known.as_slice() != slots.as_slice()) {
                results.push((self.node, slots));
            }
        }
    }

    fn merged(&self, held: &[Held]) -> (Node, Slots) {
        (self.node, Slots::merged(held.iter().map(|one| self.slots(one))))
    }
}
