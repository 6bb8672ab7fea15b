//! Where an automaton goes from a state, by symbol.
//!
//! What is learned of one state lies together: the attributes and children of an element are found near each other.

use super::effects::FiredId;
use super::states::StateId;
use super::table::{Entry, Table};
use super::tests::Symbol;

/// The transitions of one state.
#[derive(Default)]
pub struct Row {
    edges: Table<Edge>,
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

impl Entry for Edge {
    const FREE: u64 = u32::MAX as u64;

    fn free() -> Edge {
        Edge { of: u32::MAX, fired: 0, to: 0 }
    }

    #[inline(always)]
    fn key(&self) -> u64 {
        u64::from(self.of)
    }
}

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
        self.edges.get(of_child(symbol).into()).map(|edge| (edge.to, edge.fired))
    }

    /// What an attribute fires.
    #[inline]
    pub fn attribute(&self, symbol: Symbol) -> Option<FiredId> {
        self.edges.get(of_attribute(symbol).into()).map(|edge| edge.fired)
    }

    pub fn add_child(&mut self, symbol: Symbol, to: StateId, fired: FiredId) {
        self.edges.add(Edge { of: of_child(symbol), fired, to });
    }

    pub fn add_attribute(&mut self, symbol: Symbol, fired: FiredId) {
        self.edges.add(Edge { of: of_attribute(symbol), fired, to: 0 });
    }

    /// Brings near what is looked up in it.
    #[inline]
    pub fn bring(&self) {
        self.edges.bring_all();
    }

    pub fn len(&self) -> usize {
        self.edges.len()
    }
}
