//! The axes: visit, in axis order, the nodes that pass a test. Nothing here recurses, whatever the depth.

use std::ops::ControlFlow;

use crate::ir::Axis as XpathAxis;
use crate::tape::{Kind, Node, NO_PARENT};

use super::navigator::Navigator;
use super::operation::{Axis, Test};
use super::value::NodeRef;
use super::EvalError;

/// Go on, or stop because whoever asked has enough.
pub(crate) type Flow = Result<ControlFlow<()>, EvalError>;
pub(crate) type Sink<'s> = &'s mut dyn FnMut(NodeRef) -> Flow;

const GO_ON: Flow = Ok(ControlFlow::Continue(()));

/// Hands a node on; leaves the calling function when no more are wanted.
macro_rules! offer {
    ($sink:expr, $node:expr) => {
        if $sink($node)?.is_break() {
            return Ok(ControlFlow::Break(()));
        }
    };
}

impl Navigator<'_> {
    /// Visits the nodes on an axis.
    pub(crate) fn walk(&self, axis: Axis, test: &Test, from: NodeRef, sink: Sink<'_>) -> Flow {
        let mut scanned = 1;
        let flow = self.walk_axis(axis, test, from, &mut scanned, sink);
        self.charge(scanned)?;
        flow
    }

    fn walk_axis(&self, axis: Axis, test: &Test, from: NodeRef, scanned: &mut u64, sink: Sink<'_>) -> Flow {
        let node = from.node;
        let axis = match axis {
            Axis::Xpath(axis) => axis,
            Axis::DescendantByParent => XpathAxis::Descendant,
            Axis::DescendantAttribute if from.is_namespace() => return GO_ON,
            Axis::DescendantAttribute => {
                return self.scan(test, Kind::Attribute, true, node + 1..self.tape.end(node), scanned, sink)
            }
        };
        if from.is_namespace() {
            return self.walk_from_namespace(axis, test, from, scanned, sink);
        }
        let content = node + 1..self.tape.end(node);
        match axis {
            XpathAxis::Child => self.siblings(test, node, self.first_child(node), scanned, sink),
            XpathAxis::Descendant => self.scan(test, Kind::Element, false, content, scanned, sink),
            XpathAxis::DescendantOrSelf => {
                if self.matcher(test, Kind::Element).accepts(node) {
                    offer!(sink, from);
                }
                self.scan(test, Kind::Element, false, content, scanned, sink)
            }
            XpathAxis::SelfAxis => {
                if self.matcher(test, Kind::Element).accepts(node) {
                    offer!(sink, from);
                }
                GO_ON
            }
            XpathAxis::Attribute => {
                let matcher = self.matcher(test, Kind::Attribute);
                for attribute in self.tape.attributes(node) {
                    *scanned += 1;
                    if matcher.accepts(attribute) {
                        offer!(sink, NodeRef::new(attribute));
                    }
                }
                GO_ON
            }
            XpathAxis::Parent => self.ancestors(test, self.tape.record(node).parent, true, scanned, sink),
            XpathAxis::Ancestor => self.ancestors(test, self.tape.record(node).parent, false, scanned, sink),
            XpathAxis::AncestorOrSelf => self.ancestors(test, node, false, scanned, sink),
            XpathAxis::FollowingSibling => match self.tape.record(node) {
                record if record.kind == Kind::Attribute || record.parent == NO_PARENT => GO_ON,
                record => self.siblings(test, record.parent, self.tape.end(node), scanned, sink),
            },
            XpathAxis::PrecedingSibling => self.preceding_siblings(test, node, scanned, sink),
            XpathAxis::Following => self.following(test, from, scanned, sink),
            XpathAxis::Preceding => match self.tape.record(node) {
                record if record.kind == Kind::Attribute => self.preceding(test, record.parent, scanned, sink),
                _ => self.preceding(test, node, scanned, sink),
            },
            XpathAxis::Namespace => self.namespaces(test, node, sink),
        }
    }

    /// A namespace node has a parent, but no one's child it is.
    fn walk_from_namespace(
        &self,
        axis: XpathAxis,
        test: &Test,
        from: NodeRef,
        scanned: &mut u64,
        sink: Sink<'_>,
    ) -> Flow {
        let or_self = matches!(axis, XpathAxis::SelfAxis | XpathAxis::DescendantOrSelf | XpathAxis::AncestorOrSelf);
        if or_self && self.accepts_namespace(test, "", false) {
            offer!(sink, from);
        }
        match axis {
            XpathAxis::Parent => self.ancestors(test, from.node, true, scanned, sink),
            XpathAxis::Ancestor | XpathAxis::AncestorOrSelf => self.ancestors(test, from.node, false, scanned, sink),
            XpathAxis::Following => self.following(test, from, scanned, sink),
            XpathAxis::Preceding => self.preceding(test, from.node, scanned, sink),
            _ => GO_ON,
        }
    }

    /// All nodes in a range, either the attributes or all others.
    fn scan(
        &self,
        test: &Test,
        principal: Kind,
        attributes: bool,
        range: std::ops::Range<Node>,
        scanned: &mut u64,
        sink: Sink<'_>,
    ) -> Flow {
        let matcher = self.matcher(test, principal);
        *scanned += u64::from(range.end.saturating_sub(range.start));
        for node in range {
            if matcher.accepts(node) && (self.tape.record(node).kind == Kind::Attribute) == attributes {
                offer!(sink, NodeRef::new(node));
            }
        }
        GO_ON
    }

    /// The children of `parent` from `first` on.
    fn siblings(&self, test: &Test, parent: Node, first: Node, scanned: &mut u64, sink: Sink<'_>) -> Flow {
        let matcher = self.matcher(test, Kind::Element);
        let end = self.tape.end(parent);
        let mut node = first;
        while node < end {
            *scanned += 1;
            if matcher.accepts(node) {
                offer!(sink, NodeRef::new(node));
            }
            node = self.tape.record(node).after;
        }
        GO_ON
    }

    fn preceding_siblings(&self, test: &Test, node: Node, scanned: &mut u64, sink: Sink<'_>) -> Flow {
        let record = self.tape.record(node);
        if record.kind == Kind::Attribute || record.parent == NO_PARENT {
            return GO_ON;
        }
        let matcher = self.matcher(test, Kind::Element);
        let parent = record.parent;
        let mut next = node;
        loop {
            // The record before a node is the last one inside the sibling before it: climb from there.
            let mut sibling = next - 1;
            if sibling == parent {
                return GO_ON;
            }
            while self.tape.record(sibling).parent != parent {
                *scanned += 1;
                sibling = self.tape.record(sibling).parent;
            }
            if self.tape.record(sibling).kind == Kind::Attribute {
                return GO_ON;
            }
            *scanned += 1;
            if matcher.accepts(sibling) {
                offer!(sink, NodeRef::new(sibling));
            }
            next = sibling;
        }
    }

    /// `first` and its ancestors, upward; or only `first`.
    fn ancestors(&self, test: &Test, first: Node, only_first: bool, scanned: &mut u64, sink: Sink<'_>) -> Flow {
        let matcher = self.matcher(test, Kind::Element);
        let mut node = first;
        while node != NO_PARENT {
            *scanned += 1;
            if matcher.accepts(node) {
                offer!(sink, NodeRef::new(node));
            }
            if only_first {
                break;
            }
            node = self.tape.record(node).parent;
        }
        GO_ON
    }

    /// What begins after `from` has ended.
    fn following(&self, test: &Test, from: NodeRef, scanned: &mut u64, sink: Sink<'_>) -> Flow {
        let first = self.following_from(from);
        let Some(listed) = self.listed_elements(test) else {
            return self.scan(test, Kind::Element, false, first..self.tape.len(), scanned, sink);
        };
        for &node in &listed[listed.partition_point(|&node| node < first)..] {
            *scanned += 1;
            offer!(sink, NodeRef::new(node));
        }
        GO_ON
    }

    /// What ended before `node` began, backward.
    fn preceding(&self, test: &Test, node: Node, scanned: &mut u64, sink: Sink<'_>) -> Flow {
        if let Some(listed) = self.listed_elements(test) {
            for &candidate in listed[..listed.partition_point(|&listed| listed < node)].iter().rev() {
                *scanned += 1;
                if self.tape.end(candidate) <= node {
                    offer!(sink, NodeRef::new(candidate));
                }
            }
            return GO_ON;
        }
        let matcher = self.matcher(test, Kind::Element);
        let mut ancestor = self.tape.record(node).parent;
        for candidate in (1..node).rev() {
            *scanned += 1;
            if candidate == ancestor {
                ancestor = self.tape.record(candidate).parent;
            } else if matcher.accepts(candidate) && self.tape.record(candidate).kind != Kind::Attribute {
                offer!(sink, NodeRef::new(candidate));
            }
        }
        GO_ON
    }

    fn namespaces(&self, test: &Test, node: Node, sink: Sink<'_>) -> Flow {
        let record = self.tape.record(node);
        if record.kind != Kind::Element {
            return GO_ON;
        }
        for (index, (prefix, _)) in self.names.in_scope(record.namespaces).enumerate() {
            if self.accepts_namespace(test, prefix, true) {
                offer!(sink, NodeRef { node, namespace: index as u32 + 1 });
            }
        }
        GO_ON
    }

    fn first_child(&self, node: Node) -> Node {
        match self.tape.record(node).kind {
            Kind::Element => self.tape.attributes(node).last().unwrap_or(node) + 1,
            _ => node + 1,
        }
    }

    /// Where the following axis begins: after the node's content. An attribute or namespace node comes
    /// before its element's content, and has none itself.
    pub(super) fn following_from(&self, node: NodeRef) -> Node {
        if node.is_namespace() {
            node.node + 1
        } else {
            self.tape.end(node.node)
        }
    }
}
