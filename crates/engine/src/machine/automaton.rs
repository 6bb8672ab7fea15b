//! One lazily determinised automaton over the steps of all subscriptions.
//!
//! A state is the set of steps that may match among the children of an open element. It says only which
//! steps *can* match by structure; whether a step has a valid context is asked at run time. States and
//! transitions are made when a document first needs them and thrown away together when there are too many.

use rustc_hash::FxHashMap;

use super::local::Decided;
use super::program::StepAxis;
use super::set::{Consequence, NodeTest, Output, Set, StepId, DOCUMENT};
use super::symbols::{Symbol, Symbols};
use crate::learned::Learned;

/// Which one, and whether it [`has_text`].
pub type StateId = u32;

/// What a transition that matches steps comes to.
pub type EdgeId = u32;

const TEXT: StateId = 1 << 31;

/// Whether a step may match text nodes among the children.
#[inline]
pub fn has_text(state: StateId) -> bool {
    state & TEXT != 0
}

#[inline]
fn place(state: StateId) -> usize {
    (state & !TEXT) as usize
}

/// A step that may match below an element: among its children only, or at any depth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Item {
    step: StepId,
    any_depth: bool,
}

struct State {
    items: Box<[Item]>,
    /// By symbol; `UNKNOWN` until first needed.
    transitions: Vec<Transition>,
    text: Box<[StepId]>,
    comment: Box<[StepId]>,
    instruction: Box<[StepId]>,
}

/// Where an element leads to, and the steps that match it.
#[derive(Clone, Copy)]
pub struct Transition {
    pub next: StateId,
    pub edge: EdgeId,
}

struct Edge {
    only: Option<Only>,
    matched: Box<[StepId]>,
}

/// What an edge comes to that matches one step only, if that is simple.
#[derive(Clone, Copy)]
pub enum Only {
    /// An output gets the element, if the step `from` matches its parent or, at any depth, an ancestor.
    Selects { from: StepId, any_depth: bool, output: Output },
    /// A match tells someone, and the element's value decides whether it is one.
    Asks(StepId),
}

const UNKNOWN: Transition = Transition { next: 0, edge: EdgeId::MAX };

/// No step matches.
pub const NO_STEPS: EdgeId = EdgeId::MAX - 1;

#[derive(Default)]
pub struct Automaton {
    states: Vec<State>,
    edges: Vec<Edge>,
    transitions: usize,
    /// Of all states and transitions, roughly.
    bytes: usize,
    by_items: FxHashMap<Box<[Item]>, StateId>,
    pub symbols: Symbols,
    flushes: u64,
}

impl Automaton {
    pub fn learned(&self) -> Learned {
        let &Automaton { transitions, bytes, flushes, .. } = self;
        Learned { states: self.states.len(), transitions, bytes, flushes }
    }

    /// The state of the document node.
    pub fn initial(&mut self, set: &Set) -> StateId {
        let mut items = Vec::new();
        for step in
            with_self_steps(set, std::iter::once(DOCUMENT), |step| matches!(set.step(step).test, NodeTest::Node))
        {
            add_children(set, step, &mut items);
        }
        for (id, step) in set.steps.iter().enumerate().skip(1) {
            if step.axis == StepAxis::Following {
                items.push(Item { step: id as StepId, any_depth: true });
            }
        }
        self.intern(set, items)
    }

    /// The transition for an element, if it was taken before.
    #[inline]
    pub fn known(&self, state: StateId, symbol: Symbol) -> Option<Transition> {
        let transitions = &self.states[place(state)].transitions;
        transitions.get(symbol as usize).copied().filter(|known| known.edge != UNKNOWN.edge)
    }

    /// The steps that a transition matches.
    #[inline]
    pub fn matched(&self, edge: EdgeId) -> &[StepId] {
        self.edges.get(edge as usize).map_or(&[], |edge| &edge.matched)
    }

    /// What the transition comes to, if it is that simple.
    #[inline]
    pub fn only(&self, edge: EdgeId) -> Option<Only> {
        self.edges.get(edge as usize)?.only
    }

    pub fn text(&self, state: StateId) -> &[StepId] {
        &self.states[place(state)].text
    }

    pub fn comment(&self, state: StateId) -> &[StepId] {
        &self.states[place(state)].comment
    }

    pub fn instruction(&self, state: StateId) -> &[StepId] {
        &self.states[place(state)].instruction
    }

    /// Forgets all states and gives the open ones new numbers.
    pub fn flush(&mut self, set: &Set, open: &mut dyn Iterator<Item = &mut StateId>) {
        let old = std::mem::take(&mut self.states);
        self.edges.clear();
        self.transitions = 0;
        self.bytes = 0;
        self.by_items.clear();
        self.flushes += 1;
        for state in open {
            *state = self.intern(set, old[place(*state)].items.to_vec());
        }
    }

