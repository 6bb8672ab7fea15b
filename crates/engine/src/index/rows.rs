//! Where an automaton goes from a state, by symbol.
//!
//! What is learned of one state lies together: the attributes and children of an element are found near each other.

use super::automaton::FiredId;
use super::states::StateId;
use super::tests::Symbol;

/// The transitions of one state: a table in which each is at the place that its symbol tells, or next to it.
#[derive(Default)]
pub struct Row {
    /// At least half of them are free; their number is a power of two.
    edges: Vec<Edge>,
    used: usize,
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

const FREE: Edge = Edge { of: u32::MAX, fired: 0, to: 0 };

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
        self.used += 1;
        if self.edges.len() < 2 * self.used {
            let larger = vec![FREE; (2 * self.used).next_power_of_two()];
            let known = std::mem::replace(&mut self.edges, larger);
            known.into_iter().filter(|edge| edge.of != FREE.of).for_each(|edge| self.put(edge));
        }
        self.put(edge);
    }

    fn put(&mut self, edge: Edge) {
        let mut place = self.place(edge.of);
        while self.edges[place].of != FREE.of {
            place = self.after(place);
        }
        self.edges[place] = edge;
    }

    #[inline]
    fn find(&self, of: u32) -> Option<&Edge> {
        let mut place = self.place(of);
        let mut edge = self.edges.get(place)?;
        while edge.of != of {
            if edge.of == FREE.of {
                return None;
            }
            place = self.after(place);
            edge = &self.edges[place];
        }
        Some(edge)
    }

    #[inline]
    fn place(&self, of: u32) -> usize {
        // Symbols are small numbers: this spreads them.
        (of.wrapping_mul(0x9E37_79B1) >> 16) as usize & self.edges.len().wrapping_sub(1)
    }

    #[inline]
    fn after(&self, place: usize) -> usize {
        (place + 1) & (self.edges.len() - 1)
    }

    pub fn len(&self) -> usize {
        self.used
    }
}
