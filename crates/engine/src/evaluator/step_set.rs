//! One step from a set of nodes: no node is looked at twice where positions do not matter.

use std::ops::ControlFlow;

use rustc_hash::FxHashSet;

use crate::ir::Axis as XpathAxis;
use crate::tape::{Kind, Node, NO_PARENT};

use super::operation::{Axis, Step};
use super::path::{normalise, Nodes};
use super::run::{Locals, Run};
use super::value::NodeRef;

impl<'a> Run<'a> {
    /// From a set in document order to a set in document order.
    pub(super) fn step_all(&self, mut contexts: Vec<NodeRef>, step: &'a Step, locals: Locals<'_>) -> Nodes {
        if !step.positional && contexts.len() > 1 {
            if matches!(step.axis, Axis::Xpath(XpathAxis::Ancestor | XpathAxis::AncestorOrSelf)) {
                return self.ancestors_of_all(&contexts, step, locals);
            }
            contexts = self.essential(contexts, step.axis);
        }
        let mut nodes = Vec::new();
        for &context in &contexts {
            let _all = self.step(step, context, locals, &mut |node| {
                nodes.push(node);
                Ok(ControlFlow::Continue(()))
            })?;
        }
        if !self.keeps_order(step.axis, &contexts) {
            normalise(&mut nodes);
        }
        Ok(nodes)
    }

    /// The contexts from which everything is found that is found from all of them, when positions do not matter.
    fn essential(&self, mut contexts: Vec<NodeRef>, axis: Axis) -> Vec<NodeRef> {
        let Axis::Xpath(axis) = axis else {
            self.drop_nested(&mut contexts, false);
            return contexts;
        };
        match axis {
            XpathAxis::Descendant => self.drop_nested(&mut contexts, false),
            XpathAxis::DescendantOrSelf => self.drop_nested(&mut contexts, true),
            XpathAxis::Following => {
                contexts = contexts.into_iter().min_by_key(|&node| self.following_from(node)).into_iter().collect();
            }
            XpathAxis::Preceding => contexts = contexts.pop().into_iter().collect(),
            XpathAxis::FollowingSibling | XpathAxis::Parent => self.keep_first_of_each_parent(&mut contexts, axis),
            XpathAxis::PrecedingSibling => {
                contexts.reverse();
                self.keep_first_of_each_parent(&mut contexts, axis);
                contexts.reverse();
            }
            _ => {}
        }
        contexts
    }

    /// Drops nodes inside the subtree of one before them. Leaves that are not in their parent's content
    /// (attributes, namespaces) are to be kept if they count themselves.
    fn drop_nested(&self, contexts: &mut Vec<NodeRef>, keep_leaves: bool) {
        let mut end = 0;
        contexts.retain(|&context| {
            let leaf = self.is_leaf_beside_content(context);
            if context.node < end || leaf {
                return leaf && keep_leaves;
            }
            end = self.tape.end(context.node);
            true
        });
    }

    fn keep_first_of_each_parent(&self, contexts: &mut Vec<NodeRef>, axis: XpathAxis) {
        let siblings = axis != XpathAxis::Parent;
        let mut seen: FxHashSet<Node> = FxHashSet::default();
        contexts.retain(|&context| {
            if siblings && self.is_leaf_beside_content(context) {
                return false;
            }
            let parent = if context.is_namespace() { context.node } else { self.tape.record(context.node).parent };
            seen.insert(parent)
        });
    }

    fn is_leaf_beside_content(&self, node: NodeRef) -> bool {
        node.is_namespace() || self.tape.record(node.node).kind == Kind::Attribute
    }

    /// Ancestors of many nodes: each is climbed over once.
    fn ancestors_of_all(&self, contexts: &[NodeRef], step: &'a Step, locals: Locals<'_>) -> Nodes {
        let or_self = step.axis == Axis::Xpath(XpathAxis::AncestorOrSelf);
        let mut seen: FxHashSet<NodeRef> = FxHashSet::default();
        for &context in contexts {
            if or_self && !seen.insert(context) {
                continue;
            }
            let mut node = if context.is_namespace() { context.node } else { self.tape.record(context.node).parent };
            while node != NO_PARENT && seen.insert(NodeRef::new(node)) {
                node = self.tape.record(node).parent;
            }
        }
        let mut candidates: Vec<NodeRef> = seen.into_iter().collect();
        candidates.sort_unstable();
        let own = Axis::Xpath(XpathAxis::SelfAxis);
        let mut nodes = Vec::new();
        for candidate in candidates {
            let _one = self.walk(own, &step.test, candidate, &mut |node| {
                nodes.push(node);
                Ok(ControlFlow::Continue(()))
            })?;
        }
        self.filter(nodes, &step.predicates, locals)
    }

    /// The results of a step, one context after the other, come in document order and each once.
    fn keeps_order(&self, axis: Axis, contexts: &[NodeRef]) -> bool {
        let Axis::Xpath(axis) = axis else { return self.are_peers(contexts) };
        match axis {
            XpathAxis::SelfAxis | XpathAxis::Attribute | XpathAxis::Namespace => true,
            XpathAxis::Child | XpathAxis::Descendant | XpathAxis::DescendantOrSelf => self.are_peers(contexts),
            XpathAxis::FollowingSibling | XpathAxis::Following | XpathAxis::Parent => contexts.len() <= 1,
            _ => false,
        }
    }

    /// None is inside another; in document order it is enough to look at neighbours.
    fn are_peers(&self, nodes: &[NodeRef]) -> bool {
        nodes.windows(2).all(|pair| match *pair {
            [one, next] => self.tape.end(one.node) <= next.node,
            _ => true,
        })
    }
}
