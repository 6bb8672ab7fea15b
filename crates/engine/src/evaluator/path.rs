//! Paths: node by node where someone may have enough early, else set by set.

use std::ops::ControlFlow;

use super::axes::{Flow, Sink};
use super::functions::Function;
use super::operation::{Operation, Predicate, Step};
use super::run::{local, Frame, Locals, Run};
use super::value::{NodeRef, Value};
use super::EvalError;

pub(super) type Nodes = Result<Vec<NodeRef>, EvalError>;

impl<'a> Run<'a> {
    /// The nodes of an operation in document order, each once.
    pub(super) fn nodes(&self, operation: &'a Operation, frame: &Frame<'_>) -> Nodes {
        match operation {
            Operation::Context => Ok(vec![frame.node]),
            Operation::Root => Ok(vec![NodeRef::new(0)]),
            Operation::Path(start, path) => {
                let mut nodes = self.nodes(start, frame)?;
                for step in &path.steps {
                    nodes = self.step_all(nodes, step, frame.locals)?;
                }
                Ok(nodes)
            }
            Operation::Filter(base, predicates) => {
                let nodes = match predicates.first() {
                    Some(Predicate::At(limit) | Predicate::UpTo(limit)) => self.leading(base, frame, *limit)?,
                    _ => self.nodes(base, frame)?,
                };
                self.filter(nodes, predicates, frame.locals)
            }
            Operation::Union(args) => {
                let mut nodes = Vec::new();
                for arg in args {
                    nodes.extend(self.nodes(arg, frame)?);
                }
                normalise(&mut nodes);
                Ok(nodes)
            }
            Operation::Call(Function::Id, args) => self.by_id(args, frame),
            Operation::External(name) => only_nodes(self.external(name)?),
            Operation::Local(depth) => only_nodes(local(frame.locals, *depth)?),
            Operation::Once(slot, inner) => only_nodes(&self.kept(*slot, inner, frame)?.value),
            other => only_nodes(&self.value(other, frame)?),
        }
    }

    /// Whether `found` is true of some node of the operation.
    pub(super) fn any_node(
        &self,
        operation: &'a Operation,
        frame: &Frame<'_>,
        found: &mut dyn FnMut(NodeRef) -> Result<bool, EvalError>,
    ) -> Result<bool, EvalError> {
        let mut visit =
            |node| found(node).map(|found| if found { ControlFlow::Break(()) } else { ControlFlow::Continue(()) });
        Ok(self.visit(operation, frame, false, &mut visit)?.is_break())
    }

    /// The first node in document order.
    pub(super) fn first(&self, operation: &'a Operation, frame: &Frame<'_>) -> Result<Option<NodeRef>, EvalError> {
        match operation {
            Operation::Context => Ok(Some(frame.node)),
            _ => {
                let mut first = None;
                let _flow = self.visit(operation, frame, true, &mut |node| {
                    first = Some(node);
                    Ok(ControlFlow::Break(()))
                })?;
                Ok(first)
            }
        }
    }

    /// The first `limit` nodes in document order.
    fn leading(&self, operation: &'a Operation, frame: &Frame<'_>, limit: usize) -> Nodes {
        let mut nodes = Vec::new();
        if limit > 0 {
            // Broken off or not: what came is what is asked for.
            let _flow = self.visit(operation, frame, true, &mut |node| {
                nodes.push(node);
                Ok(if nodes.len() == limit { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
            })?;
        }
        Ok(nodes)
    }

    /// Visits the nodes of an operation one by one; in document order and each once if `ordered`.
    fn visit(&self, operation: &'a Operation, frame: &Frame<'_>, ordered: bool, sink: Sink<'_>) -> Flow {
        match operation {
            Operation::Path(start, path) if path.order.distinct && (path.order.sorted || !ordered) => {
                let origin = match **start {
                    Operation::Context => frame.node,
                    Operation::Root => NodeRef::new(0),
                    _ => {
                        let nodes = self.nodes(start, frame)?;
                        match nodes[..] {
                            [] => return Ok(ControlFlow::Continue(())),
                            [single] => single,
                            _ => return self.visit_set(nodes, &path.steps, frame.locals, sink),
                        }
                    }
                };
                self.visit_steps(&path.steps, origin, frame.locals, sink)
            }
            Operation::Union(args) if !ordered => {
                for arg in args {
                    if self.visit(arg, frame, false, sink)?.is_break() {
                        return Ok(ControlFlow::Break(()));
                    }
                }
                Ok(ControlFlow::Continue(()))
            }
            Operation::Once(slot, inner) => match &self.kept(*slot, inner, frame)?.value {
                Value::Nodes(nodes) => offer_all(nodes, sink),
                other => only_nodes(other).map(|_| ControlFlow::Continue(())),
            },
            other => offer_all(&self.nodes(other, frame)?, sink),
        }
    }

    /// The steps of a path from a set of nodes, set by set.
    fn visit_set(&self, mut nodes: Vec<NodeRef>, steps: &'a [Step], locals: Locals<'_>, sink: Sink<'_>) -> Flow {
        for step in steps {
            nodes = self.step_all(nodes, step, locals)?;
        }
        offer_all(&nodes, sink)
    }

    /// The steps of a path from one node, depth first.
    fn visit_steps(&self, steps: &'a [Step], node: NodeRef, locals: Locals<'_>, sink: Sink<'_>) -> Flow {
        match steps.split_first() {
            None => sink(node),
            Some((step, [])) => self.step(step, node, locals, sink),
            Some((step, rest)) => self.step(step, node, locals, &mut |next| self.visit_steps(rest, next, locals, sink)),
        }
    }
}

/// The nodes of a value that must be nodes.
fn only_nodes(value: &Value) -> Nodes {
    match value {
        Value::Nodes(nodes) => Ok(nodes.clone()),
        _ => Err(EvalError::Invalid("nodes are needed where the value of a variable is none".to_owned())),
    }
}

pub(super) fn offer_all(nodes: &[NodeRef], sink: Sink<'_>) -> Flow {
    for &node in nodes {
        if sink(node)?.is_break() {
            return Ok(ControlFlow::Break(()));
        }
    }
    Ok(ControlFlow::Continue(()))
}

/// Document order, each once.
pub(super) fn normalise(nodes: &mut Vec<NodeRef>) {
    nodes.sort_unstable();
    nodes.dedup();
}
