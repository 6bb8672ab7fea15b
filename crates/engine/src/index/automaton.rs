//! One lazily determinised automaton over the trigger paths of all subscriptions.
//!
//! A state is the set of trie nodes that may be reached below an open element. States and transitions are made when a
//! document first needs them, and thrown away together when they take too much memory.

use std::hash::BuildHasher;
use std::sync::Arc;

use hashbrown::HashTable;
use rustc_hash::{FxBuildHasher, FxHashMap};

use super::called::{call, Called, Known};
use super::effects::{Effects, Fired, FiredId, May, NOTHING};
use super::found::{Found, Given};
use super::hints::Hints;
use super::kept::{Kept, Triggers};
use super::pattern::Axis;
use super::places::Places;
use super::plans::Slot;
use super::states::{ranked, Lasting, State, StateId, States, FLAGS, HAS_ATTRIBUTES, HAS_TEXT};
use super::table::Table;
use super::tests::{Symbol, Symbols, NODE, TEXT, TEXT_SYMBOL};
use super::texts::Texts;
use super::transitions::{self, Transitions};
use super::trie::{NodeId, Side, ATTRIBUTES, CHILDREN, DESCENDANTS, TEXTS};
use super::triggers::{Key, Kind, ACCEPT, CHECK, IS};
use super::values::ConstantId;
use super::Index;
use crate::learned::Learned;
use crate::lists::{growing, Growing};

pub struct Automaton {
    side: Side,
    version: u64,
    states: States,
    transitions: Transitions,
    fired: Vec<Fired>,
    texts: Texts,
    /// The trie nodes that fire together, apart from what follows: that is needed far more often.
    fired_nodes: Vec<Box<[NodeId]>>,
    /// Those who get nodes for their paths, and the version of these lists.
    accepted: Growing,
    accepted_version: u64,
    fired_by_nodes: HashTable<FiredId>,
    initial: FxHashMap<Box<str>, StateId>,
    /// Who is called for by a constant.
    called: Table<Known>,
    /// What has called for someone, by the nodes that fired, but for those who did so since this was asked for.
    callers: FxHashMap<NodeId, Vec<FiredId>>,
    new_callers: Vec<FiredId>,
    /// How many changes of the index are taken into account.
    changes: u64,
    kept: Kept,
    places: Places,
    /// Bytes of all that was learned, roughly.
    bytes: usize,
    /// Since this was last set to false.
    pub has_grown: bool,
    flushes: u64,
    /// There is something that only the document at hand may still refer to.
    has_leftovers: bool,
}

impl Automaton {
    pub fn new(side: Side) -> Automaton {
        Automaton {
            side,
            version: 0,
            states: States::default(),
            transitions: Transitions::default(),
            fired: Vec::new(),
            texts: Texts::default(),
            fired_nodes: Vec::new(),
            accepted: Growing::default(),
            accepted_version: 0,
            fired_by_nodes: HashTable::new(),
            initial: FxHashMap::default(),
            called: Table::default(),
            callers: FxHashMap::default(),
            new_callers: Vec::new(),
            changes: 0,
            kept: Kept::default(),
            places: Places::default(),
            bytes: 0,
            has_grown: false,
            flushes: 0,
            has_leftovers: false,
        }
    }

    #[inline]
    pub fn side(&self) -> Side {
        self.side
    }

    pub fn learned(&self) -> Learned {
        let &Automaton { bytes, flushes, .. } = self;
        Learned { states: self.states.len(), transitions: self.transitions.len(), bytes, flushes }
    }

    fn grow(&mut self, bytes: usize) {
        self.bytes += bytes;
        self.has_grown = true;
    }

    /// So many bytes more are remembered of what it gave away.
    #[inline]
    pub fn note_learned(&mut self, bytes: usize) {
        if bytes > 0 {
            self.grow(bytes);
        }
    }

    fn version_of(&self, index: &Index) -> u64 {
        let versions = index.versions();
        if self.side == Side::Settled {
            versions.settled
        } else {
            versions.recent
        }
    }

    /// Whether all that was learned is no longer so, or only of use to the last document.
    pub fn is_outdated(&self, index: &Index) -> bool {
        self.version != self.version_of(index) || self.has_leftovers
    }

    /// Forgets whom changed triggers called for.
    #[inline]
    pub fn follow(&mut self, index: &Index) {
        if self.changes != index.changes.count() {
            self.forget_changed(index);
        }
        self.texts.follow(index.versions.lists);
    }

