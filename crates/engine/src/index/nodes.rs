//! The nodes of a document by what they are.

use std::cell::{Cell, OnceCell};

use super::aside::{self, Aside};
use super::pattern::Axis;
use super::places::From;
use super::relations::Relations;
use super::tests::{mark, Marks, Symbol, Symbols, TestId};
use crate::tape::{Kind, Node, Tape, NO_PARENT};

/// The nodes of one document. What is worked out about them is worked out when it is first asked for.
#[derive(Clone, Copy)]
pub struct Nodes<'a> {
    pub tape: &'a Tape,
    /// What is no node of the tape, but conditions look at it.
    pub aside: &'a Aside,
    pub symbols: &'a Symbols,
    /// The symbol of each node.
    pub of_node: &'a [Symbol],
    pub known: &'a Known,
}

/// What has been worked out about the nodes of a document; its memory is used for the next one.
#[derive(Default)]
pub struct Known {
    document: u32,
    /// Which tests anything below each node may pass, if all is known of the document or this is of it.
    below: Vec<Cell<Marks>>,
    is_of: Vec<Cell<u32>>,
    is_complete: Cell<bool>,
    relations: OnceCell<Relations>,
    by_symbol: OnceCell<BySymbol>,
    spare: Cell<BySymbol>,
}

#[derive(Default)]
struct BySymbol {
    /// The nodes in order of symbol, then of the document.
    nodes: Vec<Node>,
    /// Where the nodes of each symbol begin, and at last where they end.
    starts: Vec<u32>,
}

pub const DOCUMENT: Node = 0;

/// In a document of up to so many nodes what is below each is worked out for all at once.
const SMALL: usize = 512;

/// Up to so many nodes are asked one by one.
const FEW: Node = 8;

impl Known {
    /// Forgets the last document; the next one has so many nodes.
    pub fn begin(&mut self, nodes: usize) {
        self.document = self.document.wrapping_add(1);
        self.is_complete.set(false);
        self.relations = OnceCell::new();
        if self.document == 0 || self.below.len() > 16 * (nodes + 64) {
            (self.below, self.is_of) = (Vec::new(), Vec::new());
            self.document = 1;
        }
        if self.below.len() < nodes {
            self.below.resize(nodes, Cell::default());
            self.is_of.resize(nodes, Cell::default());
        }
        if let Some(spare) = self.by_symbol.take() {
            self.spare.set(spare);
        }
    }
}

impl BySymbol {
    fn fill(&mut self, of_node: &[Symbol], symbols: usize) {
        let BySymbol { nodes, starts } = self;
        starts.clear();
        starts.resize(symbols + 1, 0);
        for &symbol in of_node {
            starts[symbol as usize + 1] += 1;
        }
        for symbol in 1..starts.len() {
            starts[symbol] += starts[symbol - 1];
        }
        nodes.resize(of_node.len(), 0);
        // The starts move to the ends while the groups fill up, and so become the starts of the groups after them.
        for (node, &symbol) in of_node.iter().enumerate() {
            let place = &mut starts[symbol as usize];
            nodes[*place as usize] = node as Node;
            *place += 1;
        }
        starts.rotate_right(1);
        starts[0] = 0;
    }

    fn of(&self, symbol: Symbol) -> &[Node] {
        match self.starts.get(symbol as usize..symbol as usize + 2) {
            Some(&[from, to]) => &self.nodes[from as usize..to as usize],
            _ => &[],
        }
    }
}

impl<'a> Nodes<'a> {
    /// Which tests anything below a node may pass.
    #[inline]
    pub fn below(&self, node: Node) -> Marks {
        match self.known_below(node) {
            Some(marks) => marks,
            None => self.find_below(node),
        }
    }

    #[inline]
    fn known_below(&self, node: Node) -> Option<Marks> {
        let known = self.known;
        let is_known = known.is_complete.get() || known.is_of[node as usize].get() == known.document;
        is_known.then(|| known.below[node as usize].get())
    }

