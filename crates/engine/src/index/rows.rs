//! Where an automaton goes from a state, by symbol.
//!
//! What is learned of one state lies together: the attributes and children of an element are found near each other.

use super::automaton::{FiredId, StateId};
use super::tests::Symbol;

/// The transitions of one state.
#[derive(Default)]
pub struct Row {
    /// In order of what they are for.
    edges: Vec<Edge>,
    /// What text nodes fire, once that is known.
    pub text: Option<FiredId>,
}

#[derive(Clone, Copy)]
struct Edge {
    /// The symbol, and whether it is that of an attribute.
    of: u32,
    fired: FiredId,
    /// Means nothing to attributes.
    to: StateId,
}

/// Up to so many are looked through one by one.
const FEW: usize = 8;

fn of_child(symbol: Symbol) -> u32 {
    symbol << 1
}

fn of_attribute(symbol: Symbol) -> u32 {
    symbol << 1 | 1
}

impl Row {
    /// Where a child leads, and what it fires.
    #[inline]
    pub fn child(&self, symbol: Symbol) -> Option<(StateId, FiredId)> {
        self.find(of_child(symbol)).map(|edge| (edge.to, edge.fired))
    }

    /// What an attribute fires.
    #[inline]
    pub fn attribute(&self, symbol: Symbol) -> Option<FiredId> {
        self.find(of_attribute(symbol)).map(|edge| edge.fired)
    }

    pub fn add_child(&mut self, symbol: Symbol, to: StateId, fired: FiredId) {
        self.add(Edge { of: of_child(symbol), fired, to });
    }

    pub fn add_attribute(&mut self, symbol: Symbol, fired: FiredId) {
        self.add(Edge { of: of_attribute(symbol), fired, to: 0 });
    }

    fn add(&mut self, edge: Edge) {
        let place = self.edges.partition_point(|known| known.of < edge.of);
        self.edges.insert(place, edge);
    }

    #[inline]
    fn find(&self, of: u32) -> Option<&Edge> {
        if self.edges.len() <= FEW {
            return self.edges.iter().find(|edge| edge.of == of);
        }
        self.edges.binary_search_by_key(&of, |edge| edge.of).ok().map(|place| &self.edges[place])
    }

    pub fn len(&self) -> usize {
        self.edges.len()
    }
}
