//! A step meets a node: is there a valid context, does the condition hold, who is to be told.

use super::super::capture::CaptureId;
use super::super::gates::{GateId, GateKind, Signal};
use super::super::local::Decided;
use super::super::program::{Keep, Role, StepAxis, When};
use super::super::set::{Consequence, StepId, DOCUMENT};
use super::frame::{CheckTest, Inside, Instance, PendingTail, Tells};
use super::{At, NodeAt, Run, Runner};
use crate::error::Stop;

impl Runner<'_> {
    /// Matches a step that the automaton found possible on the node.
    #[inline]
    pub(super) fn open(&mut self, id: StepId, at: &At<'_>) -> Result<(), Stop> {
        let step = self.set.step(id);
        if let Some(bit) = step.bit {
            return self.open_local_branch(id, bit, at);
        }
        match step.role {
            Role::Trunk => self.open_trunk(id, at),
            Role::Branch => self.open_branch(id, at),
            Role::Side => {
                let accumulators = self.run.accumulators.len();
                let (valid, inside) = self.own_condition(id, at)?;
                self.enter(id, valid, inside, accumulators, at);
                Ok(())
            }
        }
    }

    /// Whether the step's condition holds for the node, and what is left to be found inside it.
    #[inline(always)]
    fn own_condition(&mut self, id: StepId, at: &At<'_>) -> Result<(Signal, Inside), Stop> {
        let step = self.set.step(id);
        match (&step.condition, &step.decided) {
            (None, _) => Ok((Signal::TRUE, Inside::DONE)),
            (_, Decided::Inside(local)) => self.begin_inside(local, at),
            (Some(condition), _) => Ok((self.condition(condition, step.base, step.counter_base, at)?, Inside::DONE)),
        }
    }

    #[inline(never)]
    fn open_trunk(&mut self, id: StepId, at: &At<'_>) -> Result<(), Stop> {
        let context = self.context(id, at);
        if context == Signal::FALSE {
            return Ok(());
        }
        let step = self.set.step(id);
        match (&step.consequence, &step.decided) {
            (Consequence::Selected | Consequence::Delivered(_), _) => {
                self.select(id, context);
                self.run.gates.release(context);
                return Ok(());
            }
            (Consequence::Counted(output), Decided::Inside(local)) if context == Signal::TRUE => {
                return self.open_inside(id, local, Tells::Count(*output), at);
            }
            _ => {}
        }
        let accumulators = self.run.accumulators.len();
        let (own, inside) = self.own_condition(id, at)?;
        let valid = match (context, own) {
            (_, Signal::TRUE) => context,
            (Signal::TRUE, _) => own,
            _ => {
                let both = self.run.gates.combine(GateKind::And, &[context, own]);
                self.run.gates.release(context);
                self.run.gates.release(own);
                both
            }
        };
        if valid == Signal::FALSE {
            self.run.close_accumulators(accumulators);
            return Ok(());
        }
        self.select(id, valid);
        self.enter(id, valid, inside, accumulators, at);
        self.open_tails(id, valid, at);
        self.open_attributes(id, valid, at)
    }

    /// The node at hand is a candidate for the step's outputs.
    #[inline]
    fn select(&mut self, id: StepId, valid: Signal) {
        for &output in &self.set.step(id).outputs {
            self.run.gates.hold(valid);
            self.run.hits.fresh.push((output, valid));
        }
    }

    /// Attribute steps of the path that selects.
    fn open_attributes(&mut self, id: StepId, valid: Signal, at: &At<'_>) -> Result<(), Stop> {
        let NodeAt::Element(tag) = at.kind else { return Ok(()) };
        let set = self.set;
        for &step in set.step(id).attributes.iter().filter(|&&step| set.step(step).role == Role::Trunk) {
            for (index, attribute) in tag.attributes.iter().enumerate() {
                if self.attribute_matches(step, at, index)? {
                    for &output in &set.step(step).outputs {
                        self.run.gates.hold(valid);
                        self.run.hits.fresh_attributes.push((output, index, attribute.offset, valid));
                    }
                }
            }
        }
        Ok(())
    }

    #[inline(never)]
    fn open_branch(&mut self, id: StepId, at: &At<'_>) -> Result<(), Stop> {
        let first = self.run.targets.len();
        self.find_targets(id, at);
        if self.run.targets.len() == first {
            return Ok(());
        }
        if self.check_value_later(id, first, at) {
            return Ok(());
        }
        let accumulators = self.run.accumulators.len();
        let (own, inside) = self.own_condition(id, at)?;
        let run = &mut *self.run;
        let now = run.gates.read(own);
        for index in first..run.targets.len() {
            let target = run.targets[index];
            match now {
                Signal::TRUE => run.gates.decide(target, true),
                _ => run.gates.connect(now, target),
            }
        }
        run.targets.truncate(first);
        self.enter(id, own, inside, accumulators, at);
        Ok(())
    }

    /// A branch that asks only for its element's value needs no gate: at the element's end the test is made and those who
    /// wait are told. They are the accumulators of open instances, so they are still there then; but the document's are
    /// closed for children at the start tag of its one element, unless they have been told to wait.
    fn check_value_later(&mut self, id: StepId, first: usize, at: &At<'_>) -> bool {
        let step = self.set.step(id);
        let (Decided::Value(test), NodeAt::Element(tag)) = (&step.decided, &at.kind) else { return false };
        if matches!(step.axis, StepAxis::FollowingSibling | StepAxis::Following)
            || (step.axis, step.from) == (StepAxis::Child, DOCUMENT)
        {
            return false;
        }
        if let Some(passes) = self.run.passes_at_start(id, test, tag, at.source) {
            for target in self.run.targets.drain(first..).filter(|_| passes) {
                self.run.gates.decide(target, true);
            }
            return true;
        }
        while self.run.targets.len() > first {
            let Some(target) = self.run.targets.pop() else { break };
            self.run.check_value(at.level, CheckTest::Branch(id), Tells::Accumulator(target));
        }
        true
    }

    /// The node becomes an instance of the step, if anyone can ask for it. Takes over the caller's hold on `valid`.
    #[inline(always)]
    fn enter(&mut self, id: StepId, valid: Signal, inside: Inside, accumulators: usize, at: &At<'_>) {
        let step = self.set.step(id);
        let run = &mut *self.run;
        if matches!(at.kind, NodeAt::Document) {
            run.push_instance(id, valid, inside, accumulators, 0);
            return;
        }
        if step.keep != Keep::Nothing && matches!(at.kind, NodeAt::Element(_)) {
            run.keep(at.level, step.keep);
            if step.keep == Keep::Source {
                run.capture(at);
            }
        }
        let remembered = step.remembered_by_siblings || step.remembered_by_document;
        if step.children.is_empty()
            && run.accumulators.len() == accumulators
            && inside.is_done()
            && step.role != Role::Side
            && !remembered
            && step.tails.is_empty()
        {
            run.gates.release(valid);
            return;
        }
        run.push_instance(id, valid, inside, accumulators, at.level);
    }

    #[inline]
    pub(super) fn open_tails(&mut self, id: StepId, valid: Signal, at: &At<'_>) {
        for tail in &self.set.step(id).tails {
            let run = &mut *self.run;
            let level = match (tail.when, &at.kind) {
                (When::Document, _) | (_, NodeAt::Document) => 0,
                (When::Parent, _) => at.level - 1,
                _ => at.level,
            };
            let capture = match run.waiting(level).capture {
                Some(capture) => capture,
                None => run.capture(at),
            };
            run.captures.hold(capture);
            run.gates.hold(valid);
            let repeatable = id != DOCUMENT && (tail.when != When::End || run.open[id as usize].len() > 1);
            run.waiting(level).tails.push(PendingTail {
                tail: tail.clone(),
                valid,
                node: at.node,
                capture,
                repeatable,
            });
        }
    }

    /// Whether some context of the step is valid; held by the caller.
    #[inline]
    fn context(&mut self, id: StepId, at: &At<'_>) -> Signal {
        let step = self.set.step(id);
        let run = &mut *self.run;
        let first = run.scratch.len();
        match step.axis {
            StepAxis::FollowingSibling => {
                let siblings = run.frames[at.level - 1].waiting.iter().flat_map(|waiting| &waiting.siblings);
                run.scratch.extend(siblings.filter(|(from, _)| *from == step.from).map(|(_, valid)| *valid));
            }
            StepAxis::Following => {
                run.scratch.extend(run.before.iter().filter(|(from, _)| *from == step.from).map(|(_, valid)| *valid));
            }
            StepAxis::Descendant => return run.enclosing(step.from, at.level),
            StepAxis::DescendantOrSelf => return run.enclosing(step.from, at.level + 1),
            StepAxis::SelfAxis => return run.context_at(step.from, at.level),
            _ => return run.context_at(step.from, at.level - 1),
        }
        run.gates.any(&mut run.scratch, first)
    }

    /// Puts the undecided accumulators that wait for this step on the stack of targets.
    fn find_targets(&mut self, id: StepId, at: &At<'_>) {
        let step = self.set.step(id);
        let run = &mut *self.run;
        match step.axis {
            StepAxis::FollowingSibling => {
                let later = run.frames[at.level - 1].waiting.iter().flat_map(|waiting| &waiting.later);
                let told = later.filter(|later| later.step == id).find_map(|later| later.told_by(at.start));
                run.targets.extend(told.filter(|&gate| !run.gates.is_decided(gate)));
            }
            StepAxis::Following => {
                run.forget_decided();
                for index in 0..run.later.len() {
                    let later = &run.later[index];
                    let inside = later.owner_level.is_some_and(|level| run.is_open(level as usize, later.owner));
                    if later.step == id && later.owner != at.start && !inside && !run.gates.is_decided(later.gate) {
                        run.targets.push(later.gate);
                    }
                }
            }
            axis => {
                // The innermost tells those around it: see `Run::innermost`.
                let gate = run.innermost(step.from, id, |level| is_context(axis, level, at.level));
                run.targets.extend(gate.filter(|&gate| !run.gates.is_decided(gate)));
            }
        }
    }
}

