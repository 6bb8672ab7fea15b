//! One lazily determinised automaton over the trigger paths of all subscriptions.
//!
//! A state is the set of trie nodes that may be reached below an open element. States and transitions are made when a
//! document first needs them, and thrown away together when they take too much memory.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::pattern::Axis;
use super::plans::{PlanId, Slot, NO_PLAN};
use super::tests::{Symbol, Symbols};
use super::trie::{NodeId, Side};
use super::triggers::{Key, Kind, ACCEPT, CHECK, NUMERIC};
use super::values::ConstantId;
use super::Index;

pub type StateId = u32;
/// Number of a set of trie nodes whose triggers fire together.
pub type FiredId = u32;

pub const NOTHING: FiredId = FiredId::MAX;
const UNKNOWN: u32 = u32::MAX;

struct State {
    /// Nodes that may be reached at any depth, in order of test and number.
    lasting: Arc<[NodeId]>,
    /// Nodes that may be reached by a child, in the same order.
    next: Box<[NodeId]>,
    attributes: Box<[NodeId]>,
    /// By symbol.
    edges: Vec<u32>,
    attribute_edges: Vec<u32>,
}

#[derive(Clone, Copy)]
struct Edge {
    to: StateId,
    fired: FiredId,
}

/// Trie nodes whose triggers fire together, and what follows from them.
struct Fired {
    nodes: Box<[NodeId]>,
    /// Version of the lists below.
    version: u64,
    accepted: Arc<[Slot]>,
    checks: Box<[PlanId]>,
    kinds: Kind,
}

pub struct Automaton {
    side: Side,
    version: u64,
    states: Vec<State>,
    by_nodes: FxHashMap<StateKey, StateId>,
    edges: Vec<Edge>,
    fired: Vec<Fired>,
    fired_by_nodes: FxHashMap<Box<[NodeId]>, FiredId>,
    initial: FxHashMap<Box<str>, StateId>,
    /// The plans that a constant fires, with the version of what is known of the constant.
    memo: FxHashMap<(FiredId, Kind, ConstantId), Remembered>,
    pub symbols: Symbols,
    /// Bytes of all that was learned, roughly.
    bytes: usize,
    pub flushes: u64,
}

/// Plans, and the version of what was known when they were found.
type Remembered = (u32, Box<[PlanId]>);

type StateKey = (Arc<[NodeId]>, Box<[NodeId]>, Box<[NodeId]>);

impl Automaton {
    pub fn new(side: Side) -> Automaton {
        Automaton {
            side,
            version: 0,
            states: Vec::new(),
            by_nodes: FxHashMap::default(),
            edges: Vec::new(),
            fired: Vec::new(),
            fired_by_nodes: FxHashMap::default(),
            initial: FxHashMap::default(),
            memo: FxHashMap::default(),
            symbols: Symbols::default(),
            bytes: 0,
            flushes: 0,
        }
    }

    pub fn states(&self) -> usize {
        self.states.len()
    }

    pub fn transitions(&self) -> usize {
        self.edges.len()
    }

    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Forgets what is no longer so.
    pub fn follow(&mut self, index: &Index) {
        let versions = index.versions();
        let version = if self.side == Side::Settled { versions.settled } else { versions.recent };
        if self.version != version {
            self.version = version;
            self.symbols.follow_tests(&index.shapes.tests);
            self.forget();
        }
    }

    fn forget(&mut self) {
        self.states.clear();
        self.by_nodes.clear();
        self.edges.clear();
        self.fired.clear();
        self.fired_by_nodes.clear();
        self.initial.clear();
        self.memo.clear();
        self.bytes = 0;
    }

    /// Forgets everything, and gives what is still in use new numbers.
    pub fn flush(
        &mut self,
        index: &Index,
        states: &mut dyn Iterator<Item = &mut StateId>,
        fired: &mut dyn Iterator<Item = &mut FiredId>,
    ) {
        let (old_states, old_fired) = (std::mem::take(&mut self.states), std::mem::take(&mut self.fired));
        self.forget();
        self.flushes += 1;
        for state in states {
            let State { lasting, next, attributes, .. } = &old_states[*state as usize];
            *state = self.intern(lasting.clone(), next.clone(), attributes.clone());
        }
        for fired in fired {
            *fired = self.fire(index, old_fired[*fired as usize].nodes.to_vec());
        }
    }

