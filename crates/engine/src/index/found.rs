//! What is found in a document: the nodes that triggered, and at last who gets which node.

use rustc_hash::FxHashSet;

use super::automaton::Automaton;
use super::block::Steps;
use super::effects::FiredId;
use super::groups::{Groups, GroupsId};
use super::nodes::{Nodes, DOCUMENT};
use super::plans::Slot;
use super::spots::SpotId;
use super::takers::Takers;
use super::tests::Marks;
use super::told::Key;
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
    /// In order of this, those with the same groups are side by side, and all with the same kind and constant: the kind, the
    /// constant, the side and the number of the groups.
    rank: u64,
    pub side: Side,
    at: At,
    /// How far above it the anchor is, if spots tell the rest.
    told_levels: Option<u16>,
    /// See [`Called`].
    field: Option<u8>,
}

/// Where something fired: at a node, or at an attribute or a text node of one, which is no node of the sketch itself.
#[derive(Clone, Copy)]
pub struct At {
    pub node: Node,
    pub is_leaf: bool,
}

impl At {
    /// The node so many levels above it.
    #[inline]
    fn up(self, levels: u32, tape: &Tape) -> Node {
        (u32::from(self.is_leaf)..levels).fold(self.node, |node, _| tape.record(node).parent)
    }
}

impl Triggered {
    #[inline]
    fn new((kind, constant): (Kind, ConstantId), side: Side, groups: GroupsId, at: At) -> Triggered {
        // Kinds are single bits of 16; so many groups would take more memory than may be used.
        let key = u64::from(kind.trailing_zeros()) << 32 | u64::from(constant);
        let rank = key << (GROUPS_BITS + 1) | (side as u64) << GROUPS_BITS | u64::from(groups);
        Triggered { rank, side, at, told_levels: None, field: None }
    }

    #[inline]
    fn number(&self) -> GroupsId {
        (self.rank & ((1 << GROUPS_BITS) - 1)) as GroupsId
    }

