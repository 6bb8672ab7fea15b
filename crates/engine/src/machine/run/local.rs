//! Conditions that are decided inside their element: what is found there, and what follows from it.

use super::super::gates::{GateKind, Signal};
use super::super::local::{Decided, Leaf, Local};
use super::super::program::StepAxis;
use super::super::set::{Step, StepId};
use super::conditions::is;
use super::frame::{Check, CheckTest, Inside, Instance, Tells};
use super::matching::is_context;
use super::{At, NodeAt, Run, Runner};
use crate::error::Stop;
use crate::events::Source;

impl Runner<'_> {
    /// What the start tag says about a condition: its signal, held by the caller, and what is left to be found. The caller
    /// makes the node an instance next.
    pub(super) fn begin_inside(&mut self, local: &Local, at: &At<'_>) -> Result<(Signal, Inside), Stop> {
        let mut found = 0;
        if !local.asks_below_only || !matches!(at.kind, NodeAt::Element(_)) {
            found = self.found_at_start(local, at)?;
            if let Some(value) = local.value(found, self.open_bits(local, at)) {
                return Ok((Signal::known(value), Inside { found, ..Inside::DONE }));
            }
            self.check_own_value(local, at);
        }
        // Held for the instance and for the caller.
        let gate = self.run.gates.create(GateKind::Or, 1);
        self.run.gates.hold(Signal::of(gate));
        Ok((Signal::of(gate), Inside { found, missed: 0, tells: Tells::Gate(gate) }))
    }

    /// A branch whose match is a bit of its context's condition meets a node.
    pub(super) fn open_local_branch(&mut self, id: StepId, bit: u32, at: &At<'_>) -> Result<(), Stop> {
        let step = self.set.step(id);
        let Some(target) = self.run.awaiting(step, bit, at.level) else { return Ok(()) };
        let is_match = match (&step.decided, &step.condition) {
            (Decided::Value(_), _) if matches!(at.kind, NodeAt::Element(_)) => {
                self.run.check_value(at.level, CheckTest::Branch(id), Tells::Instance(target, bit));
                false
            }
            (Decided::Inside(local), _) => {
                return self.open_inside(id, local, Tells::Instance(target, bit), at);
            }
            (_, None) => true,
            // Known at once: at the start tag, or the value of a text node.
            (_, Some(condition)) => self.condition(condition, step.base, step.counter_base, at)? == Signal::TRUE,
        };
        if is_match {
            self.found(target, bit);
        }
        Ok(())
    }

    /// A step whose match concerns only the one who is told of it meets a node.
    pub(super) fn open_inside(&mut self, id: StepId, local: &Local, tells: Tells, at: &At<'_>) -> Result<(), Stop> {
        let found = if local.asks_below_only { 0 } else { self.found_at_start(local, at)? };
        match local.value(found, self.open_bits(local, at)) {
            Some(true) => self.tell(tells, true),
            Some(false) => {}
            None => {
                self.check_own_value(local, at);
                let accumulators = self.run.accumulators.len();
                let inside = Inside { found, missed: 0, tells };
                self.run.push_instance(id, Signal::FALSE, inside, accumulators, at.level);
            }
        }
        Ok(())
    }

    fn found_at_start(&mut self, local: &Local, at: &At<'_>) -> Result<u32, Stop> {
        let mut found = 0;
        for (number, leaf) in local.leaves.iter().enumerate() {
            let holds = match (leaf, &at.kind) {
                (Leaf::Branch(_), _) => false,
                (Leaf::Is(test), _) => is(test, at),
                (Leaf::Attribute(step), NodeAt::Element(tag)) => {
                    let mut some = false;
                    for index in 0..tag.attributes.len() {
                        some = some || self.attribute_matches(*step, at, index)?;
                    }
                    some
                }
                (Leaf::Value(test), NodeAt::Leaf(_, value)) => test.passes(value.as_bytes()),
                _ => false,
            };
            found |= u32::from(holds) << number;
        }
        Ok(found)
    }

    fn open_bits(&self, local: &Local, at: &At<'_>) -> u32 {
        match at.kind {
            NodeAt::Element(_) | NodeAt::Document => local.later,
            _ => 0,
        }
    }

    /// For the instance about to be made: tests of its value.
    fn check_own_value(&mut self, local: &Local, at: &At<'_>) {
        for (number, leaf) in local.leaves.iter().enumerate() {
            if let Leaf::Value(test) = leaf {
                let instance = self.run.instances.len();
                self.run.check_value(at.level, CheckTest::Own(test.clone()), Tells::Instance(instance, 1 << number));
            }
        }
    }

    /// Tests the value of the element that ends.
    pub(super) fn make_checks(&mut self, level: usize, source: Source<'_>) {
        while self.run.checks.last().is_some_and(|check| check.level == level) {
            let run = &mut *self.run;
            let Some(Check { start, test, tells, .. }) = run.checks.pop() else { break };
            let passes = match (&test, tells) {
                (_, Tells::Nobody) => false,
                (CheckTest::Branch(step), _) => match &self.set.step(*step).decided {
                    Decided::Value(test) => run.values.passes(start, test, run.ahead.get_mut(*step as usize), source),
                    _ => false,
                },
                (CheckTest::Own(test), _) => run.values.passes(start, test, None, source),
            };
            run.values.release();
            self.tell(tells, passes);
        }
        self.run.values.copy_piece(source);
    }

    /// Tests the values of the open elements as far as they have come: a part may settle it.
    pub(super) fn make_early_checks(&mut self, source: Source<'_>) {
        let set = self.set;
        for place in 0..self.run.checks.len() {
            let run = &mut *self.run;
            let Check { start, seen, test, tells, .. } = &mut run.checks[place];
            let is_own = matches!(test, CheckTest::Own(_));
            let test = match (&*test, &*tells) {
                (_, Tells::Nobody) => continue,
                (CheckTest::Own(test), _) => test,
                (CheckTest::Branch(step), _) => match &set.step(*step).decided {
                    Decided::Value(test) => test,
                    _ => continue,
                },
            };
            let passes;
            (passes, *seen) = run.values.passes_already(*start, *seen, test, source);
            let Some(passes) = passes else { continue };
            match std::mem::replace(tells, Tells::Nobody) {
                Tells::Instance(instance, bit) if is_own && !passes => self.missed(instance, bit),
                tells => self.tell(tells, passes),
            }
        }
    }

    fn tell(&mut self, tells: Tells, value: bool) {
        match tells {
            Tells::Nobody => {}
            Tells::Gate(gate) => {
                self.run.gates.report(gate, value);
                self.run.gates.release(Signal::of(gate));
            }
            Tells::Accumulator(gate) if value => self.run.gates.decide(gate, true),
            Tells::Instance(instance, bit) if value => self.found(instance, bit),
            Tells::Count(output) if value => self.run.hits.aggregates[output as usize].count_one(),
            Tells::Accumulator(_) | Tells::Instance(..) | Tells::Count(_) => {}
        }
    }

    /// The bit is found for the instance. What lies below it may lie below the instances around it too: they have it
    /// found as well, up to the first that had it before, since those around that one have it too.
    fn found(&mut self, instance: usize, bit: u32) {
        let step = self.run.instances[instance].step;
        let Decided::Inside(local) = &self.set.step(step).decided else { return };
        if local.outward & bit == 0 {
            self.mark(instance, local, |inside| inside.found |= bit);
            return;
        }
        let open = &self.run.open[step as usize];
        let mut places = open.iter().rposition(|&index| index == instance).map_or(0, |place| place + 1);
        while places > 0 {
            places -= 1;
            let instance = self.run.open[step as usize][places];
            if self.run.instances[instance].inside.found & bit != 0 {
                break;
            }
            self.mark(instance, local, |inside| inside.found |= bit);
        }
    }

    /// The bit, which is for the instance's own value, will not be found.
    fn missed(&mut self, instance: usize, bit: u32) {
        let step = self.run.instances[instance].step;
        if let Decided::Inside(local) = &self.set.step(step).decided {
            self.mark(instance, local, |inside| inside.missed |= bit);
        }
    }

    #[inline]
    fn mark(&mut self, instance: usize, local: &Local, note: impl FnOnce(&mut Inside)) {
        let inside = &mut self.run.instances[instance].inside;
        note(inside);
        if inside.is_done() {
            return;
        }
        if let Some(value) = local.value(inside.found, local.later & !inside.missed) {
            let tells = std::mem::replace(&mut inside.tells, Tells::Nobody);
            self.tell(tells, value);
        }
    }

    /// The element of the instance ends: what was not found is not there.
    pub(super) fn conclude(&mut self, instance: &Instance) {
        if let Decided::Inside(local) = &self.set.step(instance.step).decided {
            let value = local.value(instance.inside.found, 0).unwrap_or(false);
            self.tell(instance.inside.tells, value);
        }
    }
}

impl Run {
    /// The innermost open instance to which a match of the branch on a node at `level` makes a difference.
    #[inline]
    fn awaiting(&self, branch: &Step, bit: u32, level: usize) -> Option<usize> {
        for &index in self.open[branch.from as usize].iter().rev() {
            let Instance { level: context, inside, .. } = &self.instances[index];
            let context = *context as usize;
            if !is_context(branch.axis, context, level) {
                if context + 1 < level {
                    return None;
                }
                continue;
            }
            if inside.found & bit != 0 {
                return None;
            }
            if !inside.is_done() {
                return Some(index);
            }
            if branch.axis == StepAxis::Child {
                return None;
            }
        }
        None
    }
}