    /// The state of the document node of a stream.
    pub fn initial(&mut self, index: &Index, stream: &str) -> StateId {
        if let Some(&state) = self.initial.get(stream) {
            return state;
        }
        let roots = [index.roots.get(&None), index.roots.get(&Some(Box::from(stream)))];
        let roots: Vec<NodeId> = roots.into_iter().flatten().copied().collect();
        let state = self.below(index, &Arc::from([]), &roots);
        self.initial.insert(stream.into(), state);
        state
    }

    #[inline]
    pub fn has_attributes(&self, state: StateId) -> bool {
        !self.states[state as usize].attributes.is_empty()
    }

    /// The transition for a child: where it leads, and what fires.
    #[inline]
    pub fn child(&mut self, index: &Index, state: StateId, symbol: Symbol) -> (StateId, FiredId) {
        let edge = match self.states[state as usize].edges.get(symbol as usize) {
            Some(&edge) if edge != UNKNOWN => edge,
            _ => self.learn_child(index, state, symbol),
        };
        let edge = self.edges[edge as usize];
        (edge.to, edge.fired)
    }

    /// What fires for an attribute of the element whose state this is.
    #[inline]
    pub fn attribute(&mut self, index: &Index, state: StateId, symbol: Symbol) -> FiredId {
        match self.states[state as usize].attribute_edges.get(symbol as usize) {
            Some(&fired) if fired != UNKNOWN - 1 => fired,
            _ => self.learn_attribute(index, state, symbol),
        }
    }

    #[cold]
    fn learn_child(&mut self, index: &Index, state: StateId, symbol: Symbol) -> u32 {
        let State { lasting, next, .. } = &self.states[state as usize];
        let mut reached = Vec::new();
        for &test in self.symbols.passed(symbol) {
            reached.extend(of_test(index, lasting, test));
            reached.extend(of_test(index, next, test));
        }
        let lasting = lasting.clone();
        let to = self.below(index, &lasting, &reached);
        let fired = self.fire(index, reached);
        let edge = self.edges.len() as u32;
        self.edges.push(Edge { to, fired });
        put(&mut self.states[state as usize].edges, symbol, edge, UNKNOWN);
        self.bytes += 12;
        edge
    }

    #[cold]
    fn learn_attribute(&mut self, index: &Index, state: StateId, symbol: Symbol) -> FiredId {
        let attributes = &self.states[state as usize].attributes;
        let passed = self.symbols.passed(symbol).iter();
        let reached = passed.flat_map(|&test| of_test(index, attributes, test)).collect();
        let fired = self.fire(index, reached);
        put(&mut self.states[state as usize].attribute_edges, symbol, fired, UNKNOWN - 1);
        fired
    }

    /// The state below nodes that were reached.
    fn below(&mut self, index: &Index, lasting: &Arc<[NodeId]>, reached: &[NodeId]) -> StateId {
        let (mut deeper, mut next, mut attributes) = (Vec::new(), Vec::new(), Vec::new());
        for child in reached.iter().flat_map(|&node| index.trie.children(node)) {
            if index.trie.is_on(self.side, child) {
                match index.trie.axis(child) {
                    Axis::Descendant | Axis::DescendantOrSelf => deeper.push(child),
                    Axis::Child => next.push(child),
                    Axis::Attribute => attributes.push(child),
                }
            }
        }
        let in_order = |mut nodes: Vec<NodeId>| {
            nodes.sort_unstable_by_key(|&node| (index.trie.test(node), node));
            nodes.dedup();
            nodes
        };
        let is_new = deeper.iter().any(|node| !lasting.contains(node));
        let lasting = if is_new {
            deeper.extend(lasting.iter());
            Arc::from(in_order(deeper))
        } else {
            lasting.clone()
        };
        self.intern(lasting, in_order(next).into(), in_order(attributes).into())
    }

    fn intern(&mut self, lasting: Arc<[NodeId]>, next: Box<[NodeId]>, attributes: Box<[NodeId]>) -> StateId {
        let key = (lasting.clone(), next.clone(), attributes.clone());
        if let Some(&state) = self.by_nodes.get(&key) {
            return state;
        }
        let state = self.states.len() as StateId;
        self.bytes += 256 + 8 * (next.len() + attributes.len()) + 4 * lasting.len();
        self.by_nodes.insert(key, state);
        self.states.push(State { lasting, next, attributes, edges: Vec::new(), attribute_edges: Vec::new() });
        state
    }