pub(super) fn is_context(axis: StepAxis, context: usize, level: usize) -> bool {
    match axis {
        StepAxis::Descendant => context < level,
        StepAxis::DescendantOrSelf => context <= level,
        StepAxis::SelfAxis => context == level,
        _ => context + 1 == level,
    }
}

impl Run {
    /// Whether the open match of the step at `level`, if there is one, is valid; held by the caller.
    #[inline(always)]
    pub(super) fn context_at(&mut self, step: StepId, level: usize) -> Signal {
        let Some(index) = self.open_at(step, level) else { return Signal::FALSE };
        let valid = self.gates.read(self.instances[index].valid);
        self.gates.hold(valid);
        valid
    }

    /// The open match of the step at `level`, which is that of the node at hand or of its parent.
    #[inline]
    pub(super) fn open_at(&self, step: StepId, level: usize) -> Option<usize> {
        let mut open = self.open[step as usize].iter().rev().take(2).copied();
        open.find(|&index| self.instances[index].level as usize == level)
    }

    /// Whether some open match of the step below `level` is valid; held by the caller.
    #[inline]
    pub(super) fn enclosing(&mut self, step: StepId, level: usize) -> Signal {
        let open = &self.open[step as usize];
        let Some(last) = open.iter().rposition(|&index| (self.instances[index].level as usize) < level) else {
            return Signal::FALSE;
        };
        match self.instances[open[last]].valid {
            Signal::TRUE => Signal::TRUE,
            _ => self.any_of_enclosing(step, last),
        }
    }

