//! What is left to the evaluator: the rest of a path, a condition, the value of a query.

use super::super::capture::CaptureId;
use super::super::gates::Signal;
use super::super::program::AggregateFunction;
use super::super::set::{Output, SinkKind};
use super::batch::FragmentKind;
use super::frame::PendingTail;
use super::hits::{Body, Hit};
use super::results::written;
use super::Runner;
use crate::error::Stop;
use crate::evaluator::{
    node_kind, number_to_string, string_to_number, string_value, Compiled, Context, EvalError, NodeKind, NodeRef, Value,
};
use crate::fragment;
use crate::names::Names;
use crate::tape::Node;

impl Runner<'_> {
    /// Evaluates the rest of a path for an anchor and makes candidates of what it gives.
    pub(super) fn run_tail(&mut self, pending: PendingTail, names: &Names) -> Result<(), Stop> {
        let PendingTail { tail, valid, node, capture, repeatable } = pending;
        if self.run.gates.read(valid) != Signal::FALSE {
            let repeatable = repeatable || self.run.hits.repeatable > 0 || !self.run.hits.delivered.is_empty();
            if let Some(Value::Nodes(nodes)) = self.evaluate(tail.output, &tail.expr, node, names)? {
                for node in nodes {
                    let is_document = node_kind(self.run.tape.tape(), node) == NodeKind::Document;
                    let part = if is_document { u32::MAX } else { node.namespace };
                    let (offset, body) = self.evaluated_body(tail.output, node, capture, names);
                    if matches!(body, Body::Source { .. }) {
                        self.run.captures.hold(capture);
                    }
                    let hit = Hit { output: tail.output, offset, part, body, valid: None, complete: true, repeatable };
                    let id = self.run.hits.add(&mut self.run.gates, hit, valid);
                    self.try_deliver(id, names)?;
                }
            }
        }
        self.run.gates.release(valid);
        self.run.captures.release(capture);
        Ok(())
    }

    fn evaluated_body(&self, output: Output, node: NodeRef, capture: CaptureId, names: &Names) -> (u64, Body) {
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
                    self.run.hits.take_kept(output, *function, None);
                    if let Some(value) = self.run.hits.aggregates[output as usize].value(*function) {
                        self.push(output, FragmentKind::Atomic, &number_to_string(value), 0)?;
                    }
                }
                SinkKind::Value { expr } => {
                    let Some(value) = self.evaluate(output, expr, 0, names)? else { continue };
                    self.push_value(output, value, subscription.deliver_empty, names)?;
                }
                _ => {}
            }
        }
        self.answer_queries(names)
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
                    let hit =
                        Hit { output, offset, part: 0, body, valid: Some(true), complete: true, repeatable: false };
                    self.deliver(&hit, names)?;
                }
                return Ok(());
            }
        };
        if says_nothing && !deliver_empty {
            return Ok(());
        }
        let text = value.to_string(self.run.tape.tape(), names);
        self.push(output, FragmentKind::Atomic, &text, 0)
    }

    pub(super) fn evaluate_truth(
        &mut self,
        output: Output,
        expr: &Compiled,
        node: Node,
        position: usize,
        names: &Names,
    ) -> Result<bool, Stop> {
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
    pub(super) fn settle_evaluation<T>(
        &mut self,
        output: Output,
        result: Result<T, EvalError>,
    ) -> Result<Option<T>, Stop> {
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