    #[inline(never)]
    fn find_below(&self, node: Node) -> Marks {
        let known = self.known;
        if self.of_node.len() <= SMALL {
            self.find_all_below();
            return known.below[node as usize].get();
        }
        let (mut marks, mut next, end) = (0, node + 1, self.end(node));
        while next < end {
            marks |= self.symbols.marks(self.of_node[next as usize]);
            next = match self.known_below(next) {
                Some(below) => {
                    marks |= below;
                    self.end(next)
                }
                None => next + 1,
            };
        }
        known.below[node as usize].set(marks);
        known.is_of[node as usize].set(known.document);
        marks
    }

    /// Works it out for all nodes, each after those below it.
    fn find_all_below(&self) {
        let below = &self.known.below[..self.of_node.len()];
        below.iter().for_each(|below| below.set(0));
        for (node, &symbol) in self.of_node.iter().enumerate().skip(1).rev() {
            let parent = &below[self.parent(node as Node) as usize];
            parent.set(parent.get() | below[node].get() | self.symbols.marks(symbol));
        }
        self.known.is_complete.set(true);
    }

    /// Which names are found below which.
    #[inline]
    pub fn relations(&self) -> &'a Relations {
        self.known.relations.get_or_init(|| Relations::of(*self))
    }

    /// The tests that ask for a node's local name.
    #[inline]
    pub fn names(&self, node: Node) -> &'a [TestId] {
        self.symbols.names(self.of_node[node as usize])
    }

    /// Whether to find the nodes that pass a test all are asked.
    pub fn asks_all(&self, test: TestId) -> bool {
        self.symbols.of_test(test).len() > 1
    }

    #[inline]
    pub fn passes(&self, node: Node, test: TestId) -> bool {
        self.symbols.passes(self.of_node[node as usize], test)
    }

    /// The nodes that an axis leads to from a node and that pass a test, in document order.
    #[inline]
    pub fn along(&self, axis: Axis, test: TestId, node: Node) -> Along<'a> {
        let (first, end) = (if axis == Axis::DescendantOrSelf { node } else { node + 1 }, self.end(node));
        let mut along = Along { nodes: *self, axis, test, from: node, next: first, end, group: [].iter() };
        let may_lead = axis == Axis::DescendantOrSelf || self.below(node) & mark(test) != 0;
        match self.symbols.of_test(test) {
            _ if !may_lead => along.next = end,
            // The few attributes of a node, and few nodes in all, are found faster by asking each; so is what many names pass.
            [symbol] if axis != Axis::Attribute && end - first > FEW => {
                along.group = between(self.of_symbol(*symbol), first, end).iter();
                along.next = end;
            }
            _ => {}
        }
        along
    }

    /// The same of what is kept aside, in no order.
    #[inline]
    pub fn aside_along(&self, axis: Axis, test: TestId, node: Node) -> impl Iterator<Item = Node> + 'a {
        let (symbols, aside) = (self.symbols, self.aside);
        let along =
            if node >= aside::FIRST { aside.along_from(axis, node) } else { aside.along(axis, node, self.end(node)) };
        along.filter(move |&(_, symbol)| symbols.passes(symbol, test)).map(|(node, _)| node)
    }

    /// Whether a node, which may be kept aside, passes a test.
    #[inline]
    pub fn is(&self, node: Node, test: TestId) -> bool {
        if node >= aside::FIRST {
            return self.symbols.passes(self.aside.symbol(node), test);
        }
        self.passes(node, test)
    }

    /// The nodes below a node that pass a test, if these are of one kind; those that are attributes too.
    pub fn passing_below(&self, node: Node, test: TestId) -> Option<&'a [Node]> {
        match self.symbols.of_test(test) {
            [symbol] => Some(between(self.of_symbol(*symbol), node + 1, self.end(node))),
            _ => None,
        }
    }

    /// The nodes that pass a test and lie where a step may lead to from nodes in order, if to ask each of them is less work
    /// than to look from each of those.
    pub fn candidates(&self, axis: Axis, test: TestId, from: &[Node]) -> Option<&'a [Node]> {
        let ([symbol], Axis::Child | Axis::Descendant) = (self.symbols.of_test(test), axis) else { return None };
        let end = from.iter().map(|&node| self.end(node)).max()?;
        let candidates = between(self.of_symbol(*symbol), from[0] + 1, end);
        (candidates.len() <= 4 * from.len()).then_some(candidates)
    }

    #[inline]
    pub fn parent(&self, node: Node) -> Node {
        self.tape.record(node).parent
    }

    /// A node on the way to an anchor, if there is one.
    pub fn on_way(&self, from: From, anchor: Node) -> Option<Node> {
        let parent = |&node: &Node| Some(self.parent(node)).filter(|&parent| parent != DOCUMENT && parent != NO_PARENT);
        let mut way = std::iter::successors(Some(anchor), parent);
        match from {
            From::Above(levels) => way.nth(levels as usize),
            From::Depth(depth) => {
                let levels = way.clone().count().checked_sub(depth as usize)?;
                way.nth(levels)
            }
        }
    }

    #[inline]
    pub fn kind(&self, node: Node) -> Kind {
        self.tape.record(node).kind
    }

    #[inline]
    pub fn is_attribute(&self, node: Node) -> bool {
        self.kind(node) == Kind::Attribute
    }

    /// One past the last node below a node.
    #[inline]
    pub fn end(&self, node: Node) -> Node {
        self.tape.end(node)
    }

    fn of_symbol(&self, symbol: Symbol) -> &'a [Node] {
        let by_symbol = self.known.by_symbol.get_or_init(|| {
            let mut by_symbol = self.known.spare.take();
            by_symbol.fill(self.of_node, self.symbols.len());
            by_symbol
        });
        by_symbol.of(symbol)
    }
}