    fn fire(&mut self, index: &Index, reached: Vec<NodeId>) -> FiredId {
        let mut nodes: Vec<NodeId> = reached.into_iter().filter(|&node| index.trie.fires(self.side, node)).collect();
        if nodes.is_empty() {
            return NOTHING;
        }
        nodes.sort_unstable();
        let nodes = nodes.into_boxed_slice();
        let next = self.fired.len() as FiredId;
        let fired = *self.fired_by_nodes.entry(nodes.clone()).or_insert(next);
        if fired == next {
            self.bytes += 128 + 8 * nodes.len();
            let version = u64::MAX;
            self.fired.push(Fired { nodes, version, accepted: Arc::from([]), checks: Box::new([]), kinds: 0 });
        }
        fired
    }

    /// Who gets the node at once, the plans that its being there calls for, and which values are asked for.
    #[inline]
    pub fn fired(&mut self, index: &Index, fired: FiredId) -> (&Arc<[Slot]>, &[PlanId], Kind) {
        if self.fired[fired as usize].version != index.versions.lists {
            self.list(index, fired);
        }
        let fired = &self.fired[fired as usize];
        (&fired.accepted, &fired.checks, fired.kinds)
    }

    #[cold]
    fn list(&mut self, index: &Index, fired: FiredId) {
        let fired = &mut self.fired[fired as usize];
        let (mut accepted, mut checks) = (Vec::new(), Vec::new());
        fired.kinds = 0;
        for &node in &fired.nodes {
            let kinds = index.trie.kinds(node);
            fired.kinds |= kinds;
            if kinds & ACCEPT != 0 {
                let plans = plans_of(index, Key { node, kind: ACCEPT, constant: 0 });
                accepted.extend(plans.flat_map(|plan| index.plans.slots(plan)));
            }
            if kinds & CHECK != 0 {
                checks.extend(plans_of(index, Key { node, kind: CHECK, constant: 0 }));
            }
        }
        accepted.sort_unstable();
        accepted.dedup();
        self.bytes += 4 * (accepted.len() + checks.len());
        fired.accepted = accepted.into();
        fired.checks = checks.into();
        fired.version = index.versions.lists;
    }

    /// The plans that a constant fires.
    pub fn plans(&mut self, index: &Index, fired: FiredId, kind: Kind, constant: ConstantId) -> &[PlanId] {
        let versions = if kind & NUMERIC != 0 { &index.number_versions } else { &index.text_versions };
        let version = versions.get(constant as usize).copied().unwrap_or(0);
        let nodes = &self.fired[fired as usize].nodes;
        let entry = self.memo.entry((fired, kind, constant)).or_insert_with(|| (version.wrapping_sub(1), Box::new([])));
        if entry.0 != version {
            let of_kind = nodes.iter().filter(|&&node| index.trie.kinds(node) & kind != 0);
            let plans = of_kind.flat_map(|&node| plans_of(index, Key { node, kind, constant }));
            *entry = (version, plans.collect());
            self.bytes += 48 + 4 * entry.1.len();
        }
        &entry.1
    }

    /// The plans whose ranges a number lies in.
    pub fn plans_in_range(&self, index: &Index, fired: FiredId, kinds: Kind, value: f64, plans: &mut Vec<PlanId>) {
        for &node in &self.fired[fired as usize].nodes {
            for trigger in index.triggers.in_range(node, kinds & index.trie.kinds(node), value) {
                plans.extend(list(index, index.triggers.first(trigger)));
            }
        }
    }
}

/// Those of the nodes, which are in order of their tests, that ask for this test.
fn of_test<'a>(index: &'a Index, nodes: &'a [NodeId], test: u32) -> impl Iterator<Item = NodeId> + 'a {
    let first = nodes.partition_point(|&node| index.trie.test(node) < test);
    nodes[first..].iter().copied().take_while(move |&node| index.trie.test(node) == test)
}

fn plans_of(index: &Index, key: Key) -> impl Iterator<Item = PlanId> + '_ {
    list(index, index.triggers.find(key).map_or(NO_PLAN, |trigger| index.triggers.first(trigger)))
}

fn list(index: &Index, first: PlanId) -> impl Iterator<Item = PlanId> + '_ {
    let some = |plan: PlanId| Some(plan).filter(|&plan| plan != NO_PLAN);
    std::iter::successors(some(first), move |&plan| some(index.plans.next(plan)))
}

fn put(edges: &mut Vec<u32>, symbol: Symbol, edge: u32, unknown: u32) {
    let place = symbol as usize;
    if edges.len() <= place {
        edges.resize(place + 1, unknown);
    }
    edges[place] = edge;
}
