//! Trails: the names on the way from a node down to another, as far as the tests of subscriptions tell them apart.
//!
//! Documents of a kind have few of them. Where ways without conditions lead to depends on nothing else, so who gets the
//! node at the end of a trail is remembered from document to document: see [`super::reached`].

use std::ops::Range;

use rustc_hash::FxHashMap;

use super::asked::Asked;
use super::nodes::Nodes;
use super::tests::{Marks, Symbol, Symbols, TestId};
use crate::tape::{Kind, Node, NO_PARENT};

/// Number of a trail.
pub type TrailId = u32;

/// Number of a trail from the document's root: all nodes at such a spot have the same trails from what is above them.
type SpotId = u32;

/// A set of places on a trail is one number, in which the first place is for the node that it starts from.
const LONGEST: usize = 63;
/// Trails that may be known.
pub const MOST_TRAILS: usize = 1 << 20;

/// The empty trail.
const START: TrailId = 0;
/// No trail or spot: it would be too long, or one too many.
const NONE: u32 = u32::MAX;

/// What a node on a trail is.
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

/// All but the last label of a trail, and that.
type Trail = (TrailId, Label);

struct Spot {
    /// Where the trails to it begin in `Trails::to_spots`, the longest first; how many there are.
    first: u32,
    depth: u32,
}

/// The trails met so far, and those below nodes of the document at hand.
pub struct Trails {
    /// What is remembered of trails by number holds for this generation of them.
    generation: u32,
    trails: Vec<Trail>,
    by_trail: FxHashMap<Trail, TrailId>,
    spots: Vec<Spot>,
    spot_below: FxHashMap<(SpotId, Label), SpotId>,
    to_spots: Vec<TrailId>,
    document: u32,
    /// Of each node, once they are known; and of which document.
    known: Vec<Known>,
    /// Nodes with their trails from some node above them.
    below: Vec<(TrailId, Node)>,
}

#[derive(Clone, Copy, Default)]
struct Known {
    spot: (u32, SpotId),
    /// Of which document `below` is.
    document: u32,
    /// Where those below it begin in `Trails::below`, and where they end; None if some have no trail.
    below: Option<(u32, u32)>,
}

impl Default for Trails {
    fn default() -> Trails {
        Trails {
            generation: 0,
            trails: Vec::new(),
            by_trail: FxHashMap::default(),
            spots: vec![Spot { first: 0, depth: 0 }],
            spot_below: FxHashMap::default(),
            to_spots: Vec::new(),
            document: 0,
            known: Vec::new(),
            below: Vec::new(),
        }
    }
}

impl Trails {
    /// Forgets the last document; the next one has so many nodes.
    pub fn begin(&mut self, nodes: usize) {
        self.below.clear();
        self.document = self.document.wrapping_add(1);
        if self.document == 0 || self.known.len() > 16 * (nodes + 64) {
            self.known = Vec::new();
            self.document = 1;
        }
        self.known.resize(self.known.len().max(nodes), Known::default());
        if self.to_spots.len() > MOST_TRAILS - LONGEST {
            self.clear();
        }
    }

    /// Forgets all trails.
    pub fn clear(&mut self) {
        *self = Trails {
            generation: self.generation.wrapping_add(1),
            document: self.document,
            known: std::mem::take(&mut self.known),
            ..Trails::default()
        };
    }

    pub fn generation(&self) -> u32 {
        self.generation
    }

    /// The nodes below a node, in order of their trails from it, as a range of [`Trails::ends`]; None if some trails have no
    /// number.
    #[inline]
    pub fn below(&mut self, node: Node, nodes: Nodes<'_>, asked: &Asked) -> Option<Range<usize>> {
        if self.known[node as usize].document != self.document {
            self.find_below(node, nodes, asked);
        }
        self.known[node as usize].below.map(|(start, end)| start as usize..end as usize)
    }

    #[inline]
    pub fn ends(&self, below: Range<usize>) -> &[(TrailId, Node)] {
        &self.below[below]
    }

    /// The labels of a trail.
    pub fn labels(&self, trail: TrailId) -> Vec<Label> {
        let get = |trail: TrailId| self.trails.get((trail as usize).wrapping_sub(1));
        let trails = std::iter::successors(get(trail), |&&(rest, _)| get(rest));
        let mut labels: Vec<Label> = trails.map(|&(_, last)| last).collect();
        labels.reverse();
        labels
    }

    /// Finds what is below a node. What triggers may be there though no way leads to such nodes.
    fn find_below(&mut self, node: Node, nodes: Nodes<'_>, asked: &Asked) {
        let (is_attribute_asked, start) = (asked.attributes(), self.below.len());
        let is_asked = |one: Node| match nodes.kind(one) {
            Kind::Attribute => is_attribute_asked,
            Kind::Text => asked.text,
            _ => true,
        };
        let anchor = self.spot(node, nodes);
        let mut has_all = anchor != NONE;
        for one in (node + 1..nodes.end(node)).filter(|&one| is_asked(one)) {
            let spot = self.spot(one, nodes);
            has_all = has_all && spot != NONE;
            if !has_all {
                break;
            }
            let trail = self.spots[spot as usize].first + self.spots[anchor as usize].depth;
            self.below.push((self.to_spots[trail as usize], one));
        }
        self.below[start..].sort_unstable();
        self.known[node as usize].below = has_all.then_some((start as u32, self.below.len() as u32));
        self.known[node as usize].document = self.document;
    }

    /// The spot at which a node is.
    fn spot(&mut self, node: Node, nodes: Nodes<'_>) -> SpotId {
        self.spot_within(node, nodes, LONGEST)
    }

    /// The same; whoever has more than so many nodes above it has none. (Documents may be deeper than a stack.)
    fn spot_within(&mut self, node: Node, nodes: Nodes<'_>, levels: usize) -> SpotId {
        match self.known[node as usize].spot {
            (document, spot) if document == self.document => spot,
            _ if levels == 0 && nodes.parent(node) != NO_PARENT => NONE,
            _ => {
                let parent = nodes.parent(node);
                let spot = if parent == NO_PARENT {
                    0
                } else {
                    let label = Label { symbol: nodes.of_node[node as usize], is_attribute: nodes.is_attribute(node) };
                    let above = self.spot_within(parent, nodes, levels - 1);
                    self.below_spot(above, label)
                };
                self.known[node as usize].spot = (self.document, spot);
                spot
            }
        }
    }

    fn below_spot(&mut self, above: SpotId, label: Label) -> SpotId {
        match self.spot_below.get(&(above, label)) {
            Some(&known) => known,
            None => self.learn_spot(above, label),
        }
    }

    #[cold]
    fn learn_spot(&mut self, above: SpotId, label: Label) -> SpotId {
        let Some(&Spot { first, depth }) = self.spots.get(above as usize) else { return NONE };
        if depth as usize == LONGEST || self.to_spots.len() > MOST_TRAILS - LONGEST {
            return NONE;
        }
        let spot = Spot { first: self.to_spots.len() as u32, depth: depth + 1 };
        for place in first..first + depth {
            let longer = self.longer(self.to_spots[place as usize], label);
            self.to_spots.push(longer);
        }
        let last = self.longer(START, label);
        self.to_spots.push(last);
        self.spots.push(spot);
        let number = self.spots.len() as SpotId - 1;
        self.spot_below.insert((above, label), number);
        number
    }

    fn longer(&mut self, trail: TrailId, label: Label) -> TrailId {
        let next = self.trails.len() as TrailId + 1;
        let longer = *self.by_trail.entry((trail, label)).or_insert(next);
        if longer == next {
            self.trails.push((trail, label));
        }
        longer
    }
}
