//! From candidates to results.

use super::super::gates::{GateKind, Signal};
use super::super::program::AggregateFunction;
use super::super::set::{Output, SinkKind};
use super::super::value_test::to_number;
use super::frame::{PendingTail, Waiting};
use super::hits::{Body, Hit};
use super::{At, Leaf, NodeAt, Runner};
use crate::error::Stop;
use crate::evaluator::{node_kind, number_to_string, string_to_number, string_value, Compiled, Context, EvalError, NodeKind, NodeRef, Value};
use crate::fragment;
use crate::names::Names;
use crate::tape::Node;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FragmentKind {
    Element,
    Attribute,
    Text,
    Comment,
    Instruction,
    Atomic,
    Document,
}

impl FragmentKind {
    pub fn as_str(self) -> &'static str {
        match self {
            FragmentKind::Element => "element",
            FragmentKind::Attribute => "attribute",
            FragmentKind::Text => "text",
            FragmentKind::Comment => "comment",
            FragmentKind::Instruction => "pi",
            FragmentKind::Atomic => "atomic",
            FragmentKind::Document => "document",
        }
    }
}

#[derive(Debug)]
pub struct Fragment {
    pub kind: FragmentKind,
    pub text: String,
    /// Where its node begins in the expanded source; it names the node and gives the order.
    pub offset: u64,
}

/// Results by reference: each distinct fragment once, and who gets it.
#[derive(Default, Debug)]
pub struct Batch {
    pub fragments: Vec<Fragment>,
    pub deliveries: Vec<(Output, u32)>,
    /// Outputs whose evaluation failed on this document.
    pub errors: Vec<(Output, String)>,
}

#[derive(Clone, Copy, Default)]
pub struct Aggregate {
    count: u64,
    sum: f64,
    extreme: Option<f64>,
}

impl Aggregate {
    fn take(&mut self, function: AggregateFunction, value: f64) {
        self.count += 1;
        self.sum += value;
        let better = |best: f64| match function {
            AggregateFunction::Min => value < best,
            _ => value > best,
        };
        if value.is_nan() || self.extreme.map_or(true, |best| !best.is_nan() && better(best)) {
            self.extreme = Some(value);
        }
    }

    fn value(&self, function: AggregateFunction) -> Option<f64> {
        match function {
            AggregateFunction::Count => Some(self.count as f64),
            AggregateFunction::Sum => Some(self.sum),
            AggregateFunction::Avg => (self.count > 0).then(|| self.sum / self.count as f64),
            AggregateFunction::Min | AggregateFunction::Max => self.extreme,
        }
    }
}

