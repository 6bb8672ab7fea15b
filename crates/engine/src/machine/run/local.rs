//! Conditions that are decided inside their element: what is found there, and what follows from it.

use super::super::gates::{GateKind, Signal};
use super::super::local::{Decided, Leaf, Local};
use super::super::program::StepAxis;
use super::super::set::{Set, Step, StepId};
use super::super::value_test::Test;
use super::conditions::is;
use super::frame::{Check, CheckTest, Inside, Instance, Tells};
use super::matching::is_context;
use super::{At, NodeAt, Run, Runner};
use crate::error::Stop;
use crate::events::{Source, StartTag};

impl Runner<'_> {
    /// What the start tag says about a condition: its signal, held by the caller, and what is left to be found. The caller
    /// makes the node an instance next.
    #[inline(always)]
    pub(super) fn begin_inside(&mut self, local: &Local, at: &At<'_>) -> Result<(Signal, Inside), Stop> {
        let (mut found, mut missed) = (0, 0);
        if !local.asks_below_only || !matches!(at.kind, NodeAt::Element(_)) {
            (found, missed) = self.known_at_start(local, at)?;
            if let Some(value) = local.value(found, local.later & !missed) {
                return Ok((Signal::known(value), Inside { found, ..Inside::DONE }));
            }
            self.check_own_value(local, found | missed, at);
        }
        // Held for the instance and for the caller.
        let gate = self.run.gates.create(GateKind::Or, 1);
        self.run.gates.hold(Signal::of(gate));
        Ok((Signal::of(gate), Inside { found, missed, tells: Tells::Gate(gate) }))
    }

    /// A branch whose match is a bit of its context's condition meets a node.
    pub(super) fn open_local_branch(&mut self, id: StepId, bit: u32, at: &At<'_>) -> Result<(), Stop> {
        let step = self.set.step(id);
        let Some(target) = self.run.awaiting(step, bit, at.level) else { return Ok(()) };
        let is_match = match (&step.decided, &step.condition, &at.kind) {
            (Decided::Value(test), _, NodeAt::Element(tag)) => {
                let passes = self.run.passes_at_start(id, test, tag, at.source);
                if passes.is_none() {
                    self.run.check_value(at.level, CheckTest::Branch(id), Tells::Instance(target, bit));
                }
                passes == Some(true)
            }
            (Decided::Inside(local), ..) => {
                return self.open_inside(id, local, Tells::Instance(target, bit), at);
            }
            (_, None, _) => true,
            // Known at once: at the start tag, or the value of a text node.
            (_, Some(condition), _) => self.condition(condition, step.base, step.counter_base, at)? == Signal::TRUE,
        };
        if is_match {
            self.found(target, bit);
        }
        Ok(())
    }

    /// A step whose match concerns only the one who is told of it meets a node.
    pub(super) fn open_inside(&mut self, id: StepId, local: &Local, tells: Tells, at: &At<'_>) -> Result<(), Stop> {
        let (found, missed) = match (local.asks_below_only, &at.kind) {
            (true, NodeAt::Element(_)) => (0, 0),
            _ => self.known_at_start(local, at)?,
        };
        match local.value(found, local.later & !missed) {
            Some(true) => self.tell(tells, true),
            Some(false) => {}
            None => {
                self.check_own_value(local, found | missed, at);
                let accumulators = self.run.accumulators.len();
                let inside = Inside { found, missed, tells };
                self.run.push_instance(id, Signal::FALSE, inside, accumulators, at.level);
            }
        }
        Ok(())
    }

    /// What is found at the start tag, and what will not be found any more.
    fn known_at_start(&mut self, local: &Local, at: &At<'_>) -> Result<(u32, u32), Stop> {
        let mut found = 0;
        let mut missed = match at.kind {
            NodeAt::Element(_) | NodeAt::Document => 0,
            NodeAt::Attribute(..) | NodeAt::Leaf(..) => u32::MAX,
        };
        for (number, leaf) in local.leaves.iter().enumerate() {
            let holds = match (leaf, &at.kind) {
                (Leaf::Branch(_), _) => false,
                (Leaf::Value(test), NodeAt::Element(tag)) => match at.source.leaf(tag.end) {
                    Some(piece) => {
                        missed |= 1 << number;
                        self.run.values.plain_passes(piece, test, None, at.source)
                    }
                    None => false,
                },
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
        Ok((found, missed & !found))
    }

    /// For the instance about to be made: tests of its value that are not known.
    fn check_own_value(&mut self, local: &Local, known: u32, at: &At<'_>) {
        for (number, leaf) in local.leaves.iter().enumerate() {
            if let (Leaf::Value(test), 0) = (leaf, known & 1 << number) {
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

    #[inline]
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
    pub(super) fn conclude(&mut self, step: StepId, found: u32, tells: Tells) {
        if let Decided::Inside(local) = &self.set.step(step).decided {
            let value = local.value(found, 0).unwrap_or(false);
            self.tell(tells, value);
        }
    }
}

impl Run {
    /// Whether a branch that the value of the element at hand decides comes to nothing: no one waits for its match, or it is
    /// plain already that it does not match.
    #[inline(never)]
    pub(super) fn is_refused(&mut self, set: &Set, branch: StepId, tag: &StartTag<'_>, source: Source<'_>) -> bool {
        let step = set.step(branch);
        let (Some(bit), Decided::Value(test)) = (step.bit, &step.decided) else { return false };
        self.awaiting(step, bit, self.level).is_none() || self.passes_at_start(branch, test, tag, source) == Some(false)
    }

    /// Whether an element's value passes the test of a branch, if it is plain text and all of it has come.
    #[inline(always)]
    pub(super) fn passes_at_start(
        &mut self,
        branch: StepId,
        test: &Test,
        tag: &StartTag<'_>,
        source: Source<'_>,
    ) -> Option<bool> {
        let piece = source.leaf(tag.end)?;
        Some(self.values.plain_passes(piece, test, self.ahead.get_mut(branch as usize), source))
    }

    /// The innermost open instance to which a match of the branch on a node at `level` makes a difference.
    #[inline(always)]
    fn awaiting(&self, branch: &Step, bit: u32, level: usize) -> Option<usize> {
        if branch.axis == StepAxis::Child {
            let parent = self.open_at(branch.from, level - 1)?;
            let inside = &self.instances[parent].inside;
            return (inside.found & bit == 0 && !inside.is_done()).then_some(parent);
        }
        for &index in self.open[branch.from as usize].iter().rev() {
            let Instance { level: context, inside, .. } = &self.instances[index];
            if !is_context(branch.axis, *context as usize, level) {
                continue;
            }
            if inside.found & bit != 0 {
                return None;
            }
            if !inside.is_done() {
                return Some(index);
            }
        }
        None
    }
}
