//! Spots: the ways of names from the root that documents have had, as far as the tests of subscriptions tell names apart.
//!
//! Documents of a kind have few of them. Where ways without conditions lead to depends on nothing else, so who gets the
//! nodes of a spot is remembered from document to document: see [`super::reached`].

use super::nodes::Nodes;
use super::reached::LONGEST;
use super::table::Table;
use super::tests::{Marks, Symbol, Symbols, TestId};
use crate::tape::Node;

/// Number of a spot; those above it have smaller ones.
pub type SpotId = u32;

const ROOT: SpotId = 0;
/// Spots that may be known: their numbers have 16 bits, see [`super::told`].
const MOST: usize = 1 << 16;

/// To find the spots of so many nodes is worth one question.
const NODES_FOR_A_QUESTION: usize = 16;

/// What a node is.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Label {
    symbol: Symbol,
    is_attribute: bool,
}

impl Label {
    pub fn passes(self, symbols: &Symbols, test: TestId, is_attribute: bool) -> bool {
        self.is_attribute == is_attribute && symbols.passes(self.symbol, test)
    }

    pub fn marks(self, symbols: &Symbols) -> Marks {
        symbols.marks(self.symbol)
    }
}

#[derive(Clone, Copy)]
struct Spot {
    above: SpotId,
    label: Label,
    depth: usize,
}

/// The spots met so far, and those of the document at hand.
#[derive(Default)]
pub struct Spots {
    /// What is remembered of spots by number holds for this generation of them.
    generation: u32,
    /// All but the root.
    spots: Vec<Spot>,
    below: Table<(u64, SpotId)>,
    /// Of each node of the document, once they are asked for; empty if that is not worth it, there are too many, or one is too
    /// deep.
    of_node: Vec<SpotId>,
    /// Whether they are found is decided.
    is_decided: bool,
}

impl Spots {
    /// Forgets the last document.
    pub fn begin(&mut self) {
        self.of_node.clear();
        self.is_decided = false;
        if self.spots.len() + 1 >= MOST {
            self.clear();
        }
    }

    /// Forgets all spots.
    pub fn clear(&mut self) {
        *self = Spots { generation: self.generation.wrapping_add(1), ..Spots::default() };
    }

    pub fn generation(&self) -> u32 {
        self.generation
    }

    /// Finds the spots of all nodes, if so many questions are worth it. False if there are none, and none later.
    #[inline]
    pub fn find(&mut self, nodes: Nodes<'_>, questions: usize) -> bool {
        if !self.is_decided && nodes.of_node.len() <= NODES_FOR_A_QUESTION * questions {
            self.fill(nodes);
        }
        self.is_decided = true;
        self.are_found()
    }

    #[inline]
    pub fn are_found(&self) -> bool {
        !self.of_node.is_empty()
    }

    /// The spot of a node, when they have been found.
    #[inline]
    pub fn of(&self, node: Node) -> SpotId {
        self.of_node[node as usize]
    }

    fn fill(&mut self, nodes: Nodes<'_>) {
        self.of_node.push(ROOT);
        for (node, &symbol) in (0..).zip(nodes.of_node).skip(1) {
            let label = Label { symbol, is_attribute: nodes.is_attribute(node) };
            let above = self.of_node[nodes.parent(node) as usize];
            let key = u64::from(above) << 32 | u64::from(symbol) << 1 | u64::from(label.is_attribute);
            let spot = match self.below.get(key) {
                Some((_, spot)) => *spot,
                None => match self.add(key, above, label) {
                    Some(spot) => spot,
                    None => return self.of_node.clear(),
                },
            };
            self.of_node.push(spot);
        }
    }

    #[cold]
    fn add(&mut self, key: u64, above: SpotId, label: Label) -> Option<SpotId> {
        let depth = self.get(above).map_or(0, |above| above.depth) + 1;
        if depth > LONGEST || self.spots.len() + 1 >= MOST {
            return None;
        }
        self.spots.push(Spot { above, label, depth });
        let spot = self.spots.len() as SpotId;
        self.below.add((key, spot));
        Some(spot)
    }

    /// A spot; None for the root.
    fn get(&self, spot: SpotId) -> Option<&Spot> {
        self.spots.get((spot as usize).wrapping_sub(1))
    }

    /// The labels on the way from a spot down to another.
    pub fn labels(&self, above: SpotId, spot: SpotId) -> Vec<Label> {
        let get = |spot: SpotId| self.get(spot).filter(|_| spot != above);
        let spots = std::iter::successors(get(spot), |spot| get(spot.above));
        let mut labels: Vec<Label> = spots.map(|spot| spot.label).collect();
        labels.reverse();
        labels
    }
}
