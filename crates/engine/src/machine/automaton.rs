//! One lazily determinised automaton over the steps of all subscriptions.
//!
//! A state is the set of steps that may match among the children of an open element. It says only which
//! steps *can* match by structure; whether a step has a valid context is asked at run time. States and
//! transitions are made when a document first needs them and thrown away together when there are too many.

use rustc_hash::FxHashMap;

use super::program::StepAxis;
use super::set::{Consequence, NodeTest, Output, Set, StepId, DOCUMENT};
use super::symbols::{Symbol, Symbols};

pub type StateId = u32;
pub type EdgeId = u32;

/// A step that may match below an element: among its children only, or at any depth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Item {
    step: StepId,
    any_depth: bool,
}

struct State {
    items: Box<[Item]>,
    /// By symbol; `UNKNOWN` until first needed.
    edges: Vec<EdgeId>,
    text: Box<[StepId]>,
    comment: Box<[StepId]>,
    instruction: Box<[StepId]>,
}

struct Edge {
    next: StateId,
    only: Option<Only>,
    matched: Box<[StepId]>,
}

/// What an edge comes to that matches one step only, if that means no more than that an output gets the element.
#[derive(Clone, Copy)]
pub struct Only {
    /// The step whose match on the parent or, at any depth, on an ancestor is asked for.
    pub from: StepId,
    pub any_depth: bool,
    pub output: Output,
}

const UNKNOWN: EdgeId = EdgeId::MAX;

/// Default for the number of states kept.
pub const MAX_STATES: usize = 65_536;

#[derive(Default)]
pub struct Automaton {
    states: Vec<State>,
    edges: Vec<Edge>,
    by_items: FxHashMap<Box<[Item]>, StateId>,
    pub symbols: Symbols,
    pub flushes: u64,
}

impl Automaton {
    pub fn states(&self) -> usize {
        self.states.len()
    }

    pub fn transitions(&self) -> usize {
        self.edges.len()
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
    pub fn known(&self, state: StateId, symbol: Symbol) -> Option<EdgeId> {
        self.states[state as usize].edges.get(symbol as usize).copied().filter(|&edge| edge != UNKNOWN)
    }

    /// The state that a transition leads to, and the steps that it matches.
    #[inline]
    pub fn edge(&self, edge: EdgeId) -> (StateId, &[StepId]) {
        let Edge { next, matched, .. } = &self.edges[edge as usize];
        (*next, matched)
    }

    /// What the transition comes to, if it is that simple.
    #[inline]
    pub fn only(&self, edge: EdgeId) -> Option<Only> {
        self.edges[edge as usize].only
    }

    pub fn text(&self, state: StateId) -> &[StepId] {
        &self.states[state as usize].text
    }

    pub fn comment(&self, state: StateId) -> &[StepId] {
        &self.states[state as usize].comment
    }

    pub fn instruction(&self, state: StateId) -> &[StepId] {
        &self.states[state as usize].instruction
    }

    /// Forgets all states and gives the open ones new numbers.
    pub fn flush(&mut self, set: &Set, open: &mut dyn Iterator<Item = &mut StateId>) {
        let old = std::mem::take(&mut self.states);
        self.edges.clear();
        self.by_items.clear();
        self.flushes += 1;
        for state in open {
            *state = self.intern(set, old[*state as usize].items.to_vec());
        }
    }

    /// The transition for an element, taken for the first time.
    #[cold]
    pub fn learn(&mut self, set: &Set, state: StateId, symbol: Symbol) -> EdgeId {
        let symbols = &self.symbols;
        let items = &self.states[state as usize].items;
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
        let edge = self.edges.len() as EdgeId;
        self.edges.push(Edge { next, only: only(set, &matched), matched: matched.into_boxed_slice() });
        let edges = &mut self.states[state as usize].edges;
        if edges.len() <= symbol as usize {
            edges.resize(symbol as usize + 1, UNKNOWN);
        }
        edges[symbol as usize] = edge;
        edge
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
        let state = self.states.len() as StateId;
        let leaves = |wanted: fn(&NodeTest) -> bool| {
            let matches = |step: StepId| wanted(&set.step(step).test);
            with_self_steps(set, items.iter().map(|item| item.step).filter(|&step| matches(step)), matches)
                .into_boxed_slice()
        };
        self.states.push(State {
            text: leaves(|test| matches!(test, NodeTest::Text | NodeTest::Node)),
            comment: leaves(|test| matches!(test, NodeTest::Comment | NodeTest::Node)),
            instruction: leaves(|test| matches!(test, NodeTest::Instruction(_) | NodeTest::Node)),
            edges: Vec::new(),
            items: items.clone(),
        });
        self.by_items.insert(items, state);
        state
    }
}

fn only(set: &Set, matched: &[StepId]) -> Option<Only> {
    let &[step] = matched else { return None };
    let step = set.step(step);
    match (&step.consequence, step.axis) {
        (&Consequence::Delivered(output), StepAxis::Child) => Some(Only { from: step.from, any_depth: false, output }),
        (&Consequence::Delivered(output), StepAxis::Descendant) => {
            Some(Only { from: step.from, any_depth: true, output })
        }
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
