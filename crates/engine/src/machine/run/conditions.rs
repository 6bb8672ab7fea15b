//! From a condition and a node to a signal: what is known at once, and gates for the rest.

use super::super::compiled::Cond;
use super::super::gates::{GateId, GateKind, Signal};
use super::super::program::{BeforeAxis, StepAxis, UpAxis, When};
use super::super::set::{global, NodeTest, StepId, DOCUMENT};
use super::super::value_test::compare;
use super::frame::{Accumulator, CheckTest, Evaluation, Later, LaterSiblings, Tells};
use super::{At, Leaf, NodeAt, Run, Runner};
use crate::error::Stop;
use crate::events::Attribute;
use crate::ir::Test;
use crate::names::{NameId, Names};
use crate::tape::Node;

impl Runner<'_> {
    /// The condition's signal for the node; the caller holds it.
    pub(super) fn condition(
        &mut self,
        condition: &Cond,
        base: StepId,
        counters: u32,
        at: &At<'_>,
    ) -> Result<Signal, Stop> {
        Ok(match condition {
            Cond::Known(value) => Signal::known(*value),
            Cond::And(args) => self.combination(GateKind::And, args, base, counters, at)?,
            Cond::Or(args) => self.combination(GateKind::Or, args, base, counters, at)?,
            Cond::Not(arg) => self.condition(arg, base, counters, at)?.negate(),
            Cond::Exists(step) => self.exists(global(base, *step), at)?,
            Cond::Is(test) => Signal::known(is(test, at)),
            Cond::Value(test) => match &at.kind {
                NodeAt::Document | NodeAt::Element(_) => {
                    let gate = self.run.gates.create(GateKind::Or, 1);
                    self.run.check_value(at.level, CheckTest::Own(test.clone()), Tells::Gate(gate));
                    self.shared(Signal::of(gate))
                }
                NodeAt::Attribute(tag, index) => Signal::known(test.passes(tag.attributes[*index].value().as_bytes())),
                NodeAt::Leaf(_, value) => Signal::known(test.passes(value.as_bytes())),
            },
            Cond::Up(axis, step) => self.up(*axis, global(base, *step), at),
            Cond::Before(axis, step) => self.before(*axis, global(base, *step), at),
            Cond::Position { counter, comparison, value } => {
                let position = self.run.waiting(at.level - 1).count(counters + counter);
                Signal::known(compare(*comparison, f64::from(position), *value))
            }
            Cond::Place { counter, comparison, value } => {
                let place = self.run.waiting(0).count(counters + counter);
                Signal::known(compare(*comparison, f64::from(place), *value))
            }
            Cond::Eval { expr, when, counter } => {
                let position =
                    counter.map_or(1, |counter| self.run.waiting(at.level - 1).count(counters + counter)) as usize;
                let level = match (when, &at.kind) {
                    (When::Document, _) => 0,
                    (When::Parent, _) => at.level.saturating_sub(1),
                    (When::End, NodeAt::Element(_) | NodeAt::Document) => at.level,
                    _ => {
                        return self
                            .evaluate_truth(self.set.owner(base), expr, at.node, position, at.names)
                            .map(Signal::known)
                    }
                };
                let gate = self.run.gates.create(GateKind::Or, 1);
                let evaluation =
                    Evaluation { gate, output: self.set.owner(base), expr: expr.clone(), node: at.node, position };
                self.run.waiting(level).evaluations.push(evaluation);
                self.shared(Signal::of(gate))
            }
        })
    }

    /// The signal is held by one more.
    fn shared(&mut self, signal: Signal) -> Signal {
        self.run.gates.hold(signal);
        signal
    }

    fn combination(
        &mut self,
        kind: GateKind,
        args: &[Cond],
        base: StepId,
        counters: u32,
        at: &At<'_>,
    ) -> Result<Signal, Stop> {
        let decisive = Signal::known(kind == GateKind::Or);
        let first = self.run.scratch.len();
        let mut result = None;
        for arg in args {
            let signal = self.condition(arg, base, counters, at)?;
            if signal == decisive {
                result = Some(decisive);
                break;
            }
            self.run.scratch.push(signal);
        }
        let run = &mut *self.run;
        let result = result.unwrap_or_else(|| run.gates.combine(kind, &run.scratch[first..]));
        for signal in run.scratch.drain(first..) {
            run.gates.release(signal);
        }
        Ok(result)
    }

    fn exists(&mut self, step: StepId, at: &At<'_>) -> Result<Signal, Stop> {
        let branch = self.set.step(step);
        match (branch.axis, &at.kind) {
            (StepAxis::Attribute, NodeAt::Element(tag)) => {
                for index in 0..tag.attributes.len() {
                    if self.attribute_matches(step, at, index)? {
                        return Ok(Signal::TRUE);
                    }
                }
                Ok(Signal::FALSE)
            }
            (StepAxis::FollowingSibling | StepAxis::Following, NodeAt::Element(_) | NodeAt::Leaf(..)) => {
                let gate = if branch.axis == StepAxis::Following {
                    let gate = self.run.gates.create(GateKind::Or, 1);
                    let owner_level = matches!(at.kind, NodeAt::Element(_)).then_some(at.level as u32);
                    self.run.later.push(Later { step, gate, owner: at.start, owner_level });
                    gate
                } else {
                    self.run.expect_sibling(step, at)
                };
                Ok(self.shared(Signal::of(gate)))
            }
            _ if branch.from == DOCUMENT => {
                let found = self.run.document_accumulator(step);
                let signal = found.map_or(Signal::FALSE, |gate| self.run.gates.read(Signal::of(gate)));
                Ok(self.shared(signal))
            }
            (
                StepAxis::Child | StepAxis::Descendant | StepAxis::DescendantOrSelf,
                NodeAt::Element(_) | NodeAt::Document,
            ) => {
                let run = &mut *self.run;
                let gate = run.gates.create(GateKind::Or, 1);
                if branch.axis != StepAxis::Child {
                    // What is below this node is below the nodes around it.
                    if let Some(outer) = run.innermost(branch.from, step, |level| level < at.level) {
                        if !run.gates.is_decided(outer) {
                            run.gates.connect(Signal::of(gate), outer);
                        }
                    }
                }
                run.accumulators.push(Accumulator { step, gate, open: true });
                Ok(self.shared(Signal::of(gate)))
            }
            _ => Ok(Signal::FALSE),
        }
    }

    /// Whether the attribute is matched by the attribute step; its conditions are of the kinds known at once.
    pub(super) fn attribute_matches(&mut self, step: StepId, at: &At<'_>, index: usize) -> Result<bool, Stop> {
        let NodeAt::Element(tag) = at.kind else { return Ok(false) };
        let set = self.set;
        let attribute: &Attribute<'_> = &tag.attributes[index];
        let matches = match set.step(step).test {
            NodeTest::Node => true,
            NodeTest::Name(test) => {
                let symbol = self.run.automaton.symbols.of(attribute.name, at.names, &set.tests);
                self.run.automaton.symbols.passes(symbol, test)
            }
            _ => false,
        };
        let Some(condition) = set.step(step).condition.as_ref().filter(|_| matches) else { return Ok(matches) };
        let at = At {
            names: at.names,
            source: at.source,
            kind: NodeAt::Attribute(tag, index),
            level: at.level + 1,
            start: attribute.offset,
            node: at.node + 1 + index as Node,
        };
        let signal = self.condition(condition, set.step(step).base, set.step(step).counter_base, &at)?;
        Ok(signal == Signal::TRUE)
    }

    fn up(&mut self, axis: UpAxis, step: StepId, at: &At<'_>) -> Signal {
        let run = &mut *self.run;
        if axis == UpAxis::Ancestor {
            return run.enclosing(step, at.level);
        }
        at.level.checked_sub(1).map_or(Signal::FALSE, |parent| run.context_at(step, parent))
    }

    fn before(&mut self, axis: BeforeAxis, step: StepId, at: &At<'_>) -> Signal {
        let run = &mut *self.run;
        let memory = match axis {
            BeforeAxis::PrecedingSibling if at.level == 0 => return Signal::FALSE,
            BeforeAxis::PrecedingSibling => match &run.frames[at.level - 1].waiting {
                Some(waiting) => &waiting.siblings,
                None => return Signal::FALSE,
            },
            BeforeAxis::Preceding => &run.before,
        };
        let first = run.scratch.len();
        run.scratch.extend(memory.iter().filter(|(id, _)| *id == step).map(|(_, valid)| *valid));
        run.gates.any(&mut run.scratch, first)
    }
}

