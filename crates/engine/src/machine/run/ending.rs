//! The end of an element: what waited for it is decided, what belongs to it is let go.

use super::super::gates::{Gates, Signal};
use super::super::set::{Step, StepId};
use super::super::value_test::passes;
use super::frame::Frame;
use super::{Run, Runner};
use crate::error::Stop;
use crate::events::Source;
use crate::names::Names;
use crate::tape::Node;

impl Runner<'_> {
    /// Closes the frame at the current level. The element's end tag ends at `end`.
    pub(super) fn close_frame(&mut self, source: Source<'_>, names: &Names, end: u64) -> Result<(), Stop> {
        let level = self.run.level;
        let mut frame = std::mem::take(&mut self.run.frames[level]);
        let node = if self.set.uses_tape { self.run.tape.end(end) } else { 0 };
        if let Some(capture) = frame.capture {
            self.run.captures.finish(capture, source, end);
        }
        self.run.test_values(&mut frame);
        for evaluation in frame.evaluations.drain(..) {
            let value = self.evaluate_truth(evaluation.output, &evaluation.expr, evaluation.node, evaluation.position, names)?;
            self.run.gates.report(evaluation.gate, value);
            self.run.gates.release(Signal::of(evaluation.gate));
        }
        self.close_instances(&frame);
        for later in frame.later.drain(..) {
            self.run.gates.report(later.gate, false);
            self.run.gates.release(Signal::of(later.gate));
        }
        for (_, valid) in frame.siblings.drain(..) {
            self.run.gates.release(valid);
        }
        self.run_tails(&mut frame, names)?;
        self.complete_hits(&mut frame, names, end)?;
        self.run.let_go(&mut frame, node, level, self.set.uses_tape);
        self.run.frames[level] = frame;
        Ok(())
    }

    fn run_tails(&mut self, frame: &mut Frame, names: &Names) -> Result<(), Stop> {
        if frame.tails.is_empty() {
            return Ok(());
        }
        for tail in frame.tails.drain(..) {
            self.run_tail(tail, names)?;
        }
        let run = &mut *self.run;
        if run.hits.repeatable == 0 && run.frames[..run.level].iter().all(|outer| outer.tails.is_empty()) {
            run.hits.delivered.clear();
        }
        Ok(())
    }

    fn close_instances(&mut self, frame: &Frame) {
        let run = &mut *self.run;
        while run.instances.len() > frame.first_instance {
            let Some(instance) = run.instances.pop() else { break };
            run.open[instance.step as usize].pop();
            run.close_accumulators(instance.accumulators);
            if instance.level > 0 {
                run.remember(self.set.step(instance.step), instance.step, instance.valid, instance.level as usize - 1);
            }
            run.gates.release(instance.valid);
        }
    }
}

impl Run {
    fn test_values(&mut self, frame: &mut Frame) {
        let Some(start) = frame.text else { return };
        for (gate, test) in frame.values.drain(..) {
            let value = passes(&test, &self.texts[start..]);
            self.gates.report(gate, value);
            self.gates.release(Signal::of(gate));
        }
    }

    /// The scopes of accumulators from `first` on end: what has not come will not come.
    pub(super) fn close_accumulators(&mut self, first: usize) {
        while self.accumulators.len() > first {
            let Some((_, gate)) = self.accumulators.pop() else { break };
            self.gates.report(gate, false);
            self.gates.release(Signal::of(gate));
        }
    }

    /// Keeps a closed instance's validity for those who may ask for it later.
    pub(super) fn remember(&mut self, step: &Step, id: StepId, valid: Signal, parent: usize) {
        if step.remembered_by_siblings {
            add_memory(&mut self.frames[parent].siblings, id, valid, &mut self.gates);
        }
        if step.remembered_by_document {
            add_memory(&mut self.before, id, valid, &mut self.gates);
        }
    }

    /// Gives back the frame's tape, text and capture.
    fn let_go(&mut self, frame: &mut Frame, node: Node, level: usize, uses_tape: bool) {
        if frame.text.take().is_some() {
            self.text_holders -= 1;
            if self.text_holders == 0 {
                self.texts.clear();
            }
        }
        if let Some(capture) = frame.capture.take() {
            self.captures.release(capture);
        }
        if frame.keep.take().is_some() && self.kept_from == Some(level) {
            self.kept_from = None;
            self.tape.keep_text = false;
            self.tape.keep_markup = false;
        }
        if uses_tape && self.kept_from.is_none() && level > 0 {
            self.tape.truncate_to(node);
        }
        frame.counters.clear();
    }
}

/// Adds to a memory of validities; one that is certainly true makes the others needless.
fn add_memory(memory: &mut Vec<(StepId, Signal)>, step: StepId, valid: Signal, gates: &mut Gates) {
    let valid = gates.read(valid);
    if valid == Signal::FALSE {
        return;
    }
    let mut known = false;
    memory.retain(|&(id, old)| {
        if id != step {
            return true;
        }
        let now = gates.read(old);
        if now == Signal::TRUE {
            known = true;
            return true;
        }
        let keep = now != Signal::FALSE && valid != Signal::TRUE;
        if !keep {
            gates.release(old);
        }
        keep
    });
    if !known {
        gates.hold(valid);
        memory.push((step, valid));
    }
}
