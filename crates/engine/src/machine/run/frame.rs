//! What is remembered of an open element.

use std::sync::Arc;

use super::super::automaton::StateId;
use super::super::capture::CaptureId;
use super::super::gates::{GateId, Signal};
use super::super::program::Keep;
use super::super::set::{Output, StepId, Tail};
use super::super::value_test::Test;
use crate::evaluator::Compiled;
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
    pub inside: Inside,
}

/// How far a condition that is decided inside its element has come.
pub struct Inside {
    /// Bits found so far, also after the condition is decided: see `Runner::found`.
    pub found: u32,
    /// Bits that will not be found, known before the element's end.
    pub missed: u32,
    pub tells: Tells,
}

impl Inside {
    /// There is nothing to decide.
    pub const DONE: Inside = Inside { found: 0, missed: 0, tells: Tells::Nobody };

    pub fn is_done(&self) -> bool {
        matches!(self.tells, Tells::Nobody)
    }
}

/// Who hears of a decision.
#[derive(Clone, Copy)]
pub enum Tells {
    /// It has been told.
    Nobody,
    /// A gate with this one input, held.
    Gate(GateId),
    /// An accumulator, which only a match concerns.
    Accumulator(GateId),
    /// A bit of another instance's condition, which only a match concerns.
    Instance(usize, u32),
    /// A count, which only a match concerns.
    Count(Output),
}

/// A test of an element's value, made at its end.
pub struct Check {
    pub level: usize,
    /// Where the value begins.
    pub start: usize,
    /// How far it has been looked at before its end.
    pub seen: usize,
    pub test: CheckTest,
    pub tells: Tells,
}

/// Where the test is found.
pub enum CheckTest {
    /// The condition of a branch.
    Branch(StepId),
    Own(Arc<Test>),
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
    /// A step matched it, or something waits for its end.
    pub is_concerned: bool,
    pub start: u64,
    pub first_instance: usize,
    pub waiting: Option<Box<Waiting>>,
}

impl Frame {
    /// What the element waits for, to be added to.
    #[allow(clippy::vec_box)]
    pub fn wait(&mut self, spare: &mut Vec<Box<Waiting>>) -> &mut Waiting {
        self.is_concerned = true;
        self.waiting.get_or_insert_with(|| spare.pop().unwrap_or_default())
    }

    pub fn has_no_tails(&self) -> bool {
        self.waiting.as_ref().is_none_or(|waiting| waiting.tails.is_empty())
    }
}

/// What an open element waits for or keeps. Reused from element to element, so that its vectors are allocated once.
#[derive(Default)]
pub struct Waiting {
    pub keep: Option<Keep>,
    pub capture: Option<CaptureId>,
    /// Where its string value begins, if someone asks for it.
    pub text: Option<usize>,
    pub evaluations: Vec<Evaluation>,
    pub tails: Vec<PendingTail>,
    pub hits: Vec<u32>,
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

    /// Whether the output may get something inside the element that is yet to be evaluated.
    pub fn holds_back(&self, output: Output) -> bool {
        self.tails.iter().any(|pending| pending.tail.output == output)
    }

    /// Forgets the counters; the rest was taken out.
    pub fn recycle(&mut self) {
        self.counters.clear();
    }
}