    /// Each match remembers the answer for itself and those around it, so that recursion costs one gate an element, not
    /// one a pair.
    #[inline(never)]
    fn any_of_enclosing(&mut self, step: StepId, last: usize) -> Signal {
        let Run { open, instances, gates, .. } = self;
        let open = &open[step as usize];
        let known = open[..=last].iter().rposition(|&index| instances[index].any_valid.is_some());
        let mut any = known.and_then(|place| instances[open[place]].any_valid).unwrap_or(Signal::FALSE);
        for &index in &open[known.map_or(0, |place| place + 1)..=last] {
            any = gates.combine(GateKind::Or, &[any, instances[index].valid]);
            instances[index].any_valid = Some(any);
        }
        let now = gates.read(any);
        gates.hold(now);
        now
    }

    /// The accumulator for the branch of the innermost open match of the step that has one, among those at fitting
    /// levels. Along `descendant` an inner accumulator is an input of the next one around it.
    pub(super) fn innermost(&self, step: StepId, branch: StepId, fits: impl Fn(usize) -> bool) -> Option<GateId> {
        let open = self.open[step as usize].iter().rev();
        open.filter(|&&index| fits(self.instances[index].level as usize))
            .find_map(|&index| self.accumulator(index, branch))
    }

    /// Lets go of those along `following` that have been answered.
    fn forget_decided(&mut self) {
        let gates = &mut self.gates;
        self.later.retain(|later| {
            let waits = !gates.is_decided(later.gate);
            if !waits {
                gates.close(later.gate);
            }
            waits
        });
    }

    #[inline(always)]
    pub(super) fn push_instance(
        &mut self,
        id: StepId,
        valid: Signal,
        inside: Inside,
        accumulators: usize,
        level: usize,
    ) {
        self.open[id as usize].push(self.instances.len());
        self.instances.push(Instance { step: id, level: level as u32, valid, any_valid: None, accumulators, inside });
    }

    /// The gate of an instance's `Exists` for this branch.
    fn accumulator(&self, instance: usize, branch: StepId) -> Option<GateId> {
        let first = self.instances[instance].accumulators;
        let end = self.instances.get(instance + 1).map_or(self.accumulators.len(), |next| next.accumulators);
        let own = &self.accumulators[first..end];
        own.iter().find(|one| one.step == branch).map(|one| one.gate)
    }

    pub(super) fn document_accumulator(&self, branch: StepId) -> Option<GateId> {
        let own = &self.accumulators[..self.document_accumulators];
        own.binary_search_by_key(&branch, |one| one.step).ok().map(|index| own[index].gate)
    }

    fn is_open(&self, level: usize, start: u64) -> bool {
        level <= self.level && self.frames[level].start == start
    }

    /// The capture of the element at hand, begun if it has none.
    pub(super) fn capture(&mut self, at: &At<'_>) -> CaptureId {
        match self.waiting(at.level).capture {
            Some(capture) => capture,
            None => {
                self.capture_selected(at.source);
                let capture = self.captures.begin(at.source, at.start);
                self.waiting(at.level).capture = Some(capture);
                capture
            }
        }
    }
}
