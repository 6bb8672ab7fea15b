//! The nodes of a document by what they are.

use super::pattern::Axis;
use super::tests::{mark, Marks, Symbol, Symbols, TestId, Tests, COMMENT_SYMBOL, DOCUMENT_SYMBOL, TEXT_SYMBOL};
use crate::names::Names;
use crate::tape::{Kind, Node, Tape};

/// The nodes of one document.
#[derive(Default)]
pub struct Nodes {
    pub symbols: Symbols,
    /// The symbol of each node.
    of_node: Vec<Symbol>,
    /// What else is asked of each node again and again, apart from the tape, which has much more.
    places: Vec<Place>,
    /// The nodes in order of symbol, then of the document.
    by_symbol: Vec<Node>,
    /// Where the nodes of each symbol begin, and at last where they end.
    starts: Vec<u32>,
    /// Which tests the children and attributes of each node may pass.
    near: Vec<Marks>,
    /// Which tests anything below each node may pass.
    below: Vec<Marks>,
}

#[derive(Clone, Copy)]
struct Place {
    parent: Node,
    /// One past the last node below.
    end: Node,
    is_attribute: bool,
}

impl Nodes {
    /// A document begins.
    pub fn begin(&mut self, names: &Names, tests: &Tests) {
        self.symbols.follow_tests(tests);
        self.symbols.follow_names(names);
    }

    /// All nodes are there: finds what they are, and their order.
    pub fn arrange(&mut self, tape: &Tape, names: &Names, tests: &Tests) {
        self.of_node.clear();
        self.places.clear();
        for (node, record) in tape.records.iter().enumerate() {
            let (parent, end) = (record.parent, tape.end(node as Node));
            self.places.push(Place { parent, end, is_attribute: record.kind == Kind::Attribute });
            self.of_node.push(match record.kind {
                Kind::Element | Kind::Attribute => self.symbols.of_name(record.name, names, tests),
                Kind::Text => TEXT_SYMBOL,
                Kind::Comment => COMMENT_SYMBOL,
                Kind::Instruction => self.symbols.of_target(tape.target(node as Node), tests),
                Kind::Document => DOCUMENT_SYMBOL,
            });
        }
        self.starts.clear();
        self.starts.resize(self.symbols.len() + 1, 0);
        for &symbol in &self.of_node {
            self.starts[symbol as usize + 1] += 1;
        }
        for symbol in 1..self.starts.len() {
            self.starts[symbol] += self.starts[symbol - 1];
        }
        self.by_symbol.resize(self.of_node.len(), 0);
        // The starts move to the ends while the groups fill up, and so become the starts of the groups after them.
        for (node, &symbol) in self.of_node.iter().enumerate() {
            let place = &mut self.starts[symbol as usize];
            self.by_symbol[*place as usize] = node as Node;
            *place += 1;
        }
        self.starts.rotate_right(1);
        self.starts[0] = 0;
        for marks in [&mut self.near, &mut self.below] {
            marks.clear();
            marks.resize(self.of_node.len(), 0);
        }
        for node in (1..self.of_node.len()).rev() {
            let marks = self.symbols.marks(self.of_node[node]);
            let parent = self.places[node].parent as usize;
            self.near[parent] |= marks;
            self.below[parent] |= self.below[node] | marks;
        }
    }

    /// Whether nodes below this one may pass all the tests.
    #[inline]
    pub fn may_have(&self, node: Node, marks: Marks) -> bool {
        // What needs nothing is asked for even if the nodes are not arranged.
        marks == 0 || self.below[node as usize] & marks == marks
    }

    /// Which tests anything below a node may pass.
    #[inline]
    pub fn below(&self, node: Node) -> Marks {
        self.below[node as usize]
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
    pub fn along(&self, axis: Axis, test: TestId, node: Node) -> Along<'_> {
        let symbols = self.symbols.of_test(test);
        let (first, end) = (if axis == Axis::DescendantOrSelf { node } else { node + 1 }, self.end(node));
        let mut along = Along { nodes: self, axis, test, from: node, next: first, end, group: [].iter() };
        match symbols {
            _ if !self.may_lead(axis, test, node) => along.next = end,
            // Of a test that many names pass, the nodes are found faster by asking each.
            [symbol] if axis != Axis::Attribute => {
                along.group = between(self.of_symbol(*symbol), first, end).iter();
                along.next = end;
            }
            _ => {}
        }
        along
    }

    /// The nodes that pass a test and lie where a step may lead to from nodes in order, if to ask each of them is less work
    /// than to look from each of those.
    pub fn candidates(&self, axis: Axis, test: TestId, from: &[Node]) -> Option<&[Node]> {
        let ([symbol], Axis::Child | Axis::Descendant) = (self.symbols.of_test(test), axis) else { return None };
        let end = from.iter().map(|&node| self.end(node)).max()?;
        let candidates = between(self.of_symbol(*symbol), from[0] + 1, end);
        (candidates.len() <= 4 * from.len()).then_some(candidates)
    }

    #[inline]
    pub fn parent(&self, node: Node) -> Node {
        self.places[node as usize].parent
    }

    #[inline]
    pub fn is_attribute(&self, node: Node) -> bool {
        self.places[node as usize].is_attribute
    }

    /// One past the last node below a node.
    #[inline]
    pub fn end(&self, node: Node) -> Node {
        self.places[node as usize].end
    }

    fn may_lead(&self, axis: Axis, test: TestId, node: Node) -> bool {
        let marks = match axis {
            Axis::Child | Axis::Attribute => self.near[node as usize],
            Axis::Descendant => self.below[node as usize],
            Axis::DescendantOrSelf => Marks::MAX,
        };
        marks & mark(test) != 0
    }

    fn of_symbol(&self, symbol: Symbol) -> &[Node] {
        match self.starts.get(symbol as usize..symbol as usize + 2) {
            Some(&[from, to]) => &self.by_symbol[from as usize..to as usize],
            _ => &[],
        }
    }
}

/// Those of the nodes, which are in order, that lie from `first` to before `end`.
#[inline]
fn between(nodes: &[Node], first: Node, end: Node) -> &[Node] {
    let (Some(&lowest), Some(&highest)) = (nodes.first(), nodes.last()) else { return &[] };
    let from = if lowest >= first { 0 } else { nodes.partition_point(|&node| node < first) };
    let to = if highest < end { nodes.len() } else { nodes.partition_point(|&node| node < end) };
    nodes.get(from..to).unwrap_or(&[])
}

/// Goes through the nodes that an axis leads to and that pass a test.
pub struct Along<'a> {
    nodes: &'a Nodes,
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
        let place = self.nodes.places[node as usize];
        match self.axis {
            Axis::Attribute => place.is_attribute && place.parent == self.from,
            Axis::Child => !place.is_attribute && place.parent == self.from,
            Axis::Descendant | Axis::DescendantOrSelf => !place.is_attribute || node == self.from,
        }
    }

    /// The node to ask after one that the axis leads to or not.
    fn after(&self, node: Node) -> Node {
        match self.axis {
            Axis::Child => self.nodes.end(node),
            Axis::Attribute if !self.nodes.places[node as usize].is_attribute => self.end,
            Axis::Attribute | Axis::Descendant | Axis::DescendantOrSelf => node + 1,
        }
    }
}

impl Iterator for Along<'_> {
    type Item = Node;

    #[inline]
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