    /// The transition for an element, taken for the first time.
    #[cold]
    pub fn learn(&mut self, set: &Set, state: StateId, symbol: Symbol) -> Transition {
        let symbols = &self.symbols;
        let items = &self.states[place(state)].items;
        let matches = |step: StepId| match set.step(step).test {
            NodeTest::Name(test) => symbols.passes(symbol, test),
            NodeTest::Node => true,
            _ => false,
        };
        let matched = with_self_steps(set, items.iter().map(|item| item.step).filter(|&step| matches(step)), matches);
        let mut below: Vec<Item> = items.iter().filter(|item| item.any_depth).copied().collect();
        for &step in &matched {
            add_children(set, step, &mut below);
        }
        let next = self.intern(set, below);
        let edge = if matched.is_empty() { NO_STEPS } else { self.edges.len() as EdgeId };
        if !matched.is_empty() {
            self.bytes += size_of::<Edge>() + size_of_val(&*matched);
            self.edges.push(Edge { only: only(set, &matched), matched: matched.into_boxed_slice() });
        }
        self.transitions += 1;
        let transitions = &mut self.states[place(state)].transitions;
        if let Some(more) = (symbol as usize + 1).checked_sub(transitions.len()) {
            self.bytes += more * size_of::<Transition>();
            transitions.resize(symbol as usize + 1, UNKNOWN);
        }
        transitions[symbol as usize] = Transition { next, edge };
        transitions[symbol as usize]
    }

    fn intern(&mut self, set: &Set, mut items: Vec<Item>) -> StateId {
        add_sibling_steps(set, &mut items);
        items.sort_unstable();
        // Any depth includes the children: the weaker item is left out.
        items.dedup_by(|next, kept| {
            next.step == kept.step && {
                kept.any_depth |= next.any_depth;
                true
            }
        });
        let items = items.into_boxed_slice();
        if let Some(&state) = self.by_items.get(&items) {
            return state;
        }
        let leaves = |wanted: fn(&NodeTest) -> bool| {
            let matches = |step: StepId| wanted(&set.step(step).test);
            with_self_steps(set, items.iter().map(|item| item.step).filter(|&step| matches(step)), matches)
                .into_boxed_slice()
        };
        let text = leaves(|test| matches!(test, NodeTest::Text | NodeTest::Node));
        let state = self.states.len() as StateId | if text.is_empty() { 0 } else { TEXT };
        let (comment, instruction) = (
            leaves(|test| matches!(test, NodeTest::Comment | NodeTest::Node)),
            leaves(|test| matches!(test, NodeTest::Instruction(_) | NodeTest::Node)),
        );
        // The items are there twice.
        self.bytes += size_of::<(State, Box<[Item]>, StateId)>() + 2 * size_of_val(&*items);
        self.bytes += [&text, &comment, &instruction].iter().map(|steps| size_of_val(&***steps)).sum::<usize>();
        self.states.push(State { text, comment, instruction, transitions: Vec::new(), items: items.clone() });
        self.by_items.insert(items, state);
        state
    }
}

fn only(set: &Set, matched: &[StepId]) -> Option<Only> {
    let &[id] = matched else { return None };
    let step = set.step(id);
    let any_depth = step.axis == StepAxis::Descendant;
    match step.consequence {
        Consequence::Delivered(output) if any_depth || step.axis == StepAxis::Child => {
            Some(Only::Selects { from: step.from, any_depth, output })
        }
        _ if step.bit.is_some() && matches!(step.decided, Decided::Value(_)) => Some(Only::Asks(id)),
        _ => None,
    }
}

/// The steps that can follow below a node matched by `step`.
fn add_children(set: &Set, step: StepId, items: &mut Vec<Item>) {
    for &child in &set.step(step).children {
        match set.step(child).axis {
            StepAxis::Child => items.push(Item { step: child, any_depth: false }),
            StepAxis::Descendant | StepAxis::DescendantOrSelf => items.push(Item { step: child, any_depth: true }),
            StepAxis::FollowingSibling | StepAxis::Following | StepAxis::Attribute | StepAxis::SelfAxis => {}
        }
    }
}

/// Wherever a step may match, its `following-sibling` steps may match too.
fn add_sibling_steps(set: &Set, items: &mut Vec<Item>) {
    let mut next = 0;
    while next < items.len() {
        let item = items[next];
        next += 1;
        for &child in &set.step(item.step).children {
            let add = match set.step(child).axis {
                StepAxis::FollowingSibling => Item { step: child, any_depth: item.any_depth },
                // May match the same element, whose siblings are then asked.
                StepAxis::DescendantOrSelf => {
                    let mut below = Vec::new();
                    sibling_steps_of(set, child, item.any_depth, &mut below);
                    items.extend(below.into_iter().filter(|new| !items.contains(new)).collect::<Vec<_>>());
                    continue;
                }
                _ => continue,
            };
            if !items.contains(&add) {
                items.push(add);
            }
        }
    }
}

fn sibling_steps_of(set: &Set, step: StepId, any_depth: bool, items: &mut Vec<Item>) {
    for &child in &set.step(step).children {
        match set.step(child).axis {
            StepAxis::FollowingSibling => items.push(Item { step: child, any_depth }),
            StepAxis::DescendantOrSelf => sibling_steps_of(set, child, any_depth, items),
            _ => {}
        }
    }
}

/// Adds to the matched steps those that a `descendant-or-self` step matches on the same node, in ascending order.
fn with_self_steps(set: &Set, matched: impl Iterator<Item = StepId>, matches: impl Fn(StepId) -> bool) -> Vec<StepId> {
    let mut all: Vec<StepId> = matched.collect();
    let mut next = 0;
    while next < all.len() {
        for &child in &set.step(all[next]).children {
            if matches!(set.step(child).axis, StepAxis::DescendantOrSelf | StepAxis::SelfAxis) && matches(child) {
                all.push(child);
            }
        }
        next += 1;
    }
    all.sort_unstable();
    all.dedup();
    all
}