    #[cold]
    fn forget_changed(&mut self, index: &Index) {
        let Automaton { called, callers, new_callers, fired_nodes, kept, .. } = self;
        match index.changes.after(self.changes) {
            Some(changed) => {
                for fired in new_callers.drain(..) {
                    let nodes = fired_nodes[fired as usize].iter();
                    nodes.for_each(|&node| callers.entry(node).or_default().push(fired));
                }
                for &Key { node, kind, constant } in changed {
                    for &fired in callers.get(&node).into_iter().flatten() {
                        let known = called.get_mut(call(fired, kind, constant));
                        kept.release(known.and_then(|known| std::mem::take(&mut known.called).groups()));
                    }
                }
            }
            None => {
                called.iter_mut().for_each(|known| kept.release(known.called.groups()));
                *called = Table::default();
            }
        }
        self.changes = index.changes.count();
    }

    /// Forgets everything.
    pub fn renew(&mut self, index: &Index) {
        self.version = self.version_of(index);
        self.changes = index.changes.count();
        self.forget_ways();
        self.fired.clear();
        self.texts.clear();
        self.fired_nodes.clear();
        self.accepted = Growing::default();
        self.kept.clear();
        self.places.clear();
        self.has_leftovers = false;
    }

    /// Forgets how states and what fires are found.
    fn forget_ways(&mut self) {
        self.states = States::default();
        self.transitions = Transitions::default();
        self.fired_by_nodes.clear();
        self.initial.clear();
        self.called = Table::default();
        self.callers.clear();
        self.new_callers.clear();
        self.bytes = 0;
    }

    /// Forgets everything but what was found so far, and gives what is still in use new numbers.
    pub fn flush(
        &mut self,
        index: &Index,
        states: &mut dyn Iterator<Item = &mut StateId>,
        fired: &mut dyn Iterator<Item = &mut FiredId>,
        found: &Found,
    ) {
        let old_states = std::mem::take(&mut self.states);
        self.forget_ways();
        self.flushes += 1;
        self.has_leftovers = true;
        for state in states {
            let State { lasting, next, attributes } = old_states.get(*state);
            let (lasting, bytes) = self.states.adopt(lasting);
            self.grow(bytes);
            let known = State { lasting, next: next.clone(), attributes: attributes.clone() };
            *state = self.intern(known, *state & FLAGS);
        }
        let fired: Vec<_> = fired.map(|fired| (self.fired_nodes[*fired as usize].to_vec(), fired)).collect();
        self.fired.iter_mut().for_each(|fired| *fired = Fired::default());
        self.texts.forget();
        self.fired_nodes.iter_mut().for_each(|nodes| *nodes = Box::default());
        self.kept.leave(&found.uses(self.side));
        for (nodes, fired) in fired {
            *fired = self.fire(index, nodes);
            self.list(index, *fired);
        }
    }

    /// The state of the document node of a stream.
    pub fn initial(&mut self, index: &Index, stream: &str) -> StateId {
        if let Some(&state) = self.initial.get(stream) {
            return state;
        }
        let roots = [index.roots.get(&None), index.roots.get(&Some(Box::from(stream)))];
        let roots: Vec<NodeId> = roots.into_iter().flatten().copied().collect();
        let (nothing, _) = self.states.lasting(None, Box::default(), |_| Box::default());
        let state = self.below(index, &nothing, &roots);
        self.initial.insert(stream.into(), state);
        state
    }

    /// The transition for a child: where it leads, and what fires.
    #[inline]
    pub fn child(&mut self, index: &Index, symbols: &Symbols, state: StateId, symbol: Symbol) -> (StateId, FiredId) {
        match self.transitions.child(state, symbol) {
            Some(edge) => edge,
            None => self.learn_child(index, symbols, state, symbol),
        }
    }

    /// Brings near where it leads to, if that is known.
    #[inline]
    pub fn bring_below(&self, state: StateId, symbol: Symbol) {
        if let Some((to, _)) = self.transitions.child(state, symbol) {
            self.transitions.bring(to);
        }
    }

    /// What fires for an attribute of the element whose state this is.
    #[inline]
    pub fn attribute(&mut self, index: &Index, symbols: &Symbols, state: StateId, symbol: Symbol) -> FiredId {
        match self.transitions.attribute(state, symbol) {
            Some(fired) => fired,
            None => self.learn_attribute(index, symbols, state, symbol),
        }
    }

    /// What fires for a text node in the element whose state this is.
    #[inline]
    pub fn text(&mut self, index: &Index, symbols: &Symbols, state: StateId) -> FiredId {
        match self.transitions.text(state) {
            Some(fired) => fired,
            None => self.learn_text(index, symbols, state),
        }
    }

    #[cold]
    fn learn_text(&mut self, index: &Index, symbols: &Symbols, state: StateId) -> FiredId {
        let fired = self.child(index, symbols, state, TEXT_SYMBOL).1;
        self.transitions.set_text(state, fired);
        fired
    }

