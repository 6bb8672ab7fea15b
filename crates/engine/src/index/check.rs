//! What is left of a subscription once its trigger has fired, checked on the tape of the document.
//!
//! Every answer is remembered for the document: the conditions and paths of all subscriptions are shared, so each is
//! worked out at most once for each node.

use rustc_hash::{FxHashMap, FxHashSet};

use super::nodes::Nodes;
use super::pattern::Axis;
use super::plans::{PlanId, IMPLIED};
use super::shapes::{ConditionId, Link, PathId, Shape, END, TRUE};
use super::sketch::Sketch;
use super::tests::TestId;
use super::values::passes;
use super::Index;
use crate::error::Stop;
use crate::machine::compare;
use crate::tape::{Kind, Node, Tape, NO_PARENT};

/// Answers for one document.
#[derive(Default)]
pub struct Answers {
    conditions: FxHashMap<(ConditionId, Node), bool>,
    prefixes: FxHashMap<(PathId, Node), bool>,
    results: FxHashMap<(PathId, Node), (u32, u32)>,
    /// Results of all paths, one after the other.
    nodes: Vec<Node>,
    /// Plans that were checked from an anchor.
    done: FxHashSet<(PlanId, Node)>,
    /// Plans that hold, and the nodes they give.
    held: Vec<(PlanId, (u32, u32))>,
    anchors: Vec<Node>,
    /// Steps that may still be taken.
    budget: u64,
}

/// A memory that one large document has made larger than this is given back.
const LARGE: usize = 1 << 16;

impl Answers {
    /// Forgets the last document.
    pub fn begin(&mut self, budget: u64) {
        clear(&mut self.conditions);
        clear(&mut self.prefixes);
        clear(&mut self.results);
        if self.done.capacity() > LARGE {
            self.done = FxHashSet::default();
        }
        self.done.clear();
        self.nodes.clear();
        self.nodes.shrink_to(LARGE);
        self.held.clear();
        self.budget = budget;
    }

    /// The plans that hold, with the nodes they give; the same plan may come again, with other nodes or the same.
    pub fn held(&self) -> impl Iterator<Item = (PlanId, &[Node])> {
        self.held.iter().map(|&(plan, (from, to))| (plan, &self.nodes[from as usize..to as usize]))
    }
}

fn clear<K, V>(memory: &mut FxHashMap<K, V>) {
    if memory.capacity() > LARGE {
        *memory = FxHashMap::default();
    } else {
        memory.clear();
    }
}

/// Works out the answers for one document.
pub struct Checker<'a> {
    pub index: &'a Index,
    pub sketch: &'a Sketch,
    pub tape: &'a Tape,
    pub nodes: &'a Nodes,
    pub answers: &'a mut Answers,
}

