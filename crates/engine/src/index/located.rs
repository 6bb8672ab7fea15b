//! The nodes of the document at hand by their spots.

use std::ops::Range;

use super::memo::{LITTLE, TIMES_TOO_LARGE};
use super::nodes::{between, Nodes};
use super::spots::{Label, SpotId, Spots, ROOT};
use crate::tape::Node;

/// To find the spots of so many nodes is worth one question.
const NODES_FOR_A_QUESTION: usize = 8;

/// So many places of spots are one word.
pub const WORD: usize = 32;

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
    /// The spots that the document has.
    there: Vec<SpotId>,
    /// Places, and where those of each anchor are.
    words: Vec<(u16, u32)>,
    of_anchor: Vec<Part>,
    /// While it is worked out: by number of the word.
    masks: Vec<u32>,
    /// Of each node: see [`Spots::first_place`].
    first_places: Vec<u32>,
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
        let is_too_large = self.of_anchor.len() > LITTLE.max(TIMES_TOO_LARGE * self.of_node.len());
        if is_too_large || self.document == u32::MAX {
            *self = Located::default();
        }
        self.of_node.clear();
        self.words.clear();
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

    /// The places that a node and those below it have among the spots within its own, once they have been looked for: numbers of
    /// words, and the bits that are there.
    #[inline]
    pub fn places(&self, anchor: Node) -> &[(u16, u32)] {
        let part = self.of_anchor[anchor as usize];
        debug_assert_eq!(part.document, self.document, "they have been looked for");
        &self.words[part.range()]
    }

    /// Looks for these places.
    #[inline]
    pub fn find_places(&mut self, spots: &Spots, within: &Range<Node>) {
        if self.of_anchor[within.start as usize].document != self.document {
            self.look_within(spots, within);
        }
    }

    fn fill(&mut self, spots: &mut Spots, nodes: Nodes<'_>) {
        self.there.clear();
        self.first_places.clear();
        for (node, &symbol) in (0..).zip(nodes.of_node) {
            let spot = if node == 0 {
                Some(ROOT)
            } else {
                let label = Label { symbol, is_attribute: nodes.is_attribute(node) };
                spots.child(self.of_node[nodes.parent(node) as usize], label)
            };
            let Some(spot) = spot else { return self.of_node.clear() };
            self.of_node.push(spot);
            self.first_places.push(spots.first_place(spot));
            self.count(spot);
        }
        if self.of_anchor.len() < self.of_node.len() {
            self.of_anchor.resize(self.of_node.len(), Part::default());
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
            self.there.push(spot);
        }
        part.end += 1;
    }

    /// Orders the nodes by their spots, which have been counted.
    fn order(&mut self) {
        let mut start = 0;
        for &spot in &self.there {
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

    fn look_within(&mut self, spots: &Spots, within: &Range<Node>) {
        let Located { document, of_node, words, of_anchor, masks, first_places, .. } = self;
        let within = within.start as usize..within.end as usize;
        let (anchor, depth) = (within.start, spots.depth(of_node[within.start]));
        masks.resize(masks.len().max(spots.len() / WORD + 1), 0);
        let start = words.len();
        for &first_place in &first_places[within] {
            let place = spots.place(first_place, depth);
            let (word, bit) = (place / WORD, place % WORD);
            if masks[word] == 0 {
                words.push((word as u16, 0));
            }
            masks[word] |= 1 << bit;
        }
        words[start..].iter_mut().for_each(|(word, mask)| *mask = std::mem::take(&mut masks[*word as usize]));
        of_anchor[anchor] = Part { document: *document, start: start as u32, end: words.len() as u32 };
    }
}