    #[inline]
    pub fn groups<'a>(&self, automata: Automata<'a>) -> &'a Groups {
        automata[self.side as usize].kept().get(self.number())
    }

    /// See [`super::groups::Gathered`].
    #[inline]
    fn fields(&self, automata: Automata<'_>) -> Marks {
        self.field.map_or_else(|| automata[self.side as usize].kept().fields(self.number()), |field| 1 << field)
    }

    /// The row of one of its stems whose anchor is at a spot.
    #[inline]
    pub fn key(&self, stem: u32, anchor: SpotId) -> Option<Key> {
        Key::new(self.number(), stem, anchor)
    }

    /// Groups of different kinds or constants have no subscription in common, unless one is a union.
    #[inline]
    fn has_key_of(&self, other: &Triggered) -> bool {
        self.rank >> (GROUPS_BITS + 1) == other.rank >> (GROUPS_BITS + 1)
    }

    /// Whether spots tell who gets what, if they are found.
    #[inline]
    pub fn is_told(&self) -> bool {
        self.told_levels.is_some()
    }

    /// The anchor for which spots tell who gets what, if there is no more to check.
    #[inline]
    pub fn told_anchor(&self, tape: &Tape) -> Option<Node> {
        self.told_levels.map(|levels| self.up(levels.into(), tape))
    }

    #[inline]
    pub fn rank(&self) -> u64 {
        self.rank
    }

    /// The node so many levels above it.
    #[inline]
    pub fn up(&self, levels: u32, tape: &Tape) -> Node {
        self.at.up(levels, tape)
    }

    /// From where to climb, and the steps. A leaf that is not kept has passed the first of them by triggering.
    #[inline]
    pub fn climb<'a>(&self, way: Steps<'a>) -> (Steps<'a>, Node) {
        let rest = way.split_first().filter(|_| self.at.is_leaf).map(|(_, rest)| rest);
        (rest.unwrap_or(way), self.at.node)
    }

    pub fn is_alike(&self, other: &Triggered) -> bool {
        self.rank == other.rank
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
    pub results: Results,
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

    fn push(&mut self, node: Node, takers: Takers) {
        let given = match takers.one() {
            Some(slot) => Given::One(slot),
            None => Given::All(takers.list(), self.lists.get(takers.list()).len() as u32),
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
        self.triggered.push(Triggered::new(key, side, groups, at));
    }

    #[inline]
    pub fn call(&mut self, call: Call) {
        self.calls.push(call);
    }

    /// Looks up who is called for; without those who cannot get anything in a document that has ended with these nodes.
    pub fn look_up(&mut self, index: &Index, automata: [&mut Automaton; 2], nodes: Option<Nodes<'_>>) {
        let there = nodes.filter(|_| !self.calls.is_empty()).map(|nodes| nodes.below(DOCUMENT));
        for Call { at, fired, constant, kind, side } in self.calls.drain(..) {
            let called = automata[side as usize].called(index, fired, (kind, constant));
            let Some(groups) = called.groups().filter(|_| there.is_none_or(|there| called.may_get(there))) else {
                continue;
            };
            let told_levels = called.told_levels();
            if let (Some(nodes), Some(levels)) = (nodes, told_levels) {
                if !called.may_get(nodes.below(at.up(levels.into(), nodes.tape))) {
                    continue;
                }
            }
            let one = Triggered::new((kind, constant), side, groups, at);
            self.triggered.push(Triggered { told_levels, field: called.field(), ..one });
        }
    }

    /// Whether anything is left to check.
    #[inline]
    pub fn has_checks(&self) -> bool {
        !self.calls.is_empty() || !self.triggered.is_empty()
    }

    /// Grows with everything that may be found.
    pub fn size(&self) -> usize {
        self.accepted.len() + self.calls.len() + self.triggered.len()
    }

    /// What an automaton is still needed for.
    pub fn uses(&self, side: Side) -> FxHashSet<GroupsId> {
        self.triggered.iter().filter(|one| one.side == side).map(Triggered::number).collect()
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
            let known = automata.iter().filter(|one| one.accepted().count() > 0);
            known.for_each(|one| results.lists.set_growing(one.side() as usize, one.accepted()));
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
            if let [only] = same_node {
                results.push(node, only.takers);
                continue;
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

impl Giving<'_> {
    /// Groups of triggers with different constants have no one in common, unless they say so.
    fn add(&self, same_node: &[Held], results: &mut Results) {
        if same_node.iter().any(|one| one.takers.may_repeat()) {
            self.add_union(same_node, results);
            return;
        }
        let cause = |one: &Held| &self.triggered[one.triggered as usize];
        for same_key in same_node.chunk_by(|left, right| cause(left).has_key_of(cause(right))) {
            if let [only] = same_key {
                results.push(self.node, only.takers);
            } else if self.may_overlap(same_key) {
                self.add_union(same_key, results);
            } else {
                let each_once = same_key.chunk_by(|left, right| left == right);
                each_once.for_each(|same| results.push(self.node, same[0].takers));
            }
        }
    }

    /// Whether groups with the same key may have someone in common.
    fn may_overlap(&self, held: &[Held]) -> bool {
        let mut fields = 0;
        for same_groups in held.chunk_by(|left, right| left.triggered == right.triggered) {
            let own = self.triggered[same_groups[0].triggered as usize].fields(self.automata);
            let is_mixed = same_groups.iter().any(|one| one.takers != same_groups[0].takers);
            if fields & own != 0 || is_mixed && same_groups.iter().any(|one| one.takers.one().is_none()) {
                return true;
            }
            fields |= own;
        }
        false
    }

    /// Adds groups that may have someone in common, as one list.
    fn add_union(&self, held: &[Held], results: &mut Results) {
        let mut slots = Vec::new();
        held.iter().for_each(|one| one.takers.append_to(&mut slots, &results.lists));
        slots.sort_unstable();
        slots.dedup();
        let given = match *slots {
            [slot] => Given::One(slot),
            _ => Given::All(results.lists.add(&slots), slots.len() as u32),
        };
        results.given.push((self.node, given));
    }
}
