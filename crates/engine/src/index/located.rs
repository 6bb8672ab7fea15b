//! The nodes of the document at hand by their spots.

use std::ops::Range;

use super::memo::{LITTLE, TIMES_TOO_LARGE};
use super::nodes::{between, Nodes};
use super::spots::{Label, SpotId, Spots, ROOT};
use crate::tape::Node;

/// To find the spots of so many nodes is worth one question.
const NODES_FOR_A_QUESTION: usize = 8;

/// So many spots are one word.
pub const WORD: usize = 32;

/// The spots that a document has.
#[derive(Default)]
pub struct There {
    words: Vec<u32>,
    spots: Vec<SpotId>,
}

impl There {
    /// Adds one that has not been added.
    #[inline]
    pub fn add(&mut self, spot: SpotId) {
        let (number, bit) = (usize::from(spot) / WORD, usize::from(spot) % WORD);
        if self.words.len() <= number {
            self.words.resize(number + 1, 0);
        }
        self.words[number] |= 1 << bit;
        self.spots.push(spot);
    }

    /// Which of the spots of a word are there.
    #[inline]
    pub fn word(&self, number: SpotId) -> u32 {
        self.words.get(usize::from(number)).copied().unwrap_or(0)
    }

    fn clear(&mut self) {
        for spot in self.spots.drain(..) {
            self.words[usize::from(spot) / WORD] = 0;
        }
    }
}

#[derive(Default)]
pub struct Located {
    document: u32,
    /// There are too many spots, or one is too deep.
    is_hopeless: bool,
    /// Of each node, once they are asked for; empty if that is not worth it, there are too many, or one is too deep.
    of_node: Vec<SpotId>,
    /// The nodes in order of their spots, then of the document.
    nodes: Vec<Node>,
    /// Where those of each spot are.
    at_spot: Vec<Part>,
    there: There,
    /// The highest spots of each node and those below it.
    highest: Vec<SpotId>,
}

/// A part of a list that is made for each document anew.
#[derive(Clone, Copy, Default)]
struct Part {
    document: u32,
    start: u32,
    end: u32,
}

impl Part {
    fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

impl Located {
    /// Forgets the last document.
    pub fn begin(&mut self) {
        let is_too_large = self.nodes.capacity() > LITTLE.max(TIMES_TOO_LARGE * self.of_node.len());
        if is_too_large || self.document == u32::MAX {
            *self = Located::default();
        }
        self.of_node.clear();
        self.there.clear();
        self.is_hopeless = false;
        self.document += 1;
    }

    /// Finds the spots of all nodes, if so many questions are worth it; whether they are found.
    #[inline]
    pub fn find(&mut self, spots: &mut Spots, nodes: Nodes<'_>, questions: usize) -> bool {
        let is_worth_it = nodes.of_node.len() <= NODES_FOR_A_QUESTION * questions;
        if is_worth_it && !self.is_hopeless && !self.are_found() {
            self.fill(spots, nodes);
            self.is_hopeless = !self.are_found();
        }
        self.are_found()
    }

    #[inline]
    pub fn are_found(&self) -> bool {
        !self.of_node.is_empty()
    }

    /// The spot of a node, when they have been found.
    #[inline]
    pub fn spot(&self, node: Node) -> SpotId {
        self.of_node[node as usize]
    }

    /// Those of the nodes at a spot, in document order, that are within a range.
    #[inline]
    pub fn nodes(&self, spot: SpotId, within: &Range<Node>) -> &[Node] {
        match self.at_spot.get(spot as usize) {
            Some(part) if part.document == self.document => {
                between(&self.nodes[part.range()], within.start, within.end)
            }
            _ => &[],
        }
    }

    /// The highest spot of a node and those below it.
    #[inline]
    pub fn highest(&self, node: Node) -> SpotId {
        self.highest[node as usize]
    }

    /// The spots that the document has.
    #[inline]
    pub fn there(&self) -> &There {
        &self.there
    }

    fn fill(&mut self, spots: &mut Spots, nodes: Nodes<'_>) {
        for (node, &symbol) in (0..).zip(nodes.of_node) {
            let spot = if node == 0 {
                Some(ROOT)
            } else {
                let label = Label { symbol, is_attribute: nodes.is_attribute(node) };
                spots.child(self.of_node[nodes.parent(node) as usize], label, nodes.symbols)
            };
            let Some(spot) = spot else { return self.of_node.clear() };
            self.of_node.push(spot);
            self.count(spot);
        }
        self.highest.clone_from(&self.of_node);
        for node in (1..self.highest.len()).rev() {
            let (below, parent) = (self.highest[node], nodes.parent(node as Node) as usize);
            self.highest[parent] = self.highest[parent].max(below);
        }
        self.order();
    }

    #[inline]
    fn count(&mut self, spot: SpotId) {
        if self.at_spot.len() <= spot as usize {
            self.at_spot.resize(spot as usize + 1, Part::default());
        }
        let part = &mut self.at_spot[spot as usize];
        if part.document != self.document {
            *part = Part { document: self.document, start: 0, end: 0 };
            self.there.add(spot);
        }
        part.end += 1;
    }

    /// Orders the nodes by their spots, which have been counted.
    fn order(&mut self) {
        let mut start = 0;
        for &spot in &self.there.spots {
            let part = &mut self.at_spot[spot as usize];
            let count = part.end;
            (part.start, part.end) = (start, start);
            start += count;
        }
        self.nodes.clear();
        self.nodes.resize(self.of_node.len(), 0);
        for (node, &spot) in (0..).zip(&self.of_node) {
            let end = &mut self.at_spot[spot as usize].end;
            self.nodes[*end as usize] = node;
            *end += 1;
        }
    }
}
