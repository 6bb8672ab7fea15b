//! Functions of nodes.

use std::ops::ControlFlow;
use std::sync::Arc;

use crate::evaluator::{is_space, is_variety, language, Axis, NodeKind, NodeRef, Test};
use crate::ir::Axis as XpathAxis;
use crate::tape::NO_PARENT;

use super::compare::same;
use super::error::{error, Result};
use super::functions::Function;
use super::operation::Operation;
use super::path::normalise;
use super::run::{Focus, Run};
use super::value::{Item, Node, Value, SOURCE};

impl<'a> Run<'a> {
    pub(super) fn node_call(&self, function: Function, args: &'a [Operation], focus: &Focus<'_>) -> Result<Value> {
        match function {
            Function::Id => self.by_id(args, focus),
            Function::Lang => self.lang(args, focus),
            Function::Innermost | Function::Outermost => self.nested(function, args, focus),
            _ => match self.value(&args[0], focus)?.items() {
                [] if function == Function::Root => Ok(Value::Empty),
                [] => Ok(Value::string("")),
                [Item::Node(node)] => Ok(match function {
                    Function::LocalName => Value::string(&self.expanded_name(*node).1),
                    Function::NamespaceUri => Value::string(&self.expanded_name(*node).0),
                    Function::Root => Value::One(Item::Node(Node { tree: node.tree, at: NodeRef::new(0) })),
                    _ => Value::string(&self.qualified_name(*node)),
                }),
                _ => Err(error("XPTY0004", format!("{}() needs one node at most", function.name()))),
            },
        }
    }

    pub(super) fn children(&self, node: Node) -> Vec<Node> {
        self.along(XpathAxis::Child, node)
    }

    fn along(&self, axis: XpathAxis, node: Node) -> Vec<Node> {
        let mut found = Vec::new();
        let collect = &mut |at| {
            found.push(Node { tree: node.tree, at });
            Ok(ControlFlow::Continue(()))
        };
        // Its steps are few: what runs out of budget here is stopped by whoever charges next.
        let _flow = self.navigate(node.tree, |on| on.walk(Axis::Xpath(axis), &Test::Node, node.at, collect));
        found
    }

    /// `id()`: the elements of the document with the IDs named, separated by white space, in the argument.
    fn by_id(&self, args: &'a [Operation], focus: &Focus<'_>) -> Result<Value> {
        let tape = self.source.tape;
        let wanted: Vec<Arc<str>> = self.atomics(&args[0], focus)?.iter().map(super::value::Atomic::to_arc).collect();
        self.charge(u64::from(tape.len()))?;
        let mut found = Vec::new();
        for (index, record) in tape.records.iter().enumerate().filter(|(_, record)| record.is_id) {
            let value = tape.string_value(index as u32);
            if wanted.iter().any(|tokens| tokens.split(is_space).any(|token| token == value)) {
                found.push(Node { tree: SOURCE, at: NodeRef::new(record.parent) });
            }
        }
        normalise(&mut found);
        Ok(found.into())
    }

    fn lang(&self, args: &'a [Operation], focus: &Focus<'_>) -> Result<Value> {
        let wanted = self.text(&args[0], "the first argument of lang()", focus)?;
        let item = match args.get(1) {
            Some(arg) => self.value(arg, focus)?,
            None => Value::One(focus.item.clone()),
        };
        let [Item::Node(node)] = item.items() else {
            return Err(error("XPTY0004", "lang() needs one node"));
        };
        let found = self.navigate(node.tree, |on| {
            let mut element = node.at.node;
            while element != NO_PARENT {
                if let Some(language) = language(on.tape, on.names, element) {
                    return is_variety(language, &wanted);
                }
                element = on.tape.record(element).parent;
            }
            false
        });
        Ok(Value::boolean(found))
    }

    /// The nodes that hold no other of them, or are held by none.
    fn nested(&self, function: Function, args: &'a [Operation], focus: &Focus<'_>) -> Result<Value> {
        let mut nodes = self.nodes(&args[0], &format!("the argument of {}()", function.name()), focus)?;
        normalise(&mut nodes);
        self.charge(nodes.len() as u64)?;
        let ends: Vec<u32> =
            nodes.iter().map(|node| self.navigate(node.tree, |on| on.tape.end(node.at.node))).collect();
        let mut kept: Vec<Node> = Vec::new();
        let mut covered = (SOURCE, 0);
        for (index, (&node, &end)) in nodes.iter().zip(&ends).enumerate() {
            let keep = if function == Function::Outermost {
                covered.0 != node.tree || node.at.node >= covered.1
            } else {
                nodes.get(index + 1).is_none_or(|next| next.tree != node.tree || next.at.node >= end)
            };
            if keep {
                kept.push(node);
                covered = (node.tree, end);
            }
        }
        Ok(kept.into())
    }

    /// `deep-equal()`.
    pub(super) fn deep_equal(&self, left: &Value, right: &Value) -> Result<bool> {
        if left.len() != right.len() {
            return Ok(false);
        }
        for pair in left.items().iter().zip(right.items()) {
            let equal = match pair {
                (Item::Atomic(left), Item::Atomic(right)) => same(left, right),
                (Item::Node(left), Item::Node(right)) => self.equal_nodes(*left, *right)?,
                _ => false,
            };
            if !equal {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn equal_nodes(&self, left: Node, right: Node) -> Result<bool> {
        self.charge(1)?;
        let kind = self.kind(left);
        if kind != self.kind(right) {
            return Ok(false);
        }
        let named = matches!(kind, NodeKind::Element | NodeKind::Attribute | NodeKind::Instruction);
        if named && self.expanded_name(left) != self.expanded_name(right) {
            return Ok(false);
        }
        if !matches!(kind, NodeKind::Element | NodeKind::Document) {
            return Ok(self.string_value(left) == self.string_value(right));
        }
        Ok(self.equal_attributes(left, right)? && self.equal_children(left, right)?)
    }

    fn equal_attributes(&self, left: Node, right: Node) -> Result<bool> {
        let (left, right) = (self.along(XpathAxis::Attribute, left), self.along(XpathAxis::Attribute, right));
        if left.len() != right.len() {
            return Ok(false);
        }
        for &one in &left {
            let mut found = false;
            for &other in &right {
                found = found || self.equal_nodes(one, other)?;
            }
            if !found {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn equal_children(&self, left: Node, right: Node) -> Result<bool> {
        let content = |node| {
            let mut children = self.children(node);
            children.retain(|&child| !matches!(self.kind(child), NodeKind::Comment | NodeKind::Instruction));
            children
        };
        let (left, right) = (content(left), content(right));
        if left.len() != right.len() {
            return Ok(false);
        }
        for (left, right) in left.into_iter().zip(right) {
            if !self.equal_nodes(left, right)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
