//! Where an automaton goes from its states, by symbol.
//!
//! What is learned of one state lies together, and that of all states in one piece of memory: it is looked up at every tag, so
//! that it matters how much of it a processor keeps near.

use super::effects::FiredId;
use super::states::{place, StateId};
use super::tests::Symbol;
use crate::near::bring_lines;

pub struct Transitions {
    states: Vec<Row>,
    edges: Vec<Edge>,
    /// Parts of the edges that states have grown out of, by the logarithm of their size.
    free: Vec<Vec<u32>>,
    used: usize,
}

/// Of one state.
#[derive(Clone, Copy)]
struct Row {
    /// Where its edges are; each is at the place that its key tells, or after it.
    start: u32,
    /// One less than their number, which is a power of two; at least half are free: most are found where they are looked for first.
    mask: u32,
    used: u32,
    text: FiredId,
}

#[derive(Clone, Copy)]
struct Edge {
    /// The symbol, and whether it is that of an attribute.
    of: u32,
    fired: FiredId,
    /// Means nothing to attributes.
    to: StateId,
}

const FREE: Edge = Edge { of: u32::MAX, fired: 0, to: 0 };
/// A state of which nothing is known yet has the first edge, which stays free.
const NEW: Row = Row { start: 0, mask: 0, used: 0, text: UNKNOWN };
const UNKNOWN: FiredId = FiredId::MAX - 1;
const SMALLEST: u32 = 4;
/// So many lines of memory are brought near before it is known which are looked at.
const LINES: usize = 3;

/// What a transition takes, roughly: half of its row or more is free, and smaller ones were left for it.
pub const BYTES: usize = 4 * size_of::<Edge>();

fn of_child(symbol: Symbol) -> u32 {
    symbol << 1
}

fn of_attribute(symbol: Symbol) -> u32 {
    symbol << 1 | 1
}

/// Where an edge is looked for first, before it is known how many there are.
#[inline(always)]
fn hash(of: u32) -> u32 {
    (u64::from(of).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) as u32
}

impl Default for Transitions {
    fn default() -> Transitions {
        Transitions { states: Vec::new(), edges: vec![FREE], free: Vec::new(), used: 0 }
    }
}

impl Transitions {
    /// The next state is new.
    pub fn add_state(&mut self) {
        self.states.push(NEW);
    }

    /// How many are known.
    pub fn len(&self) -> usize {
        self.used
    }

    #[inline(always)]
    fn find(&self, state: StateId, of: u32) -> Option<&Edge> {
        let Row { start, mask, .. } = self.states[place(state)];
        let mut at = hash(of) & mask;
        loop {
            let edge = &self.edges[(start + at) as usize];
            if edge.of == of {
                return Some(edge);
            }
            if edge.of == FREE.of {
                return None;
            }
            at = (at + 1) & mask;
        }
    }

    /// Where a child leads, and what it fires.
    #[inline(always)]
    pub fn child(&self, state: StateId, symbol: Symbol) -> Option<(StateId, FiredId)> {
        self.find(state, of_child(symbol)).map(|edge| (edge.to, edge.fired))
    }

    /// What an attribute fires.
    #[inline(always)]
    pub fn attribute(&self, state: StateId, symbol: Symbol) -> Option<FiredId> {
        self.find(state, of_attribute(symbol)).map(|edge| edge.fired)
    }

    /// What text nodes fire.
    #[inline(always)]
    pub fn text(&self, state: StateId) -> Option<FiredId> {
        Some(self.states[place(state)].text).filter(|&fired| fired != UNKNOWN)
    }

    pub fn add_child(&mut self, state: StateId, symbol: Symbol, to: StateId, fired: FiredId) {
        self.add(state, Edge { of: of_child(symbol), fired, to });
    }

    pub fn add_attribute(&mut self, state: StateId, symbol: Symbol, fired: FiredId) {
        self.add(state, Edge { of: of_attribute(symbol), fired, to: 0 });
    }

    pub fn set_text(&mut self, state: StateId, fired: FiredId) {
        self.states[place(state)].text = fired;
    }

    /// Brings near what is known of a state.
    #[inline(always)]
    pub fn bring(&self, state: StateId) {
        bring_lines(&self.edges, self.states[place(state)].start as usize, LINES);
    }

    fn add(&mut self, state: StateId, edge: Edge) {
        let row = self.states[place(state)];
        if (row.used + 1) * 2 > row.mask + 1 {
            self.enlarge(state);
        }
        self.put(state, edge);
        self.used += 1;
    }

    fn enlarge(&mut self, state: StateId) {
        let Row { start, mask, text, .. } = self.states[place(state)];
        let (size, larger) = (mask + 1, SMALLEST.max(2 * (mask + 1)));
        let of_size = larger.trailing_zeros() as usize;
        self.free.resize(self.free.len().max(of_size + 1), Vec::new());
        let new = self.free[of_size].pop().unwrap_or_else(|| {
            self.edges.resize(self.edges.len() + larger as usize, FREE);
            self.edges.len() as u32 - larger
        });
        self.states[place(state)] = Row { start: new, mask: larger - 1, used: 0, text };
        if start == NEW.start {
            return;
        }
        for place in start..start + size {
            let edge = std::mem::replace(&mut self.edges[place as usize], FREE);
            if edge.of != FREE.of {
                self.put(state, edge);
            }
        }
        self.free[size.trailing_zeros() as usize].push(start);
    }

    /// Puts an edge where there is room for it.
    fn put(&mut self, state: StateId, edge: Edge) {
        let row = &mut self.states[place(state)];
        row.used += 1;
        let mut at = hash(edge.of) & row.mask;
        while self.edges[(row.start + at) as usize].of != FREE.of {
            at = (at + 1) & row.mask;
        }
        self.edges[(row.start + at) as usize] = edge;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_state_has_its_own_transitions() {
        let mut transitions = Transitions::default();
        let count = |state: StateId| state * state % 50;
        (0..40).for_each(|_| transitions.add_state());
        for symbol in 0..50 {
            for state in (0..40).filter(|&state| symbol < count(state)) {
                assert_eq!(transitions.child(state, symbol), None);
                transitions.add_child(state, symbol, state + symbol, symbol);
                transitions.add_attribute(state, symbol, state);
            }
        }
        for (state, symbol) in (0..40).flat_map(|state| (0..50).map(move |symbol| (state, symbol))) {
            let is_there = symbol < count(state);
            assert_eq!(transitions.child(state, symbol), is_there.then_some((state + symbol, symbol)));
            assert_eq!(transitions.attribute(state, symbol), is_there.then_some(state));
        }
        let all: u32 = (0..40).map(count).sum();
        assert_eq!(transitions.len(), 2 * all as usize);
        assert_eq!(transitions.text(3), None);
        transitions.set_text(3, 8);
        assert_eq!((transitions.text(3), transitions.text(4)), (Some(8), None));
    }

    #[test]
    fn what_states_grow_out_of_is_used_again() {
        let mut transitions = Transitions::default();
        (0..100).for_each(|_| transitions.add_state());
        for state in 0..100 {
            (0..12).for_each(|symbol| transitions.add_child(state, symbol, 0, 0));
        }
        // A row of 32 each; of 4, 8 and 16 one.
        assert_eq!(transitions.edges.len(), 1 + 100 * 32 + 4 + 8 + 16);
    }
}