    #[cold]
    fn learn_child(&mut self, index: &Index, symbols: &Symbols, state: StateId, symbol: Symbol) -> (StateId, FiredId) {
        let State { lasting, next, .. } = self.states.get(state);
        let mut reached = Vec::new();
        for &test in symbols.passed(symbol) {
            reached.extend(lasting.of_test(test));
            index.trie.add_children(Axis::Child, test, next, &mut reached);
        }
        let lasting = lasting.clone();
        let to = self.below(index, &lasting, &reached);
        let fired = self.fire(index, reached);
        self.transitions.add_child(state, symbol, to, fired);
        self.grow(transitions::BYTES);
        (to, fired)
    }

    #[cold]
    fn learn_attribute(&mut self, index: &Index, symbols: &Symbols, state: StateId, symbol: Symbol) -> FiredId {
        let attributes = &self.states.get(state).attributes;
        let mut reached = Vec::new();
        for &test in symbols.passed(symbol) {
            index.trie.add_children(Axis::Attribute, test, attributes, &mut reached);
        }
        let fired = self.fire(index, reached);
        self.transitions.add_attribute(state, symbol, fired);
        self.grow(transitions::BYTES);
        fired
    }

    /// The state below nodes that were reached.
    fn below(&mut self, index: &Index, lasting: &Arc<Lasting>, reached: &[NodeId]) -> StateId {
        let (mut lasts, mut next, mut attributes) = (Vec::new(), Vec::new(), Vec::new());
        let (side, mut has_text) = (self.side, false);
        for &node in reached {
            let onward = index.trie.onward(side, node);
            has_text |= onward & TEXTS != 0;
            if onward & CHILDREN != 0 {
                next.push(node);
            }
            if onward & ATTRIBUTES != 0 {
                attributes.push(node);
            }
            if onward & DESCENDANTS != 0 && !lasting.contains(node) {
                lasts.push(node);
            }
        }
        let (next, attributes) = (in_order(next), in_order(attributes));
        let lasting = if lasts.is_empty() {
            Arc::clone(lasting)
        } else {
            let descendants = |nodes: &[NodeId]| {
                let steps = nodes.iter().flat_map(|&node| index.trie.descendants(side, node));
                in_order(steps.map(ranked).collect())
            };
            let (lasting, bytes) = self.states.lasting(Some(Arc::clone(lasting)), in_order(lasts), descendants);
            self.grow(bytes);
            lasting
        };
        has_text |= [NODE, TEXT].iter().any(|&test| lasting.of_test(test).next().is_some());
        let flags = if attributes.is_empty() { 0 } else { HAS_ATTRIBUTES } | if has_text { HAS_TEXT } else { 0 };
        self.intern(State { lasting, next, attributes }, flags)
    }

    fn intern(&mut self, state: State, flags: StateId) -> StateId {
        let bytes = state.bytes();
        let (state, is_new) = self.states.intern(state, flags);
        if is_new {
            self.grow(bytes);
            self.transitions.add_state();
        }
        state
    }

    fn fire(&mut self, index: &Index, reached: Vec<NodeId>) -> FiredId {
        let mut nodes: Vec<NodeId> = reached.into_iter().filter(|&node| index.trie.fires(self.side, node)).collect();
        if nodes.is_empty() {
            return NOTHING;
        }
        nodes.sort_unstable();
        let hash = |nodes: &[NodeId]| FxBuildHasher.hash_one(nodes);
        let known = self.fired_by_nodes.find(hash(&nodes), |&known| *self.fired_nodes[known as usize] == *nodes);
        if let Some(&known) = known {
            return known;
        }
        let fired = self.fired.len() as FiredId;
        self.grow(128 + 4 * nodes.len());
        self.fired.push(Fired { version: u64::MAX, ..Fired::default() });
        self.texts.add();
        self.fired_nodes.push(nodes.into());
        let fired_nodes = &self.fired_nodes;
        let rehash = |&fired: &FiredId| hash(&fired_nodes[fired as usize]);
        self.fired_by_nodes.insert_unique(rehash(&fired), fired, rehash);
        fired
    }

    /// What a node sets off by its being there.
    #[inline]
    pub fn effects(&mut self, index: &Index, fired: FiredId) -> Effects {
        if self.texts.are_all(fired) {
            return Effects { kinds: IS, ..Effects::default() };
        }
        match self.fired[fired as usize] {
            Fired { version, effects, .. } if version == index.versions.lists => effects,
            _ => {
                self.list(index, fired);
                self.fired[fired as usize].effects
            }
        }
    }

