//! What is left of a subscription once its trigger has fired, checked on the tape of the document.
//!
//! Every answer is remembered for the document: the conditions and paths of all subscriptions are shared, so each is
//! worked out at most once for each node.

use super::answers::{self, Answers};
use super::aside::{self, Aside};
use super::block::Steps;
use super::found::Automata;
use super::located::Located;
use super::nodes::Nodes;
use super::pattern::Axis;
use super::places::{Place, PlaceId};
use super::seen::Seen;
use super::shapes::{ConditionId, Shape, TRUE};
use super::spots::Spots;
use super::suffixes::Step;
use super::tests::TestId;
use super::trie::Side;
use super::values::{passes, ConstantId, Operator};
use super::Index;
use crate::error::Stop;
use crate::machine::compare;
use crate::tape::{Kind, Node, Tape, NO_PARENT};

/// Works out the answers for one document.
pub struct Checker<'a> {
    pub index: &'a Index,
    pub seen: Seen<'a>,
    pub tape: &'a Tape,
    pub nodes: Nodes<'a>,
    pub automata: Automata<'a>,
    pub answers: &'a mut Answers,
    pub spots: &'a mut Spots,
    pub located: &'a mut Located,
}

impl Checker<'_> {
    /// The constants that the values of the nodes equal that are at a place seen from an anchor, each once: a range of `Answers::found`.
    pub fn constants_at(&mut self, anchor: Node, side: Side, place: PlaceId) -> Result<answers::Range, Stop> {
        let automata = self.automata;
        let Place { from, steps } = automata[side as usize].places().get(place);
        let Some(node) = self.nodes.on_way(*from, anchor) else { return Ok((0, 0)) };
        if let Some(known) = self.answers.places.get((side, place, node)) {
            return Ok(known);
        }
        let start = self.answers.found.len();
        self.follow(node, steps)?;
        let range = self.answers.found_in_order(start);
        self.answers.places.add((side, place, node), range);
        Ok(range)
    }

    fn follow(&mut self, node: Node, steps: &[(Axis, TestId)]) -> Result<(), Stop> {
        let Some((&(axis, test), rest)) = steps.split_first() else {
            let constant = self.constant(node);
            self.answers.found.extend(constant);
            return Ok(());
        };
        if Aside::may_be_led_to(axis, test) {
            self.follow_each(self.nodes.aside_along(axis, test, node), rest)?;
        }
        if node >= aside::FIRST {
            return Ok(());
        }
        self.follow_each(self.nodes.along(axis, test, node), rest)
    }

    fn follow_each(&mut self, nodes: impl Iterator<Item = Node>, steps: &[(Axis, TestId)]) -> Result<(), Stop> {
        for node in nodes {
            self.spend()?;
            self.follow(node, steps)?;
        }
        Ok(())
    }

    /// The constant that a node's value equals.
    fn constant(&mut self, node: Node) -> Option<ConstantId> {
        let look_up = || self.index.shapes.constants.find_text(&self.seen.value(node));
        if node >= aside::FIRST {
            return self.nodes.aside.constant(node, look_up);
        }
        self.answers.constants.get(node).unwrap_or_else(|| {
            let constant = look_up();
            self.answers.constants.add(node, constant);
            constant
        })
    }

    #[inline]
    pub fn spend(&mut self) -> Result<(), Stop> {
        self.answers.spend(1)
    }

    /// Whether a condition holds for a node.
    #[inline(always)]
    pub fn holds(&mut self, id: ConditionId, node: Node) -> Result<bool, Stop> {
        if id == TRUE {
            return Ok(true);
        }
        self.is_fulfilled(id, node)
    }

    fn is_fulfilled(&mut self, id: ConditionId, node: Node) -> Result<bool, Stop> {
        let Some(shape) = self.index.shapes.condition(id) else { return Ok(false) };
        match shape {
            Shape::Known(value) => return Ok(*value),
            Shape::Is(test) => return Ok(self.nodes.is(node, *test)),
            Shape::Not(inner) => return Ok(!self.holds(*inner, node)?),
            // Their parts are remembered.
            Shape::All(ids) => return self.each_holds(ids, node, true),
            Shape::Any(ids) => return Ok(!self.each_holds(ids, node, false)?),
            Shape::Value(Operator::Is, constant) => return Ok(self.constant(node) == Some(*constant)),
            Shape::Exists(..) | Shape::Value(..) | Shape::Position(..) => {}
        }
        if let Some(known) = self.answers.conditions.get((id, node)) {
            return Ok(known);
        }
        let holds = match shape {
            Shape::Exists(axis, test, inner) => self.exists(*axis, *test, *inner, node)?,
            Shape::Value(operator, constant) => {
                passes(&self.index.shapes.constants, *operator, *constant, &self.seen.value(node))
            }
            Shape::Position(comparison, number, test, among) => {
                compare(*comparison, self.position(*test, *among, node)?, f64::from_bits(*number))
            }
            Shape::Known(_) | Shape::Is(_) | Shape::Not(_) | Shape::All(_) | Shape::Any(_) => false,
        };
        self.answers.conditions.add((id, node), holds);
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
        if Aside::may_be_led_to(axis, test) && self.holds_for_any(inner, self.nodes.aside_along(axis, test, node))? {
            return Ok(true);
        }
        if node >= aside::FIRST {
            return Ok(false);
        }
        self.holds_for_any(inner, self.nodes.along(axis, test, node))
    }

    fn holds_for_any(&mut self, condition: ConditionId, nodes: impl Iterator<Item = Node>) -> Result<bool, Stop> {
        for node in nodes {
            self.spend()?;
            if self.holds(condition, node)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The node's place among its siblings that count.
    fn position(&mut self, test: TestId, among: ConditionId, node: Node) -> Result<f64, Stop> {
        // What is kept aside has no position (see `Asked`).
        let Some(record) = self.tape.records.get(node as usize) else { return Ok(0.0) };
        let siblings = self.nodes.along(Axis::Child, test, record.parent);
        let mut place = 1;
        for one in siblings.take_while(|&one| one < node) {
            self.spend()?;
            if self.holds(among, one)? {
                place += 1;
            }
        }
        Ok(f64::from(place))
    }

    /// Whether a node is where a path from the document leads to, which is followed upward.
    pub fn is_led_up(&mut self, steps: Steps<'_>, node: Node) -> Result<bool, Stop> {
        let Some((step, rest)) = steps.split_first() else { return Ok(true) };
        if step.condition == TRUE && step.axis == Axis::Child {
            // To take the step again takes less than to remember it.
            return Ok(self.nodes.passes(node, step.test) && self.has_context(step.axis, rest, node)?);
        }
        if let Some(known) = self.answers.prefixes.get((step.path, node)) {
            return Ok(known);
        }
        let is_led_up = self.fits(step, node)? && self.has_context(step.axis, rest, node)?;
        self.answers.prefixes.add((step.path, node), is_led_up);
        Ok(is_led_up)
    }

    fn has_context(&mut self, axis: Axis, rest: Steps<'_>, node: Node) -> Result<bool, Stop> {
        if rest.is_empty() && axis == Axis::Descendant {
            return Ok(true);
        }
        let mut above = Above::new(self.tape, axis, node);
        while let Some(context) = above.next() {
            self.spend()?;
            let is_document = self.tape.record(context).kind == Kind::Document;
            if is_document == rest.is_empty() && self.is_led_up(rest, context)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn fits(&mut self, step: Step, node: Node) -> Result<bool, Stop> {
        Ok(self.nodes.passes(node, step.test) && self.holds(step.condition, node)?)
    }

    /// The nodes from which steps, which are followed upward, lead to this one.
    pub fn climb(&mut self, steps: Steps<'_>, node: Node, found: &mut Vec<Node>) -> Result<(), Stop> {
        let Some((step, rest)) = steps.split_first() else {
            found.push(node);
            return Ok(());
        };
        if !self.fits(step, node)? {
            return Ok(());
        }
        let mut above = Above::new(self.tape, step.axis, node);
        while let Some(context) = above.next() {
            self.spend()?;
            if self.tape.record(context).kind != Kind::Document {
                self.climb(rest, context, found)?;
            }
        }
        Ok(())
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
