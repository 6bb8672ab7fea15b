//! Attributes and text nodes that only conditions look at.
//!
//! A document has many of them, and few are ever asked for. So they are no nodes of the sketch, all of which are gone through
//! more than once, but kept aside: what each is, whose, and where its value lies.

use std::cell::Cell;
use std::ops::Range;

use super::pattern::Axis;
use super::tests::{Symbol, TestId, NODE, TEXT, TEXT_SYMBOL};
use super::values::ConstantId;
use crate::error::Stop;
use crate::tape::{Node, MOST_NODES};

/// What is kept aside is numbered from here on.
pub const FIRST: Node = MOST_NODES;

/// Those of one document, in its order.
#[derive(Default)]
pub struct Aside {
    leaves: Vec<Leaf>,
    /// Of each node of the sketch.
    of_nodes: Vec<OfNode>,
    /// The values that are not as they are written.
    values: Vec<u8>,
}

#[derive(Clone, Copy)]
struct OfNode {
    /// How many come before it.
    before: u32,
    /// Its own last one.
    last: u32,
}

struct Leaf {
    symbol: Symbol,
    /// The constant that its value equals; once it has been asked for.
    constant: Cell<Option<ConstantId>>,
    is_looked_up: Cell<bool>,
    /// The one before it that has the same parent.
    previous: u32,
    place: Place,
}

const NONE: u32 = u32::MAX;

/// Where a value lies.
#[derive(Clone, Copy)]
enum Place {
    Source(u64, u64),
    Values(usize, usize),
}

impl Aside {
    pub fn clear(&mut self) {
        self.leaves.clear();
        self.of_nodes.clear();
        self.values.clear();
    }

    /// The sketch has one more node.
    #[inline]
    pub fn note_node(&mut self) {
        self.of_nodes.push(OfNode { before: self.leaves.len() as u32, last: NONE });
    }

    /// Adds what lies in the source as it is meant.
    #[inline]
    pub fn add(&mut self, parent: Node, symbol: Symbol, (start, end): (u64, u64)) -> Result<(), Stop> {
        self.push(parent, symbol, Place::Source(start, end))
    }

    /// Adds what does not.
    pub fn add_value(&mut self, parent: Node, symbol: Symbol, value: &[u8]) -> Result<(), Stop> {
        let start = self.values.len();
        self.values.extend_from_slice(value);
        self.push(parent, symbol, Place::Values(start, self.values.len()))
    }

    #[inline]
    fn push(&mut self, parent: Node, symbol: Symbol, place: Place) -> Result<(), Stop> {
        let number = self.leaves.len();
        if number >= (Node::MAX - FIRST) as usize {
            return Err(Stop::limit("more attributes and text nodes must be held than can be counted"));
        }
        if let Some(of_node) = self.of_nodes.get_mut(parent as usize) {
            let previous = std::mem::replace(&mut of_node.last, number as u32);
            let (constant, is_looked_up) = (Cell::new(None), Cell::new(false));
            self.leaves.push(Leaf { symbol, constant, is_looked_up, previous, place });
        }
        Ok(())
    }

    #[inline]
    pub fn symbol(&self, node: Node) -> Symbol {
        self.leaf(node).symbol
    }

    pub fn value<'a>(&'a self, node: Node, source: &'a [u8]) -> &'a [u8] {
        match self.leaf(node).place {
            Place::Source(start, end) => &source[start as usize..end as usize],
            Place::Values(start, end) => &self.values[start..end],
        }
    }

    /// The constant that a value equals, which is looked up once.
    #[inline]
    pub fn constant(&self, node: Node, look_up: impl FnOnce() -> Option<ConstantId>) -> Option<ConstantId> {
        let leaf = self.leaf(node);
        if !leaf.is_looked_up.replace(true) {
            leaf.constant.set(look_up());
        }
        leaf.constant.get()
    }

    /// Whether a step may lead to what is kept aside.
    #[inline]
    pub fn may_be_led_to(axis: Axis, test: TestId) -> bool {
        axis == Axis::Attribute || matches!(test, NODE | TEXT)
    }

    /// What an axis leads to from a node of the sketch, whose last descendant is before `end`; in no order.
    #[inline]
    pub fn along(&self, axis: Axis, node: Node, end: Node) -> Along<'_> {
        let nothing = Along { aside: self, own: NONE, below: 0..0, are_attributes: axis == Axis::Attribute };
        match axis {
            Axis::Attribute | Axis::Child => Along { own: self.of_node(node).last, ..nothing },
            Axis::Descendant | Axis::DescendantOrSelf => {
                Along { below: self.of_node(node).before..self.of_node(end).before, ..nothing }
            }
        }
    }

    /// What one leads to from what is kept aside.
    pub fn along_from(&self, axis: Axis, node: Node) -> Along<'_> {
        let place = node - FIRST;
        let below = if axis == Axis::DescendantOrSelf { place..place + 1 } else { 0..0 };
        Along { aside: self, own: NONE, below, are_attributes: !self.leaf(node).is_text() }
    }

    #[inline]
    fn of_node(&self, node: Node) -> OfNode {
        let behind_all = OfNode { before: self.leaves.len() as u32, last: NONE };
        self.of_nodes.get(node as usize).copied().unwrap_or(behind_all)
    }

    #[inline]
    fn leaf(&self, node: Node) -> &Leaf {
        &self.leaves[(node - FIRST) as usize]
    }

    /// Bytes held, roughly.
    pub fn bytes(&self) -> u64 {
        (size_of_val(&*self.leaves) + size_of_val(&*self.of_nodes) + self.values.len()) as u64
    }
}

impl Leaf {
    #[inline]
    fn is_text(&self) -> bool {
        self.symbol == TEXT_SYMBOL
    }
}

/// Goes through what an axis leads to, each with its symbol.
pub struct Along<'a> {
    aside: &'a Aside,
    /// The next one of a node's own.
    own: u32,
    /// The next ones below it.
    below: Range<u32>,
    are_attributes: bool,
}

impl Iterator for Along<'_> {
    type Item = (Node, Symbol);

    #[inline]
    fn next(&mut self) -> Option<(Node, Symbol)> {
        loop {
            let place = if self.own == NONE { self.below.next()? } else { self.own };
            let leaf = self.aside.leaves.get(place as usize)?;
            if self.own != NONE {
                self.own = leaf.previous;
            }
            if leaf.is_text() != self.are_attributes {
                return Some((FIRST + place, leaf.symbol));
            }
        }
    }
}
