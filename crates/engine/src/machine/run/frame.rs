//! What is remembered of an open element.

use std::sync::Arc;

use super::super::automaton::StateId;
use super::super::capture::CaptureId;
use super::super::gates::{GateId, Signal};
use super::super::program::Keep;
use super::super::set::{Output, StepId, Tail};
use super::super::value_test::Test;
use crate::evaluator::Compiled;
use crate::names::NsId;
use crate::tape::Node;

/// A step's match on an open node.
pub struct Instance {
    pub step: StepId,
    pub level: u32,
    /// Whether the match is valid.
    pub valid: Signal,
    /// Whether this or an enclosing match of the step is valid, once someone has asked.
    pub any_valid: Option<Signal>,
    /// Where its accumulators begin in [`super::Run::accumulators`].
    pub accumulators: usize,
}

/// An `Exists` along `child` or `descendant` of an open instance.
pub struct Accumulator {
    pub step: StepId,
    pub gate: GateId,
    /// More may come.
    pub open: bool,
}

/// An `Exists` along `following`: open until the document ends.
pub struct Later {
    pub step: StepId,
    pub gate: GateId,
    pub owner: u64,
    /// Level of the owner, if it is an element.
    pub owner_level: Option<u32>,
}

/// The `Exists` along `following-sibling` of all children so far for one step. What comes after the newest owner comes
/// after the older ones too, so each owner's gate has the next owner's as an input, and only the last two are known here.
pub struct LaterSiblings {
    pub step: StepId,
    pub owner: u64,
    pub newest: GateId,
    pub older: Option<GateId>,
}

impl LaterSiblings {
    /// The gate that a match on the node tells: not the node's own.
    pub fn told_by(&self, node: u64) -> Option<GateId> {
        if self.owner == node {
            self.older
        } else {
            Some(self.newest)
        }
    }
}

pub struct Evaluation {
    pub gate: GateId,
    pub output: Output,
    pub expr: Arc<Compiled>,
    pub node: Node,
    pub position: usize,
}

pub struct PendingTail {
    pub tail: Tail,
    pub valid: Signal,
    pub node: Node,
    pub capture: CaptureId,
    /// Another context may give the same nodes.
    pub repeatable: bool,
}

/// An open element. Small: most elements wait for nothing.
#[derive(Default)]
pub struct Frame {
    pub state: StateId,
    pub start: u64,
    pub first_instance: usize,
    pub waiting: Option<Box<Waiting>>,
}

impl Frame {
    pub fn has_no_tails(&self) -> bool {
        self.waiting.as_ref().map_or(true, |waiting| waiting.tails.is_empty())
    }
}

/// What an open element waits for or keeps. Reused from element to element, so that its vectors are allocated once.
#[derive(Default)]
pub struct Waiting {
    pub keep: Option<Keep>,
    pub capture: Option<CaptureId>,
    /// Where its string value begins, if someone asks for it.
    pub text: Option<usize>,
    /// Gates that have its value as their one input.
    pub values: Vec<(GateId, Arc<Test>)>,
    /// Accumulators that become true if its value passes the test of a branch.
    pub checks: Vec<(GateId, StepId)>,
    pub evaluations: Vec<Evaluation>,
    pub tails: Vec<PendingTail>,
    pub hits: Vec<u32>,
    /// Outputs that get the element for certain, and its namespaces.
    pub certain: Vec<Output>,
    pub namespaces: Option<NsId>,
    /// Validity of children already closed, for steps that later siblings ask for.
    pub siblings: Vec<(StepId, Signal)>,
    pub later: Vec<LaterSiblings>,
    counters: Vec<(u32, u32)>,
}

impl Waiting {
    /// The next number of a counter.
    pub fn count(&mut self, counter: u32) -> u32 {
        for (id, count) in &mut self.counters {
            if *id == counter {
                *count += 1;
                return *count;
            }
        }
        self.counters.push((counter, 1));
        1
    }

    /// Whether the output is sure of the element, or of something inside it that is yet to be evaluated.
    pub fn holds_back(&self, output: Output) -> bool {
        self.certain.contains(&output) || self.tails.iter().any(|pending| pending.tail.output == output)
    }

    /// Whether nothing hangs on the element but tests of its value.
    pub fn is_only_tested(&self) -> bool {
        self.capture.is_none()
            && self.keep.is_none()
            && self.evaluations.is_empty()
            && self.tails.is_empty()
            && self.hits.is_empty()
            && self.siblings.is_empty()
            && self.later.is_empty()
    }

    /// Forgets the counters; the rest was taken out.
    pub fn recycle(&mut self) {
        self.counters.clear();
    }
}