impl Runner<'_> {
    /// Makes candidates of the outputs that the node at hand was matched for.
    pub(super) fn take_fresh(&mut self, at: &At<'_>) -> Result<(), Stop> {
        while let Some((output, valid)) = self.run.hits.next_fresh(&mut self.run.gates) {
            let (body, complete) = self.body(output, at);
            let hit = Hit { output, offset: at.start, body, valid: None, complete, repeatable: false };
            let id = self.run.hits.add(&mut self.run.gates, hit, valid);
            self.run.gates.release(valid);
            if complete {
                self.try_deliver(id, at.names)?;
            } else {
                self.run.waiting(at.level).hits.push(id);
            }
        }
        while let Some((output, index, offset, valid)) = self.run.hits.next_fresh_attribute(&mut self.run.gates) {
            let NodeAt::Element(tag) = at.kind else { break };
            let value = tag.attributes[index].value();
            let body = self.leaf_body(output, FragmentKind::Attribute, &value, || value.to_string());
            let hit = Hit { output, offset, body, valid: None, complete: true, repeatable: false };
            let id = self.run.hits.add(&mut self.run.gates, hit, valid);
            self.run.gates.release(valid);
            self.try_deliver(id, at.names)?;
        }
        Ok(())
    }

    fn aggregate(&self, output: Output) -> Option<AggregateFunction> {
        match self.set.subscriptions[output as usize].sink {
            SinkKind::Aggregate { function, .. } => Some(function),
            _ => None,
        }
    }

    fn body(&mut self, output: Output, at: &At<'_>) -> (Body, bool) {
        match &at.kind {
            NodeAt::Leaf(Leaf::Text, value) => {
                (self.leaf_body(output, FragmentKind::Text, value, || (*value).to_owned()), true)
            }
            NodeAt::Leaf(Leaf::Comment, value) => {
                (self.leaf_body(output, FragmentKind::Comment, value, || written(|out| fragment::comment(value, out))), true)
            }
            NodeAt::Leaf(Leaf::Instruction(target), value) => {
                (self.leaf_body(output, FragmentKind::Instruction, value, || written(|out| fragment::instruction(target, value, out))), true)
            }
            NodeAt::Element(tag) => match self.aggregate(output) {
                Some(AggregateFunction::Count) => (Body::Number(1.0), true),
                Some(_) => {
                    self.run.want_text(at.level);
                    (Body::Number(f64::NAN), false)
                }
                None => {
                    let capture = self.run.capture(at);
                    self.run.captures.hold(capture);
                    (Body::Source { capture, range: (at.start, at.start), namespaces: tag.namespaces }, false)
                }
            },
            // The document node and attributes are not matched by steps that have outputs.
            NodeAt::Document | NodeAt::Attribute(..) => (Body::Text(FragmentKind::Document, String::new()), true),
        }
    }

    fn leaf_body(&self, output: Output, kind: FragmentKind, value: &str, text: impl FnOnce() -> String) -> Body {
        match self.aggregate(output) {
            Some(AggregateFunction::Count) => Body::Number(1.0),
            Some(_) => Body::Number(string_to_number(value)),
            None => Body::Text(kind, text()),
        }
    }

    /// The element's candidates have all they need.
    pub(super) fn complete_hits(&mut self, waiting: &mut Waiting, names: &Names, end: u64) -> Result<(), Stop> {
        for id in waiting.hits.drain(..) {
            let run = &mut *self.run;
            let Some(hit) = run.hits.get_mut(id) else { continue };
            hit.complete = true;
            match &mut hit.body {
                Body::Source { range, .. } => range.1 = end,
                Body::Number(number) => *number = waiting.text.map_or(f64::NAN, |start| to_number(&run.texts[start..])),
                _ => {}
            }
            self.try_deliver(id, names)?;
        }
        self.settle(names)
    }

    /// Draws the consequences of decided conditions for the candidates.
    pub(super) fn settle(&mut self, names: &Names) -> Result<(), Stop> {
        if self.run.gates.decided.is_empty() {
            return Ok(());
        }
        let mut decided = std::mem::take(&mut self.run.gates.decided);
        for (id, valid) in decided.drain(..) {
            if let Some(hit) = self.run.hits.get_mut(id) {
                hit.valid = Some(valid);
                self.try_deliver(id, names)?;
            }
        }
        self.run.gates.decided = decided;
        Ok(())
    }

    pub(super) fn try_deliver(&mut self, id: u32, names: &Names) -> Result<(), Stop> {
        let Some(hit) = self.run.hits.get_mut(id) else { return Ok(()) };
        match (hit.valid, hit.complete) {
            (Some(true), true) | (Some(false), _) => {}
            _ => return Ok(()),
        }
        // An invalid candidate of an open element is still on the element's list: its number must stay taken until then.
        if !hit.complete {
            if let Body::Source { capture, .. } = std::mem::replace(&mut hit.body, Body::Dropped) {
                self.run.captures.release(capture);
            }
            return Ok(());
        }
        let Some(hit) = self.run.hits.remove(id) else { return Ok(()) };
        if hit.valid == Some(true) {
            self.deliver(&hit, names)?;
        } else if matches!(hit.body, Body::Truth) && self.set.subscriptions[hit.output as usize].deliver_empty {
            self.push(hit.output, FragmentKind::Atomic, "false".to_owned(), 0)?;
        }
        if let Body::Source { capture, .. } = hit.body {
            self.run.captures.release(capture);
        }
        Ok(())
    }

    fn deliver(&mut self, hit: &Hit, names: &Names) -> Result<(), Stop> {
        if hit.repeatable && !self.run.hits.delivered.insert((hit.output, hit.offset)) {
            return Ok(());
        }
        match &hit.body {
            Body::Text(kind, text) => self.push(hit.output, *kind, text.clone(), hit.offset),
            Body::Source { capture, range, namespaces } => {
                if let Some(shared) = self.run.batch.fragments.last() {
                    if shared.offset == hit.offset && shared.kind == FragmentKind::Element {
                        let shared = self.run.batch.fragments.len() as u32 - 1;
                        return self.count_delivery(hit.output, shared);
                    }
                }
                let raw = self.run.captures.slice(*capture, range.0, range.1);
                let mut text = String::with_capacity(raw.len() + 32);
                fragment::standalone(raw, *namespaces, names, &mut text);
                self.push(hit.output, FragmentKind::Element, text, hit.offset)
            }
            Body::Number(number) => {
                let SinkKind::Aggregate { function, running } = self.set.subscriptions[hit.output as usize].sink else {
                    return Ok(());
                };
                let aggregate = &mut self.run.hits.aggregates[hit.output as usize];
                let old = aggregate.value(function);
                aggregate.take(function, *number);
                match aggregate.value(function) {
                    Some(new) if running && old != Some(new) => {
                        self.push(hit.output, FragmentKind::Atomic, number_to_string(new), hit.offset)
                    }
                    _ => Ok(()),
                }
            }
            Body::Truth => self.push(hit.output, FragmentKind::Atomic, "true".to_owned(), 0),
            Body::Dropped => Ok(()),
        }
    }

    fn push(&mut self, output: Output, kind: FragmentKind, text: String, offset: u64) -> Result<(), Stop> {
        let fragments = &mut self.run.batch.fragments;
        fragments.push(Fragment { kind, text, offset });
        let fragment = fragments.len() as u32 - 1;
        self.count_delivery(output, fragment)
    }

    fn count_delivery(&mut self, output: Output, fragment: u32) -> Result<(), Stop> {
        self.run.batch.deliveries.push((output, fragment));
        self.run.delivered += 1;
        if self.run.delivered > self.run.limits.deliveries {
            return Err(Stop::limit(format!("more than {} deliveries (limit deliveries)", self.run.limits.deliveries)));
        }
        Ok(())
    }

    /// Evaluates the rest of a path for an anchor and makes candidates of what it gives.
    pub(super) fn run_tail(&mut self, pending: PendingTail, names: &Names) -> Result<(), Stop> {
        let PendingTail { tail, valid, node, capture, repeatable } = pending;
        if self.run.gates.read(valid) != Signal::FALSE {
            let repeatable = repeatable || self.run.hits.repeatable > 0 || !self.run.hits.delivered.is_empty();
            if let Some(Value::Nodes(nodes)) = self.evaluate(tail.output, &tail.expr, node, names)? {
                for node in nodes {
                    let (offset, body) = self.evaluated_body(tail.output, node, capture, names);
                    if matches!(body, Body::Source { .. }) {
                        self.run.captures.hold(capture);
                    }
                    let hit = Hit { output: tail.output, offset, body, valid: None, complete: true, repeatable };
                    let id = self.run.hits.add(&mut self.run.gates, hit, valid);
                    self.try_deliver(id, names)?;
                }
            }
        }
        self.run.gates.release(valid);
        self.run.captures.release(capture);
        Ok(())
    }

    fn evaluated_body(&self, output: Output, node: NodeRef, capture: super::super::capture::CaptureId, names: &Names) -> (u64, Body) {
        let tape = self.run.tape.tape();
        let record = tape.record(node.node);
        let value = string_value(tape, names, node);
        let aggregate = self.aggregate(output);
        let body = match node_kind(tape, node) {
            _ if aggregate == Some(AggregateFunction::Count) => Body::Number(1.0),
            _ if aggregate.is_some() => Body::Number(string_to_number(value)),
            NodeKind::Element => Body::Source { capture, range: record.source, namespaces: record.namespaces },
            NodeKind::Document => {
                let raw = self.run.captures.whole(capture);
                Body::Text(FragmentKind::Document, written(|out| fragment::document(raw, out)))
            }
            NodeKind::Attribute | NodeKind::Namespace => Body::Text(FragmentKind::Attribute, value.to_owned()),
            NodeKind::Text => Body::Text(FragmentKind::Text, value.to_owned()),
            NodeKind::Comment => Body::Text(FragmentKind::Comment, written(|out| fragment::comment(value, out))),
            NodeKind::Instruction => {
                let target = tape.target(node.node);
                Body::Text(FragmentKind::Instruction, written(|out| fragment::instruction(target, value, out)))
            }
        };
        (record.source.0, body)
    }

    /// The document ends: values and aggregates that wait for it.
    pub(super) fn finish_sinks(&mut self, names: &Names) -> Result<(), Stop> {
        let set = self.set;
        for (output, subscription) in set.subscriptions.iter().enumerate() {
            let output = output as Output;
            match &subscription.sink {
                SinkKind::Aggregate { function, running: false } => {
                    if let Some(value) = self.run.hits.aggregates[output as usize].value(*function) {
                        self.push(output, FragmentKind::Atomic, number_to_string(value), 0)?;
                    }
                }
                SinkKind::Value { expr } => {
                    let Some(value) = self.evaluate(output, expr, 0, names)? else { continue };
                    self.push_value(output, value, subscription.deliver_empty, names)?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn push_value(&mut self, output: Output, value: Value, deliver_empty: bool, names: &Names) -> Result<(), Stop> {
        let says_nothing = match &value {
            Value::Boolean(value) => !value,
            Value::String(value) => value.is_empty(),
            Value::Number(_) => false,
            Value::Nodes(nodes) => {
                let Some(capture) = self.run.document_capture else { return Ok(()) };
                for &node in nodes {
                    let (offset, body) = self.evaluated_body(output, node, capture, names);
                    let hit = Hit { output, offset, body, valid: Some(true), complete: true, repeatable: false };
                    self.deliver(&hit, names)?;
                }
                return Ok(());
            }
        };
        if says_nothing && !deliver_empty {
            return Ok(());
        }
        let text = value.to_string(self.run.tape.tape(), names);
        self.push(output, FragmentKind::Atomic, text, 0)
    }

    pub(super) fn evaluate_truth(&mut self, output: Output, expr: &Compiled, node: Node, position: usize, names: &Names) -> Result<bool, Stop> {
        let tape = self.run.tape.tape();
        let context = Context { position, ..Context::at(tape, names, NodeRef::new(node), &self.run.budget) };
        let result = expr.is_true(&context);
        Ok(self.settle_evaluation(output, result)?.unwrap_or(false))
    }

    fn evaluate(&mut self, output: Output, expr: &Compiled, node: Node, names: &Names) -> Result<Option<Value>, Stop> {
        let result = expr.evaluate(&Context::at(self.run.tape.tape(), names, NodeRef::new(node), &self.run.budget));
        self.settle_evaluation(output, result)
    }

    /// A failed evaluation costs its own subscription the document; a used-up budget is the document's fault.
    fn settle_evaluation<T>(&mut self, output: Output, result: Result<T, EvalError>) -> Result<Option<T>, Stop> {
        match result {
            Ok(value) => Ok(Some(value)),
            Err(EvalError::OutOfSteps) => Err(Stop::limit(format!(
                "evaluation takes more than {} steps (limit evaluation_steps)",
                self.run.limits.evaluation_steps
            ))),
            Err(error) => {
                self.run.batch.errors.push((output, error.to_string()));
                Ok(None)
            }
        }
    }
}

impl super::hits::Hits {
    /// The next output of the node at hand, once each: several steps of a union may have matched it.
    fn next_fresh(&mut self, gates: &mut super::super::gates::Gates) -> Option<(Output, Signal)> {
        let (output, mut valid) = self.fresh.pop()?;
        while let Some(index) = self.fresh.iter().position(|(other, _)| *other == output) {
            let (_, other) = self.fresh.swap_remove(index);
            valid = merge(gates, valid, other);
        }
        Some((output, valid))
    }

    fn next_fresh_attribute(&mut self, gates: &mut super::super::gates::Gates) -> Option<(Output, usize, u64, Signal)> {
        let (output, index, offset, mut valid) = self.fresh_attributes.pop()?;
        while let Some(place) = self.fresh_attributes.iter().position(|other| other.0 == output && other.1 == index) {
            let (.., other) = self.fresh_attributes.swap_remove(place);
            valid = merge(gates, valid, other);
        }
        Some((output, index, offset, valid))
    }
}

fn merge(gates: &mut super::super::gates::Gates, left: Signal, right: Signal) -> Signal {
    let merged = gates.combine(GateKind::Or, &[left, right]);
    gates.release(left);
    gates.release(right);
    merged
}

fn written(write: impl FnOnce(&mut String)) -> String {
    let mut out = String::new();
    write(&mut out);
    out
}
