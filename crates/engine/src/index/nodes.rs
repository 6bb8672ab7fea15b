//! The nodes of a document by what they are.

use super::tests::{Symbol, Symbols, TestId, Tests, COMMENT_SYMBOL, TEXT_SYMBOL};
use crate::names::Names;
use crate::tape::{Kind, Node, Tape};

/// The nodes of one document.
#[derive(Default)]
pub struct Nodes {
    symbols: Symbols,
    /// The symbol of each node.
    of_node: Vec<Symbol>,
    /// The nodes in order of symbol, then of the document.
    by_symbol: Vec<Node>,
    /// Where the nodes of each symbol begin, and at last where they end.
    starts: Vec<u32>,
}

impl Nodes {
    /// Takes in a document.
    pub fn read(&mut self, tape: &Tape, names: &Names, tests: &Tests) {
        self.symbols.follow_tests(tests);
        self.symbols.follow_names(names);
        self.of_node.clear();
        for node in 0..tape.len() {
            let record = tape.record(node);
            self.of_node.push(match record.kind {
                Kind::Element | Kind::Attribute => self.symbols.of_name(record.name, names, tests),
                Kind::Text => TEXT_SYMBOL,
                Kind::Comment => COMMENT_SYMBOL,
                Kind::Instruction => self.symbols.of_target(tape.target(node), tests),
                Kind::Document => self.symbols.of_document(),
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
        let mut next = self.starts.clone();
        self.by_symbol.resize(self.of_node.len(), 0);
        for (node, &symbol) in self.of_node.iter().enumerate() {
            let place = &mut next[symbol as usize];
            self.by_symbol[*place as usize] = node as Node;
            *place += 1;
        }
    }

    #[inline]
    pub fn passes(&self, node: Node, test: TestId) -> bool {
        self.symbols.passed(self.of_node[node as usize]).contains(&test)
    }

    /// The nodes from `first` to before `end` that pass a test: a few groups, each in document order.
    pub fn within(&self, test: TestId, first: Node, end: Node) -> Within<'_> {
        let symbols = self.symbols.of_test(test);
        // Of a test that many names pass, the nodes are found faster by asking each.
        let is_wide = symbols.len() > FEW_SYMBOLS;
        Within {
            nodes: self,
            test,
            end,
            group: [].iter(),
            symbols: if is_wide { &[] } else { symbols },
            first,
            is_wide,
        }
    }

    fn of_symbol(&self, symbol: Symbol) -> &[Node] {
        match self.starts.get(symbol as usize..symbol as usize + 2) {
            Some(&[from, to]) => &self.by_symbol[from as usize..to as usize],
            _ => &[],
        }
    }
}

/// A test that more symbols stand for is passed by many nodes.
const FEW_SYMBOLS: usize = 3;

/// Goes through the nodes of a range that pass a test.
pub struct Within<'a> {
    nodes: &'a Nodes,
    test: TestId,
    /// The next node to ask, if every node is asked.
    first: Node,
    end: Node,
    is_wide: bool,
    group: std::slice::Iter<'a, Node>,
    symbols: &'a [Symbol],
}

impl Iterator for Within<'_> {
    type Item = Node;

    #[inline]
    fn next(&mut self) -> Option<Node> {
        loop {
            if let Some(&node) = self.group.next() {
                return Some(node);
            }
            if self.is_wide {
                let node = (self.first..self.end).find(|&node| self.nodes.passes(node, self.test))?;
                self.first = node + 1;
                return Some(node);
            }
            let (&symbol, rest) = self.symbols.split_first()?;
            self.symbols = rest;
            let group = self.nodes.of_symbol(symbol);
            let from = group.partition_point(|&node| node < self.first);
            let to = from + group[from..].partition_point(|&node| node < self.end);
            self.group = group[from..to].iter();
        }
    }
}