impl Run {
    /// The gate that becomes true when a later sibling of the node is matched by the step.
    fn expect_sibling(&mut self, step: StepId, at: &At<'_>) -> GateId {
        let gates = &mut self.gates;
        let parent = self.frames[at.level - 1].wait(&mut self.spare);
        let Some(later) = parent.later.iter_mut().find(|later| later.step == step) else {
            let newest = gates.create(GateKind::Or, 1);
            parent.later.push(LaterSiblings { step, owner: at.start, newest, older: None });
            return newest;
        };
        if later.owner != at.start {
            let newest = gates.create(GateKind::Or, 1);
            if !gates.is_decided(later.newest) {
                gates.connect(Signal::of(newest), later.newest);
            }
            if let Some(older) = later.older.replace(later.newest) {
                gates.close(older);
            }
            later.newest = newest;
            later.owner = at.start;
        }
        later.newest
    }
}

pub(super) fn is(test: &Test, at: &At<'_>) -> bool {
    match (test, &at.kind) {
        (Test::Node, _) => true,
        (Test::Name { uri, local }, NodeAt::Element(tag)) => {
            name_passes(uri.as_deref(), local.as_deref(), tag.name, at.names)
        }
        (Test::Text, NodeAt::Leaf(Leaf::Text, _)) | (Test::Comment, NodeAt::Leaf(Leaf::Comment, _)) => true,
        (Test::Instruction { target }, NodeAt::Leaf(Leaf::Instruction(found), _)) => {
            target.as_ref().is_none_or(|wanted| wanted == found)
        }
        _ => false,
    }
}

fn name_passes(uri: Option<&str>, local: Option<&str>, name: NameId, names: &Names) -> bool {
    uri.is_none_or(|uri| names.uri(name) == uri) && local.is_none_or(|local| names.local(name) == local)
}
