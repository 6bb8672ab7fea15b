//! The end of an element: what waited for it is decided, what belongs to it is let go.

use super::super::gates::{Gates, Signal};
use super::super::set::{Step, StepId};
use super::frame::{Evaluation, Frame, Instance, Waiting};
use super::{Run, Runner};
use crate::error::Stop;
use crate::events::Source;
use crate::names::Names;

impl Runner<'_> {
    /// Closes the frame at the current level. The element's end tag ends at `end`.
    #[inline(never)]
    pub(super) fn close_frame(&mut self, source: Source<'_>, names: &Names, end: u64) -> Result<(), Stop> {
        let run = &mut *self.run;
        let level = run.level;
        let is_tested = run.checks.last().is_some_and(|check| check.level == level);
        let is_selected = run.is_selected();
        if run.frames[level].waiting.is_none() && !self.set.uses_tape {
            if is_tested {
                self.make_checks(level, source);
            } else {
                run.values.copy_piece(source);
                if !is_selected && run.instances.len() == run.frames[level].first_instance {
                    return Ok(());
                }
            }
            self.close_instances(self.run.frames[level].first_instance);
            if is_selected {
                self.deliver_ended(source, names, end)?;
            }
            return self.settle(names);
        }
        if is_tested {
            self.make_checks(level, source);
        }
        if is_selected {
            self.deliver_ended(source, names, end)?;
        }
        self.close_kept_frame(source, names, end)
    }

    /// The same for an element that something hangs on, or that may be on the tape.
    #[inline(never)]
    fn close_kept_frame(&mut self, source: Source<'_>, names: &Names, end: u64) -> Result<(), Stop> {
        let run = &mut *self.run;
        let level = run.level;
        let node = if self.set.uses_tape { run.tape.end(end) } else { 0 };
        run.values.copy_piece(source);
        match run.frames[level].waiting.take() {
            None => {
                self.close_instances(self.run.frames[level].first_instance);
                self.settle(names)?;
            }
            Some(mut waiting) => {
                self.close_waiting(&mut waiting, source, names, end)?;
                waiting.recycle();
                self.run.spare.push(waiting);
            }
        }
        let run = &mut *self.run;
        if self.set.uses_tape && run.kept_from.is_none() && level > 0 {
            run.tape.truncate_to(node);
        }
        Ok(())
    }

    /// What hangs on the element besides tests of its value.
    fn close_waiting(
        &mut self,
        waiting: &mut Waiting,
        source: Source<'_>,
        names: &Names,
        end: u64,
    ) -> Result<(), Stop> {
        if let Some(capture) = waiting.capture {
            self.run.captures.finish(capture, source, end);
        }
        for evaluation in waiting.evaluations.drain(..) {
            let Evaluation { gate, output, expr, node, position } = evaluation;
            let value = self.evaluate_truth(output, &expr, node, position, names)?;
            self.run.gates.report(gate, value);
            self.run.gates.release(Signal::of(gate));
        }
        self.close_instances(self.run.frames[self.run.level].first_instance);
        for later in waiting.later.drain(..) {
            self.run.gates.close(later.newest);
            if let Some(older) = later.older {
                self.run.gates.close(older);
            }
        }
        for (_, valid) in waiting.siblings.drain(..) {
            self.run.gates.release(valid);
        }
        self.run_tails(waiting, names)?;
        self.complete_hits(waiting, source, names)?;
        self.run.let_go(waiting);
        Ok(())
    }

    fn run_tails(&mut self, waiting: &mut Waiting, names: &Names) -> Result<(), Stop> {
        if waiting.tails.is_empty() {
            return Ok(());
        }
        for tail in waiting.tails.drain(..) {
            self.run_tail(tail, names)?;
        }
        let run = &mut *self.run;
        if run.hits.repeatable == 0 && run.frames[..run.level].iter().all(Frame::has_no_tails) {
            run.hits.delivered.clear();
        }
        Ok(())
    }

    #[inline(always)]
    pub(super) fn close_instances(&mut self, first: usize) {
        while self.run.instances.len() > first {
            self.close_instance();
        }
    }

    #[inline(never)]
    fn close_instance(&mut self) {
        let run = &mut *self.run;
        let Some(Instance { step, level, valid, any_valid, accumulators, inside }) = run.instances.pop() else {
            return;
        };
        run.open[step as usize].pop();
        run.close_accumulators(accumulators);
        if !inside.is_done() {
            self.conclude(step, inside.found, inside.tells);
        }
        let run = &mut *self.run;
        if level > 0 {
            run.remember(self.set.step(step), step, valid, level as usize - 1);
        }
        run.gates.release(valid);
        run.gates.release(any_valid.unwrap_or(Signal::FALSE));
    }
}

impl Run {
    /// The scopes of accumulators from `first` on end: what has not come will not come.
    #[inline]
    pub(super) fn close_accumulators(&mut self, first: usize) {
        while self.accumulators.len() > first {
            let Some(one) = self.accumulators.pop() else { break };
            if one.open {
                self.gates.close(one.gate);
            } else {
                self.gates.release(Signal::of(one.gate));
            }
        }
    }

    /// Keeps a closed instance's validity for those who may ask for it later.
    #[inline]
    fn remember(&mut self, step: &Step, id: StepId, valid: Signal, parent: usize) {
        if step.remembered_by_siblings {
            let siblings = std::mem::take(&mut self.waiting(parent).siblings);
            self.waiting(parent).siblings = add_memory(siblings, id, valid, &mut self.gates);
        }
        if step.remembered_by_document {
            self.before = add_memory(std::mem::take(&mut self.before), id, valid, &mut self.gates);
        }
    }

    /// Gives back what the element held: text, capture, its content on the tape.
    fn let_go(&mut self, waiting: &mut Waiting) {
        if waiting.text.take().is_some() {
            self.values.release();
        }
        if let Some(capture) = waiting.capture.take() {
            self.captures.release(capture);
        }
        if waiting.keep.take().is_some() && self.kept_from == Some(self.level) {
            self.kept_from = None;
            self.tape.keep_text = false;
            self.tape.keep_markup = false;
        }
    }
}

/// Adds to a memory of validities; one that is certainly true makes the others needless.
fn add_memory(mut memory: Memory, step: StepId, valid: Signal, gates: &mut Gates) -> Memory {
    let valid = gates.read(valid);
    if valid == Signal::FALSE {
        return memory;
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
    memory
}

type Memory = Vec<(StepId, Signal)>;
