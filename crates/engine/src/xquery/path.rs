//! Paths, filters, and operations on sets of nodes.

use std::ops::ControlFlow;

use rustc_hash::FxHashSet;

use super::error::{error, Result};
use super::operation::{Operation, Predicate, Step};
use super::run::{effective_boolean, Focus, Run};
use super::value::{Item, Node, Value, SOURCE};

impl<'a> Run<'a> {
    pub(super) fn path(&self, start: &'a Operation, steps: &'a [Step], focus: &Focus<'_>) -> Result<Vec<Node>> {
        let mut nodes = self.start_of_path(start, focus)?;
        // No node holds another: what is below them comes in order, each once.
        let mut is_flat = nodes.len() <= 1;
        for step in steps {
            nodes = self.step_from_all(&nodes, step, is_flat)?;
            is_flat = nodes.len() <= 1 || (is_flat && step.is_level());
        }
        Ok(nodes)
    }

    /// Whether a path has a node at all; stops at the first.
    pub(super) fn any_on_path(&self, start: &'a Operation, steps: &'a [Step], focus: &Focus<'_>) -> Result<bool> {
        let Some((last, before)) = steps.split_last() else { return Ok(false) };
        for node in self.path(start, before, focus)? {
            if self.has_any(node, last)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn has_any(&self, node: Node, step: &'a Step) -> Result<bool> {
        if !step.predicates.is_empty() {
            let mut found = Vec::new();
            self.step(node, step, &mut found)?;
            return Ok(!found.is_empty());
        }
        let found = &mut |_| Ok(ControlFlow::Break(()));
        Ok(self.navigate(node.tree, |on| on.walk(step.axis, &step.test, node.at, found))?.is_break())
    }

    /// A path that is the same wherever it is asked for, as long as that is in the document.
    pub(super) fn fixed_path(&self, slot: usize, steps: &'a [Step], focus: &Focus<'_>) -> Result<Value> {
        let in_document = matches!(focus.item, Item::Node(node) if node.tree == SOURCE);
        if in_document {
            if let Some(known) = self.fixed[slot].get() {
                return Ok(known.clone());
            }
        }
        let value: Value = self.path(&Operation::Root, steps, focus)?.into();
        if in_document {
            return Ok(self.fixed[slot].get_or_init(|| value).clone());
        }
        Ok(value)
    }

    fn start_of_path(&self, start: &'a Operation, focus: &Focus<'_>) -> Result<Vec<Node>> {
        let value = self.value(start, focus)?;
        let code = if matches!(start, Operation::Context) { "XPTY0020" } else { "XPTY0019" };
        let mut nodes = nodes_of(&value, || error(code, "a path starts from nodes, but this is a value"))?;
        if !matches!(start, Operation::Path(..) | Operation::FixedPath(..)) {
            normalise(&mut nodes);
        }
        Ok(nodes)
    }

    fn step_from_all(&self, contexts: &[Node], step: &'a Step, is_flat: bool) -> Result<Vec<Node>> {
        let mut found = Vec::new();
        for &context in contexts {
            self.step(context, step, &mut found)?;
        }
        let is_below = step.is_level() || step.is_closure();
        if !step.forward || (contexts.len() > 1 && !(is_flat && is_below)) {
            found.sort_unstable();
            // A child has one parent: it may come out of order, but not twice.
            if !step.is_level() {
                found.dedup();
            }
        }
        Ok(found)
    }

    /// Adds what is on the axis from one node and passes test and predicates, in the order of the axis.
    fn step(&self, context: Node, step: &'a Step, found: &mut Vec<Node>) -> Result<()> {
        let tree = context.tree;
        if step.predicates.is_empty() {
            let all = &mut |at| {
                found.push(Node { tree, at });
                Ok(ControlFlow::Continue(()))
            };
            return self.navigate(tree, |on| on.walk(step.axis, &step.test, context.at, all)).map(drop);
        }
        let mut candidates: Vec<Item> = Vec::new();
        let first_only = matches!(step.predicates.first(), Some(Predicate::At(1)));
        let _flow = self.navigate(tree, |on| {
            on.walk(step.axis, &step.test, context.at, &mut |at| {
                candidates.push(Item::Node(Node { tree, at }));
                Ok(if first_only { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
            })
        })?;
        let kept = self.filter(candidates, &step.predicates)?.into_iter();
        found.extend(kept.filter_map(|item| if let Item::Node(node) = item { Some(node) } else { None }));
        Ok(())
    }

    /// What is left after one predicate after the other.
    pub(super) fn filter(&self, mut items: Vec<Item>, predicates: &'a [Predicate]) -> Result<Vec<Item>> {
        for predicate in predicates {
            let size = items.len();
            items = match predicate {
                Predicate::At(place) => items.into_iter().skip(place.wrapping_sub(1)).take(1).collect(),
                Predicate::Last => items.pop().into_iter().collect(),
                Predicate::Truth(_) | Predicate::Any(_) => {
                    let mut kept = Vec::new();
                    for (index, item) in items.into_iter().enumerate() {
                        let focus = Focus { item: &item, position: index + 1, size };
                        if self.passes(predicate, &focus)? {
                            kept.push(item);
                        }
                    }
                    kept
                }
            };
        }
        Ok(items)
    }

    fn passes(&self, predicate: &'a Predicate, focus: &Focus<'_>) -> Result<bool> {
        match predicate {
            Predicate::At(place) => Ok(focus.position == *place),
            Predicate::Last => Ok(focus.position == focus.size),
            Predicate::Truth(operation) => self.boolean(operation, focus),
            Predicate::Any(operation) => {
                let value = self.value(operation, focus)?;
                match value.items() {
                    [Item::Atomic(number)] if number.is_number() => {
                        Ok(number.to_double() == Some(focus.position as f64))
                    }
                    _ => effective_boolean(&value),
                }
            }
        }
    }

    /// `base/step`: nodes in document order, each once; or values as they come.
    pub(super) fn each(&self, parts: &'a [Operation; 2], focus: &Focus<'_>) -> Result<Value> {
        let base = self.value(&parts[0], focus)?;
        if base.items().iter().any(|item| matches!(item, Item::Atomic(_))) {
            return Err(error("XPTY0019", "a step starts from nodes, but this is a value"));
        }
        let found = self.map_over(&base, &parts[1])?;
        let nodes = found.iter().filter(|item| matches!(item, Item::Node(_))).count();
        if nodes == 0 {
            return Ok(found.into());
        }
        if nodes < found.len() {
            return Err(error("XPTY0018", "a step gives both nodes and values"));
        }
        let mut nodes: Vec<Node> =
            found.into_iter().filter_map(|item| if let Item::Node(node) = item { Some(node) } else { None }).collect();
        normalise(&mut nodes);
        Ok(nodes.into())
    }

    pub(super) fn mapped(&self, parts: &'a [Operation; 2], focus: &Focus<'_>) -> Result<Value> {
        let base = self.value(&parts[0], focus)?;
        Ok(self.map_over(&base, &parts[1])?.into())
    }

    fn map_over(&self, base: &Value, step: &'a Operation) -> Result<Vec<Item>> {
        let mut found = Vec::new();
        let size = base.len();
        for (index, item) in base.items().iter().enumerate() {
            let value = self.value(step, &Focus { item, position: index + 1, size })?;
            self.charge_items(value.len())?;
            found.extend(value.into_items());
        }
        Ok(found)
    }

    pub(super) fn union(&self, args: &'a [Operation], focus: &Focus<'_>) -> Result<Value> {
        let mut nodes = Vec::new();
        for arg in args {
            nodes.extend(self.nodes(arg, "an operand of 'union'", focus)?);
        }
        normalise(&mut nodes);
        Ok(nodes.into())
    }

    /// The nodes of the left that are on the right, or are not.
    pub(super) fn intersection(&self, parts: &'a [Operation; 2], wanted: bool, focus: &Focus<'_>) -> Result<Value> {
        let what = if wanted { "an operand of 'intersect'" } else { "an operand of 'except'" };
        let mut nodes = self.nodes(&parts[0], what, focus)?;
        let others: FxHashSet<Node> = self.nodes(&parts[1], what, focus)?.into_iter().collect();
        nodes.retain(|node| others.contains(node) == wanted);
        normalise(&mut nodes);
        Ok(nodes.into())
    }

    pub(super) fn nodes(&self, operation: &'a Operation, what: &str, focus: &Focus<'_>) -> Result<Vec<Node>> {
        nodes_of(&self.value(operation, focus)?, || error("XPTY0004", format!("{what} must be nodes")))
    }
}

fn nodes_of(value: &Value, problem: impl Fn() -> crate::evaluator::EvalError) -> Result<Vec<Node>> {
    let node = |item: &Item| match item {
        Item::Node(node) => Ok(*node),
        Item::Atomic(_) => Err(problem()),
    };
    value.items().iter().map(node).collect()
}

/// Document order, each once.
pub(super) fn normalise(nodes: &mut Vec<Node>) {
    nodes.sort_unstable();
    nodes.dedup();
}