/// Those of the nodes, which are in order, that lie from `first` to before `end`.
#[inline]
pub fn between(nodes: &[Node], first: Node, end: Node) -> &[Node] {
    let (Some(&lowest), Some(&highest)) = (nodes.first(), nodes.last()) else { return &[] };
    let from = if lowest >= first { 0 } else { nodes.partition_point(|&node| node < first) };
    let to = if highest < end { nodes.len() } else { nodes.partition_point(|&node| node < end) };
    nodes.get(from..to).unwrap_or(&[])
}

/// Goes through the nodes that an axis leads to and that pass a test.
pub struct Along<'a> {
    nodes: Nodes<'a>,
    axis: Axis,
    test: TestId,
    from: Node,
    /// Those that have the one symbol which passes the test.
    group: std::slice::Iter<'a, Node>,
    /// The next node to ask, if all are asked.
    next: Node,
    end: Node,
}

impl Along<'_> {
    fn is_led_to(&self, node: Node) -> bool {
        let is_attribute = self.nodes.is_attribute(node);
        match self.axis {
            Axis::Attribute => is_attribute && self.nodes.parent(node) == self.from,
            Axis::Child => !is_attribute && self.nodes.parent(node) == self.from,
            Axis::Descendant | Axis::DescendantOrSelf => !is_attribute || node == self.from,
        }
    }

    /// The node to ask after one that the axis leads to or not.
    fn after(&self, node: Node) -> Node {
        match self.axis {
            Axis::Child => self.nodes.end(node),
            Axis::Attribute if !self.nodes.is_attribute(node) => self.end,
            Axis::Attribute | Axis::Descendant | Axis::DescendantOrSelf => node + 1,
        }
    }
}

impl Iterator for Along<'_> {
    type Item = Node;

    #[inline(always)]
    fn next(&mut self) -> Option<Node> {
        while let Some(&node) = self.group.next() {
            if self.is_led_to(node) {
                return Some(node);
            }
        }
        while self.next < self.end {
            let node = self.next;
            self.next = self.after(node);
            if self.nodes.passes(node, self.test) && self.is_led_to(node) {
                return Some(node);
            }
        }
        None
    }
}