impl Checker<'_> {
    /// The plan's trigger fired on the node: climbs to the anchors, checks what is around them, takes what is below.
    pub fn check(&mut self, plan: PlanId, node: Node) -> Result<(), Stop> {
        let route = self.index.plans.route(plan);
        let mut anchors = std::mem::take(&mut self.answers.anchors);
        anchors.clear();
        self.climb(route.climb, node, &mut anchors)?;
        for &anchor in &anchors {
            if !self.answers.done.insert((plan, anchor)) {
                continue;
            }
            if route.prefix != IMPLIED && !self.is_last(route.prefix, anchor)? {
                continue;
            }
            let results = self.results(route.suffix, anchor)?;
            if results.0 < results.1 {
                self.answers.held.push((plan, results));
            }
        }
        self.answers.anchors = anchors;
        Ok(())
    }

    fn spend(&mut self) -> Result<(), Stop> {
        let budget = self.answers.budget.checked_sub(1);
        self.answers.budget =
            budget.ok_or_else(|| Stop::limit("evaluation takes too many steps (limit evaluation_steps)"))?;
        Ok(())
    }

    /// Whether a condition holds for a node.
    fn holds(&mut self, id: ConditionId, node: Node) -> Result<bool, Stop> {
        if id == TRUE {
            return Ok(true);
        }
        let Some(shape) = self.index.shapes.condition(id) else { return Ok(false) };
        match shape {
            Shape::Known(value) => return Ok(*value),
            Shape::Is(test) => return Ok(self.nodes.passes(node, *test)),
            Shape::Not(inner) => return Ok(!self.holds(*inner, node)?),
            Shape::All(_) | Shape::Any(_) | Shape::Exists(..) | Shape::Value(..) | Shape::Position(..) => {}
        }
        if let Some(&known) = self.answers.conditions.get(&(id, node)) {
            return Ok(known);
        }
        let holds = match shape {
            Shape::All(ids) => self.each_holds(ids, node, true)?,
            Shape::Any(ids) => !self.each_holds(ids, node, false)?,
            Shape::Exists(axis, test, inner) => self.exists(*axis, *test, *inner, node)?,
            Shape::Value(operator, constant) => {
                passes(&self.index.shapes.constants, *operator, *constant, &self.sketch.value(node))
            }
            Shape::Position(comparison, number, test, among) => {
                compare(*comparison, self.position(*test, *among, node)?, f64::from_bits(*number))
            }
            Shape::Known(_) | Shape::Is(_) | Shape::Not(_) => false,
        };
        self.answers.conditions.insert((id, node), holds);
        Ok(holds)
    }

    /// Whether all conditions have this value.
    fn each_holds(&mut self, ids: &[ConditionId], node: Node, value: bool) -> Result<bool, Stop> {
        for &id in ids {
            if self.holds(id, node)? != value {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn exists(&mut self, axis: Axis, test: TestId, inner: ConditionId, node: Node) -> Result<bool, Stop> {
        let nodes = self.nodes;
        let first = if axis == Axis::DescendantOrSelf { node } else { node + 1 };
        for one in nodes.within(test, first, self.tape.end(node)) {
            self.spend()?;
            if self.leads(axis, node, one) && self.holds(inner, one)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The node's place among its siblings that count.
    fn position(&mut self, test: TestId, among: ConditionId, node: Node) -> Result<f64, Stop> {
        let parent = self.tape.record(node).parent;
        let nodes = self.nodes;
        let mut place = 1;
        for one in nodes.within(test, parent + 1, node) {
            self.spend()?;
            if self.leads(Axis::Child, parent, one) && self.holds(among, one)? {
                place += 1;
            }
        }
        Ok(f64::from(place))
    }

    /// Whether the axis leads from a node to one of those that follow it within it.
    fn leads(&self, axis: Axis, from: Node, to: Node) -> bool {
        let record = self.tape.record(to);
        match axis {
            Axis::Attribute => record.kind == Kind::Attribute && record.parent == from,
            Axis::Child => record.kind != Kind::Attribute && record.parent == from,
            Axis::Descendant | Axis::DescendantOrSelf => record.kind != Kind::Attribute || from == to,
        }
    }

    /// Whether a node is the last of a path from the document, which is followed upward.
    fn is_last(&mut self, path: PathId, node: Node) -> Result<bool, Stop> {
        if let Some(&known) = self.answers.prefixes.get(&(path, node)) {
            return Ok(known);
        }
        let Some(link) = self.index.shapes.link(path) else { return Ok(false) };
        let is_last = self.fits(link, node)? && self.has_context(link, node)?;
        self.answers.prefixes.insert((path, node), is_last);
        Ok(is_last)
    }

    fn has_context(&mut self, link: Link, node: Node) -> Result<bool, Stop> {
        let mut above = Above::new(self.tape, link.axis, node);
        while let Some(context) = above.next() {
            self.spend()?;
            let is_document = self.tape.record(context).kind == Kind::Document;
            if link.rest == END {
                if is_document {
                    return Ok(true);
                }
            } else if !is_document && self.is_last(link.rest, context)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn fits(&mut self, link: Link, node: Node) -> Result<bool, Stop> {
        Ok(self.nodes.passes(node, link.test) && self.holds(link.condition, node)?)
    }

    /// The nodes from which a path, which is followed upward, leads to this one.
    fn climb(&mut self, path: PathId, node: Node, found: &mut Vec<Node>) -> Result<(), Stop> {
        let Some(link) = self.index.shapes.link(path).filter(|_| path != END) else {
            found.push(node);
            return Ok(());
        };
        if !self.fits(link, node)? {
            return Ok(());
        }
        let mut above = Above::new(self.tape, link.axis, node);
        while let Some(context) = above.next() {
            self.spend()?;
            if self.tape.record(context).kind != Kind::Document {
                self.climb(link.rest, context, found)?;
            }
        }
        Ok(())
    }

    /// The nodes that a path, which is followed upward, leads to from a node, each once: a range of `Answers::nodes`.
    fn results(&mut self, path: PathId, node: Node) -> Result<(u32, u32), Stop> {
        let start = self.answers.nodes.len() as u32;
        let Some(link) = self.index.shapes.link(path).filter(|_| path != END) else {
            self.answers.nodes.push(node);
            return Ok((start, start + 1));
        };
        if let Some(&known) = self.answers.results.get(&(path, node)) {
            return Ok(known);
        }
        let nodes = self.nodes;
        for one in nodes.within(link.test, node + 1, self.tape.end(node)) {
            self.spend()?;
            if self.comes_from(path, one, node)? {
                self.answers.nodes.push(one);
            }
        }
        let range = (start, self.answers.nodes.len() as u32);
        self.answers.results.insert((path, node), range);
        Ok(range)
    }

    /// Whether a path, which is followed upward, leads from one node to another within it.
    fn comes_from(&mut self, path: PathId, node: Node, from: Node) -> Result<bool, Stop> {
        let Some(link) = self.index.shapes.link(path) else { return Ok(false) };
        let is_attribute = self.tape.record(node).kind == Kind::Attribute;
        if is_attribute != (link.axis == Axis::Attribute) || !self.nodes.passes(node, link.test) {
            return Ok(false);
        }
        let mut above = Above::new(self.tape, link.axis, node);
        while let Some(context) = above.next().filter(|&context| context >= from) {
            self.spend()?;
            let is_there = if link.rest == END { context == from } else { self.comes_from(link.rest, context, from)? };
            if is_there {
                return self.holds(link.condition, node);
            }
        }
        Ok(false)
    }
}

/// The nodes from which an axis leads to a node, the nearest first.
struct Above<'a> {
    tape: &'a Tape,
    next: Node,
    is_only: bool,
}

impl<'a> Above<'a> {
    fn new(tape: &'a Tape, axis: Axis, node: Node) -> Above<'a> {
        let next = if axis == Axis::DescendantOrSelf { node } else { tape.record(node).parent };
        Above { tape, next, is_only: matches!(axis, Axis::Child | Axis::Attribute) }
    }

    fn next(&mut self) -> Option<Node> {
        let node = self.next;
        if node == NO_PARENT {
            return None;
        }
        self.next = if self.is_only { NO_PARENT } else { self.tape.record(node).parent };
        Some(node)
    }
}