    #[cold]
    fn list(&mut self, index: &Index, number: FiredId) {
        if self.accepted_version != index.versions.lists {
            // No list of another version will be asked for again, but by those who hold it.
            self.accepted = Growing::default();
            self.accepted_version = index.versions.lists;
        }
        let nodes = &self.fired_nodes[number as usize];
        let kinds = nodes.iter().fold(0, |kinds, &node| kinds | index.trie.kinds(node));
        let hints = nodes.iter().fold(0, |hints, &node| hints | index.trie.hints(node));
        let plans = index.plans_of(&index.triggers_at(nodes, ACCEPT, 0));
        let mut accepted: Vec<Slot> = plans.iter().flat_map(|&plan| index.plans.slots(plan)).copied().collect();
        accepted.sort_unstable();
        accepted.dedup();
        let checked = Triggers { triggers: index.triggers_at(nodes, CHECK, 0), version: index.versions.lists };
        self.kept.release(self.fired[number as usize].effects.checks);
        let (checks, bytes) = self.kept.keep(index, checked, &mut self.places);
        self.grow(4 * accepted.len() + bytes);
        let accepted = match *accepted {
            [] => None,
            [slot] => Some(Given::One(slot)),
            _ => {
                let (count, place) = (accepted.len() as u32, self.accepted.push(accepted.into()));
                Some(Given::All(growing(self.side as usize, place as u32), count))
            }
        };
        let effects = Effects { accepted, checks, kinds };
        let asks_text_only = kinds == IS && accepted.is_none() && checks.is_none();
        let fired = &mut self.fired[number as usize];
        *fired = Fired { version: index.versions.lists, hints, effects, ..*fired };
        self.texts.set(number, if asks_text_only { hints } else { 0 });
    }

    /// Those who get nodes for their paths.
    pub fn accepted(&self) -> &Growing {
        &self.accepted
    }

    #[inline(always)]
    pub fn may_fire(&self, index: &Index, fired: FiredId, value: &[u8]) -> May {
        self.texts.may_fire(fired, value, index.asked.longest)
    }

    /// Whether a constant with this hint may call for someone.
    #[inline]
    pub fn may_call(&self, fired: FiredId, hint: Hints) -> bool {
        self.fired[fired as usize].hints & hint != 0
    }

    /// Who is called for by a constant.
    #[inline]
    pub fn called(&mut self, index: &Index, fired: FiredId, (kind, constant): (Kind, ConstantId)) -> Called {
        match self.called.get(call(fired, kind, constant)) {
            Some(Known { called, .. }) if called.is_known() => *called,
            _ => self.learn_called(index, fired, kind, constant),
        }
    }

    /// Brings near what is known of that.
    #[inline]
    pub fn bring_called(&self, fired: FiredId, kind: Kind, constant: ConstantId) {
        self.called.bring(call(fired, kind, constant));
    }

    /// Finds out who is called for at any of the nodes that fired.
    #[cold]
    fn learn_called(&mut self, index: &Index, fired: FiredId, kind: Kind, constant: ConstantId) -> Called {
        let nodes = &self.fired_nodes[fired as usize];
        if !std::mem::replace(&mut self.fired[fired as usize].has_called, true) {
            self.new_callers.push(fired);
        }
        let triggers = Triggers { triggers: index.triggers_at(nodes, kind, constant), version: 0 };
        let (groups, bytes) = self.kept.keep(index, triggers, &mut self.places);
        self.grow(64 + bytes);
        let called = groups.map_or(Called::NO_ONE, |groups| self.kept.called(groups));
        let call = call(fired, kind, constant);
        match self.called.get_mut(call) {
            Some(known) => known.called = called,
            None => {
                self.called.add(Known { call, called });
            }
        }
        called
    }

    /// What it gave away by number.
    #[inline]
    pub fn kept(&self) -> &Kept {
        &self.kept
    }

    /// Forgets what spots of another generation have told.
    #[inline]
    pub fn follow_spots(&mut self, generation: u32) {
        self.kept.follow_spots(generation);
    }

    pub fn places(&self) -> &Places {
        &self.places
    }

    /// The bounds of ranges that a number lies in, each with its kind once.
    pub fn ranges(&self, index: &Index, fired: FiredId, kinds: Kind, value: f64) -> Vec<(Kind, ConstantId)> {
        let nodes = self.fired_nodes[fired as usize].iter();
        let triggers = nodes.flat_map(|&node| index.triggers.in_range(node, kinds & index.trie.kinds(node), value));
        let keys = triggers.map(|trigger| index.triggers.key(trigger));
        let mut bounds: Vec<_> = keys.map(|key| (key.kind, key.constant)).collect();
        bounds.sort_unstable();
        bounds.dedup();
        bounds
    }
}

fn in_order<T: Ord>(mut numbers: Vec<T>) -> Box<[T]> {
    numbers.sort_unstable();
    numbers.into()
}
