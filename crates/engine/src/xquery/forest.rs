//! The trees that a query has constructed so far, and nodes whichever tree they are of.

use std::cell::{OnceCell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use crate::evaluator::{expanded_name, node_kind, qualified_name, Navigator, NodeKind, NodeRef};
use crate::names::Names;

use super::built::{Built, Piece};
use super::error::{error, Result};
use super::run::Run;
use super::tree::{Shape, Source};
use super::value::{Atomic, Item, Node, SOURCE};

#[derive(Default)]
pub(super) struct Forest {
    trees: RefCell<Vec<Rc<Tree>>>,
    /// Names of constructed nodes that were navigated.
    names: RefCell<Option<Box<Names>>>,
}

pub(super) struct Tree {
    pub(super) root: Rc<Built>,
    shape: OnceCell<Shape>,
}

impl Forest {
    /// A new tree; its root.
    pub(super) fn plant(&self, built: Rc<Built>) -> Node {
        let mut trees = self.trees.borrow_mut();
        trees.push(Rc::new(Tree { root: built, shape: OnceCell::new() }));
        Node { tree: trees.len() as u32, at: NodeRef::new(0) }
    }

    fn tree(&self, tree: u32) -> Rc<Tree> {
        Rc::clone(&self.trees.borrow()[tree as usize - 1])
    }
}

impl<'a> Run<'a> {
    /// Does something on the tape of a tree.
    pub(super) fn navigate<T>(&self, tree: u32, act: impl FnOnce(&Navigator<'_>) -> T) -> T {
        if tree == SOURCE {
            return act(&self.source);
        }
        let tree = self.forest.tree(tree);
        let shape = self.shape(&tree);
        let mut names = self.forest.names.borrow_mut();
        let names = names.get_or_insert_with(Default::default);
        act(&Navigator::new(&shape.tape, names, &self.compiled.name_tests, self.budget))
    }

    fn shape<'t>(&self, tree: &'t Tree) -> &'t Shape {
        tree.shape.get_or_init(|| {
            let mut names = self.forest.names.borrow_mut();
            let names = names.get_or_insert_with(Default::default);
            Shape::of(&tree.root, &Source { tape: self.source.tape, names: self.source.names }, names)
        })
    }

    pub(super) fn kind(&self, node: Node) -> NodeKind {
        if node.tree == SOURCE {
            return node_kind(self.source.tape, node.at);
        }
        if node.at.node == 0 {
            return match &*self.forest.tree(node.tree).root {
                Built::Element(_) => NodeKind::Element,
                Built::Attribute(..) => NodeKind::Attribute,
                Built::Text(_) => NodeKind::Text,
                Built::Comment(_) => NodeKind::Comment,
                Built::Instruction(..) => NodeKind::Instruction,
                Built::Document(..) => NodeKind::Document,
            };
        }
        self.navigate(node.tree, |on| node_kind(on.tape, node.at))
    }

    pub(super) fn string_value(&self, node: Node) -> Arc<str> {
        if node.tree == SOURCE {
            return self.source.tape.string_value(node.at.node).into();
        }
        if node.at.node == 0 {
            return self.forest.tree(node.tree).root.text(self.source.tape);
        }
        self.navigate(node.tree, |on| on.tape.string_value(node.at.node).into())
    }

    /// What a constructed node was made from: nothing for attributes, text and the like.
    pub(super) fn origin(&self, node: Node) -> Option<Piece> {
        let tree = self.forest.tree(node.tree);
        if node.at.node == 0 {
            return Some(Piece::Built(Rc::clone(&tree.root)));
        }
        self.shape(&tree).origins[node.at.node as usize].clone()
    }

    /// Namespace and local name.
    pub(super) fn expanded_name(&self, node: Node) -> (String, String) {
        self.navigate(node.tree, |on| {
            let (uri, local) = expanded_name(on.tape, on.names, node.at);
            (uri.to_owned(), local.to_owned())
        })
    }

    pub(super) fn qualified_name(&self, node: Node) -> String {
        self.navigate(node.tree, |on| qualified_name(on.tape, on.names, node.at).to_owned())
    }

    /// The document node above an item.
    pub(super) fn root_of(&self, item: &Item) -> Result<Node> {
        let Item::Node(node) = item else {
            return Err(error("XPTY0020", "'/' needs a node as its context"));
        };
        let root = Node { tree: node.tree, at: NodeRef::new(0) };
        match self.kind(root) {
            NodeKind::Document => Ok(root),
            _ => Err(error("XPDY0050", "'/' needs a context in a document, but this tree has none")),
        }
    }

    pub(super) fn atomized(&self, item: &Item) -> Atomic {
        match item {
            Item::Atomic(atomic) => atomic.clone(),
            Item::Node(node) => match self.kind(*node) {
                NodeKind::Comment | NodeKind::Instruction => Atomic::String(self.string_value(*node)),
                _ => Atomic::Untyped(self.string_value(*node)),
            },
        }
    }
}
