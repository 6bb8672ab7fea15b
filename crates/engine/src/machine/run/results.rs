//! From candidates to results.

use super::super::capture::CaptureId;
use super::super::gates::{GateKind, Gates, Signal};
use super::super::program::AggregateFunction;
use super::super::set::{Output, SinkKind};
use super::super::value_test::to_number;
use super::batch::FragmentKind;
use super::frame::Waiting;
use super::hits::{Body, Hit, Hits};
use super::{At, Leaf, NodeAt, Runner};
use crate::error::Stop;
use crate::evaluator::{number_to_string, string_to_number};
use crate::events::Source;
use crate::fragment;
use crate::names::{Names, NsId};

impl Runner<'_> {
    /// Makes candidates of the outputs that the node at hand was matched for; what is certain needs none.
    #[inline(always)]
    pub(super) fn take_fresh(&mut self, at: &At<'_>) -> Result<(), Stop> {
        if self.run.hits.fresh.is_empty() && self.run.hits.fresh_attributes.is_empty() {
            return Ok(());
        }
        self.take_outputs(at)
    }

    #[inline(never)]
    fn take_outputs(&mut self, at: &At<'_>) -> Result<(), Stop> {
        self.run.hits.sort_fresh();
        while let Some((output, valid)) = self.run.hits.next_fresh(&mut self.run.gates) {
            if valid == Signal::FALSE || self.take_simple(output, valid, at)? {
                continue;
            }
            let (body, complete) = self.body(output, at);
            let hit = Hit { output, offset: at.start, part: 0, body, valid: None, complete, repeatable: false };
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
            if valid == Signal::TRUE && self.aggregate(output).is_none() {
                self.push(output, FragmentKind::Attribute, &value, offset)?;
                continue;
            }
            let body = self.leaf_body(output, FragmentKind::Attribute, &value, || value.to_string());
            let hit = Hit { output, offset, part: 0, body, valid: None, complete: true, repeatable: false };
            let id = self.run.hits.add(&mut self.run.gates, hit, valid);
            self.run.gates.release(valid);
            self.try_deliver(id, at.names)?;
        }
        Ok(())
    }

    /// Delivers what is certain at once and leaves an element to its end; false for what is not so simple.
    fn take_simple(&mut self, output: Output, valid: Signal, at: &At<'_>) -> Result<bool, Stop> {
        match (self.aggregate(output), &at.kind) {
            (None, NodeAt::Element(tag)) => self.run.select_element(tag, output, valid),
            (None, NodeAt::Leaf(Leaf::Text, value)) if valid == Signal::TRUE => {
                self.push(output, FragmentKind::Text, value, at.start)?;
            }
            (Some(AggregateFunction::Count), _) if valid == Signal::TRUE => self.take_number(output, 0, 1.0)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    pub(super) fn aggregate(&self, output: Output) -> Option<AggregateFunction> {
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
            NodeAt::Leaf(Leaf::Comment, value) => (
                self.leaf_body(output, FragmentKind::Comment, value, || written(|out| fragment::comment(value, out))),
                true,
            ),
            NodeAt::Leaf(Leaf::Instruction(target), value) => (
                self.leaf_body(output, FragmentKind::Instruction, value, || {
                    written(|out| fragment::instruction(target, value, out))
                }),
                true,
            ),
            NodeAt::Element(_) | NodeAt::Document => match self.aggregate(output) {
                Some(AggregateFunction::Count) => (Body::Number(1.0), true),
                Some(_) => {
                    self.run.want_text(at.level);
                    (Body::Number(f64::NAN), false)
                }
                // The document: an element is selected until its end. Not the frame's capture: it is given up as soon as
                // the condition fails.
                None => (Body::Document(self.run.captures.begin(at.source, at.start)), false),
            },
            // Attributes are delivered by the element that has them.
            NodeAt::Attribute(..) => (Body::Dropped, true),
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
    pub(super) fn complete_hits(
        &mut self,
        waiting: &mut Waiting,
        source: Source<'_>,
        names: &Names,
    ) -> Result<(), Stop> {
        for id in waiting.hits.drain(..) {
            let run = &mut *self.run;
            let Some(hit) = run.hits.get_mut(id) else { continue };
            hit.complete = true;
            match &mut hit.body {
                Body::Document(capture) => run.captures.finish(*capture, Source { base: 0, bytes: &[] }, 0),
                Body::Number(number) => {
                    *number = waiting.text.map_or(f64::NAN, |start| to_number(run.values.value(start, source)));
                }
                _ => {}
            }
            self.try_deliver(id, names)?;
        }
        self.settle(names)
    }

    /// Draws the consequences of decided conditions for the candidates.
    #[inline(always)]
    pub(super) fn settle(&mut self, names: &Names) -> Result<(), Stop> {
        if self.run.gates.decided.is_empty() {
            return Ok(());
        }
        self.settle_decided(names)
    }

    #[inline(never)]
    fn settle_decided(&mut self, names: &Names) -> Result<(), Stop> {
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
            (Some(true), true) => {
                let Some(hit) = self.run.hits.remove(id) else { return Ok(()) };
                self.deliver(&hit, names)?;
                if let Some(capture) = hit.body.capture() {
                    self.run.captures.release(capture);
                }
                Ok(())
            }
            (Some(false), _) => {
                let output = hit.output;
                let is_answer =
                    matches!(hit.body, Body::Truth) && self.set.subscriptions[output as usize].deliver_empty;
                if let Some(capture) = self.run.hits.fail(id) {
                    self.run.captures.release(capture);
                }
                if is_answer {
                    self.push(output, FragmentKind::Atomic, "false", 0)?;
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    pub(super) fn deliver(&mut self, hit: &Hit, names: &Names) -> Result<(), Stop> {
        if hit.repeatable && !self.run.hits.delivered.insert((hit.output, hit.offset, hit.part)) {
            return Ok(());
        }
        match &hit.body {
            Body::Text(kind, text) => self.push(hit.output, *kind, text, hit.offset),
            Body::Source { capture, range, namespaces } => {
                self.push_element(hit.output, *capture, *range, *namespaces, names)
            }
            Body::Number(number) => self.take_number(hit.output, hit.rank(), *number),
            Body::Truth => self.push(hit.output, FragmentKind::Atomic, "true", 0),
            Body::Document(capture) => {
                let text = written(|out| fragment::document(self.run.captures.whole(*capture), out));
                self.push(hit.output, FragmentKind::Document, &text, hit.offset)
            }
            Body::Dropped => Ok(()),
        }
    }

    /// One more value for an aggregate, that of the node at this place.
    fn take_number(&mut self, output: Output, rank: u64, number: f64) -> Result<(), Stop> {
        let SinkKind::Aggregate { function, running } = self.set.subscriptions[output as usize].sink else {
            return Ok(());
        };
        if matches!(function, AggregateFunction::Sum | AggregateFunction::Avg) && !running {
            self.run.hits.kept_numbers += 1;
            if self.run.hits.aggregates[output as usize].keep(rank, number) {
                let open_from = self.run.open_from(output);
                self.run.hits.take_kept(output, function, open_from);
            }
            return Ok(());
        }
        let aggregate = &mut self.run.hits.aggregates[output as usize];
        let old = aggregate.value(function);
        aggregate.take(function, number);
        match aggregate.value(function) {
            Some(new) if running && !old.is_some_and(|old| old == new || (old.is_nan() && new.is_nan())) => {
                // Numbered as they come: an inner node's value may come before its ancestor's.
                let number = aggregate.count();
                self.push(output, FragmentKind::Atomic, &number_to_string(new), number)
            }
            _ => Ok(()),
        }
    }

    /// Delivers a range of captured source.
    fn push_element(
        &mut self,
        output: Output,
        capture: CaptureId,
        range: (u64, u64),
        namespaces: NsId,
        names: &Names,
    ) -> Result<(), Stop> {
        let run = &mut *self.run;
        let raw = run.captures.slice(capture, range.0, range.1);
        let fragment = run.batch.element(raw, range.0, namespaces, names);
        self.count_delivery(output, fragment)
    }

    pub(super) fn push(&mut self, output: Output, kind: FragmentKind, text: &str, offset: u64) -> Result<(), Stop> {
        let fragment = self.run.batch.add(kind, offset, |out| out.extend_from_slice(text.as_bytes()));
        self.count_delivery(output, fragment)
    }

    pub(super) fn count_delivery(&mut self, output: Output, fragment: u32) -> Result<(), Stop> {
        self.run.batch.deliveries.push((output, fragment));
        self.run.delivered += 1;
        if self.run.delivered > self.run.limits.deliveries {
            return Err(Stop::limit(format!("more than {} deliveries (limit deliveries)", self.run.limits.deliveries)));
        }
        Ok(())
    }
}

impl Hits {
    /// Brings the outputs of one subscription together: several steps of a union may have matched the node.
    fn sort_fresh(&mut self) {
        if self.fresh.len() > 1 {
            self.fresh.sort_by_key(|(output, _)| std::cmp::Reverse(*output));
        }
        if self.fresh_attributes.len() > 1 {
            self.fresh_attributes.sort_by_key(|(output, index, ..)| std::cmp::Reverse((*output, *index)));
        }
    }

    /// The next output of the node at hand, once each.
    fn next_fresh(&mut self, gates: &mut Gates) -> Option<(Output, Signal)> {
        let (output, mut valid) = self.fresh.pop()?;
        while self.fresh.last().is_some_and(|next| next.0 == output) {
            let Some((_, other)) = self.fresh.pop() else { break };
            valid = merge(gates, valid, other);
        }
        Some((output, settled(gates, valid)))
    }

    fn next_fresh_attribute(&mut self, gates: &mut Gates) -> Option<(Output, usize, u64, Signal)> {
        let (output, index, offset, mut valid) = self.fresh_attributes.pop()?;
        while self.fresh_attributes.last().is_some_and(|next| (next.0, next.1) == (output, index)) {
            let Some((.., other)) = self.fresh_attributes.pop() else { break };
            valid = merge(gates, valid, other);
        }
        Some((output, index, offset, settled(gates, valid)))
    }
}

/// The signal as known by now; the hold on a decided gate is given up.
fn settled(gates: &mut Gates, signal: Signal) -> Signal {
    let now = gates.read(signal);
    if now != signal {
        gates.release(signal);
    }
    now
}

fn merge(gates: &mut Gates, left: Signal, right: Signal) -> Signal {
    let merged = gates.combine(GateKind::Or, &[left, right]);
    gates.release(left);
    gates.release(right);
    merged
}

pub(super) fn written(write: impl FnOnce(&mut String)) -> String {
    let mut out = String::new();
    write(&mut out);
    out
}
