//! One document on its way through the machine.

mod aggregate;
mod batch;
mod conditions;
mod ending;
mod evaluations;
mod frame;
mod handler;
mod hits;
mod local;
mod matching;
mod queries;
mod results;
mod selected;
mod values;

use std::cell::Cell;

use super::automaton::Automaton;
use super::capture::{CaptureId, Captures};
use super::gates::{GateId, GateKind, Gates, Signal};
use super::program::{Keep, Role, StepAxis};
use super::set::{NodeTest, Output, Set, SinkKind, StepId, DOCUMENT};
use crate::error::Stop;
use crate::events::{Source, StartTag};
use crate::learned::Learned;
use crate::limits::Limits;
use crate::names::Names;
use crate::tape::{Node, TapeBuilder};
use batch::rank;
pub(crate) use batch::ScopeNumber;
pub use batch::{Batch, Fragment, FragmentKind};
use frame::{Accumulator, Check, CheckTest, Frame, Inside, Instance, Later, Tells, Waiting};
use hits::Hits;
use selected::Selected;
use values::{Ahead, Values};

/// The state of one document. Reused for the next: memory stays, content goes.
pub struct Run {
    automaton: Automaton,
    gates: Gates,
    captures: Captures,
    tape: TapeBuilder,
    /// Open elements; frame 0 is the document. Frames above `level` are kept for reuse.
    frames: Vec<Frame>,
    level: usize,
    /// For elements that will wait for something. Boxed as frames hold them: they are handed back and forth.
    #[allow(clippy::vec_box)]
    spare: Vec<Box<Waiting>>,
    instances: Vec<Instance>,
    /// Tests of the values of open elements, innermost last.
    checks: Vec<Check>,
    /// Open elements that are selected, innermost last.
    selected: Vec<Selected>,
    /// `Exists` gates of the open instances.
    accumulators: Vec<Accumulator>,
    /// Open instances of each step, outermost first.
    open: Vec<Vec<usize>>,
    /// Validity of closed instances that anything later may ask for.
    before: Vec<(StepId, Signal)>,
    later: Vec<Later>,
    hits: Hits,
    values: Values,
    /// By step: what is known of the source ahead about the test of its value.
    ahead: Vec<Ahead>,
    /// The text node being read: where it began, and its text as far as someone wants it.
    text_node: Option<u64>,
    text_value: Vec<u8>,
    /// The outermost level whose content is kept.
    kept_from: Option<usize>,
    /// How many of the accumulators are the document's.
    document_accumulators: usize,
    /// The document's capture while its last values are made.
    document_capture: Option<CaptureId>,
    /// Bytes of the document that have come or are about to.
    known: u64,
    delivered: u64,
    budget: Cell<u64>,
    targets: Vec<GateId>,
    scratch: Vec<Signal>,
    pub batch: Batch,
    limits: Limits,
}

/// The run together with what it runs on: the handler of the reader's events.
pub struct Runner<'a> {
    pub run: &'a mut Run,
    pub set: &'a Set,
}

/// The node at hand while its steps are matched.
struct At<'a> {
    names: &'a Names,
    source: Source<'a>,
    kind: NodeAt<'a>,
    /// Number of ancestors; its parent is the frame below.
    level: usize,
    start: u64,
    node: Node,
}

enum NodeAt<'a> {
    Document,
    Element(&'a StartTag<'a>),
    Attribute(&'a StartTag<'a>, usize),
    /// Kind and string value.
    Leaf(Leaf<'a>, &'a str),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Leaf<'a> {
    Text,
    Comment,
    Instruction(&'a str),
}

impl Run {
    pub fn new(limits: Limits) -> Run {
        Run {
            automaton: Automaton::default(),
            gates: Gates::default(),
            captures: Captures::default(),
            tape: TapeBuilder::new(),
            frames: Vec::new(),
            level: 0,
            spare: Vec::new(),
            instances: Vec::new(),
            checks: Vec::new(),
            selected: Vec::new(),
            accumulators: Vec::new(),
            open: Vec::new(),
            before: Vec::new(),
            later: Vec::new(),
            hits: Hits::default(),
            values: Values::default(),
            ahead: Vec::new(),
            text_node: None,
            text_value: Vec::new(),
            kept_from: None,
            document_accumulators: 0,
            document_capture: None,
            known: 0,
            delivered: 0,
            budget: Cell::new(0),
            targets: Vec::new(),
            scratch: Vec::new(),
            batch: Batch::default(),
            limits,
        }
    }

    /// Forgets the automaton: the next document comes with another set.
    pub fn forget_set(&mut self) {
        self.automaton = Automaton::default();
    }

    pub fn learned(&self) -> Learned {
        self.automaton.learned()
    }

    /// Bytes held for what is undecided.
    pub fn buffered(&self) -> u64 {
        self.captures.bytes() as u64
            + self.tape.bytes()
            + (self.values.bytes() + self.text_value.len()) as u64
            + self.hits.bytes()
            + 64 * self.gates.live() as u64
    }

    /// The rank from which the output may still deliver: of the first node that waits, or whose content is to be evaluated.
    pub fn open_from(&self, output: Output) -> Option<u64> {
        let anchors = self.frames[..=self.level].iter();
        let anchors = anchors.filter(|frame| frame.waiting.as_ref().is_some_and(|waiting| waiting.holds_back(output)));
        let anchors = anchors.map(|frame| rank(frame.start, frame.start == 0));
        let selected = self.selected.iter().find(|one| one.output == output).map(|one| rank(one.start, false));
        self.hits.first_open(output).into_iter().chain(anchors).chain(selected).min()
    }

    fn clear(&mut self) {
        self.gates.clear();
        self.captures.clear();
        self.tape.reset();
        self.frames.truncate(1);
        self.frames.iter_mut().for_each(|frame| *frame = Frame::default());
        self.level = 0;
        self.instances.clear();
        self.checks.clear();
        self.selected.clear();
        self.accumulators.clear();
        self.before.clear();
        self.later.clear();
        self.hits.clear();
        self.values.clear();
        self.text_node = None;
        self.text_value.clear();
        self.kept_from = None;
        self.tape.keep_text = false;
        self.tape.keep_markup = false;
        self.document_capture = None;
        self.known = 0;
        self.delivered = 0;
        self.targets.clear();
        self.scratch.clear();
        self.budget.set(self.limits.evaluation_steps);
        self.batch = Batch::default();
    }
}

impl Runner<'_> {
    /// The document begins.
    pub fn begin(&mut self, names: &Names) -> Result<(), Stop> {
        let set = self.set;
        self.run.clear();
        self.run.automaton.symbols.follow(names);
        self.run.open.iter_mut().for_each(Vec::clear);
        self.run.open.resize_with(set.steps.len(), Vec::new);
        self.run.ahead.clear();
        self.run.ahead.resize(set.steps.len(), Ahead::UNKNOWN);
        self.run.hits.aggregates.resize_with(set.subscriptions.len(), Default::default);
        self.run.hits.aggregates.fill(Default::default());
        if self.run.frames.is_empty() {
            self.run.frames.push(Frame::default());
        }
        let initial = self.run.automaton.initial(set);
        self.run.frames[0].state = initial;
        if set.keep != Keep::Nothing {
            let capture =
                (set.keep == Keep::Source).then(|| self.run.captures.begin(Source { base: 0, bytes: &[] }, 0));
            self.run.waiting(0).capture = capture;
            self.run.keep(0, set.keep);
        }
        self.begin_document_instance();
        let nothing = Source { base: 0, bytes: &[] };
        let at = At { names, source: nothing, kind: NodeAt::Document, level: 0, start: 0, node: 0 };
        self.open_self_steps(DOCUMENT, &at)?;
        self.take_fresh(&at)?;
        self.open_tails(DOCUMENT, Signal::TRUE, &at);
        for (output, subscription) in set.subscriptions.iter().enumerate() {
            if let SinkKind::Truth { condition, base } = &subscription.sink {
                let truth = self.condition(condition, *base, 0, &at)?;
                let hit = self.run.hits.add_truth(&mut self.run.gates, output as u32, truth);
                self.run.gates.release(truth);
                self.try_deliver(hit, names)?;
            }
        }
        self.settle(names)
    }

    /// The steps by which the document node reaches itself.
    fn open_self_steps(&mut self, from: StepId, at: &At<'_>) -> Result<(), Stop> {
        let set = self.set;
        for &step in &set.step(from).children {
            let includes_itself = matches!(set.step(step).axis, StepAxis::DescendantOrSelf | StepAxis::SelfAxis);
            if includes_itself && matches!(set.step(step).test, NodeTest::Node) {
                self.open(step, at)?;
                self.open_self_steps(step, at)?;
            }
        }
        Ok(())
    }

    fn begin_document_instance(&mut self) {
        let run = &mut *self.run;
        run.instances.push(Instance {
            step: DOCUMENT,
            level: 0,
            valid: Signal::TRUE,
            any_valid: None,
            accumulators: 0,
            inside: Inside::DONE,
        });
        run.open[DOCUMENT as usize].push(0);
        for &step in &self.set.step(DOCUMENT).children {
            if self.set.step(step).role == Role::Branch {
                let gate = run.gates.create(GateKind::Or, 1);
                run.accumulators.push(Accumulator { step, gate, open: true });
            }
        }
        run.document_accumulators = run.accumulators.len();
    }

    fn check_limits(&self) -> Result<(), Stop> {
        let run = &self.run;
        if run.buffered() > run.limits.buffered_bytes {
            return Err(Stop::limit(format!(
                "more than {} bytes are held for undecided results (limit buffered_bytes)",
                run.limits.buffered_bytes
            )));
        }
        Ok(())
    }
}

impl Run {
    /// What the element at `level` waits for.
    fn waiting(&mut self, level: usize) -> &mut Waiting {
        self.frames[level].wait(&mut self.spare)
    }

    /// Keeps the content of the element at `level` until its end.
    fn keep(&mut self, level: usize, keep: Keep) {
        let waiting = self.waiting(level);
        waiting.keep = waiting.keep.max(Some(keep));
        if self.kept_from.is_none_or(|from| level < from) {
            self.kept_from = Some(level);
        }
        self.tape.keep_text = true;
        self.tape.keep_markup = true;
    }

    /// Tests the value of the element at `level`, which is the innermost, at its end.
    fn check_value(&mut self, level: usize, test: CheckTest, tells: Tells) {
        let start = self.values.hold();
        self.checks.push(Check { level, start, seen: start, test, tells });
    }

    /// Asks for the string value of the element at `level`.
    fn want_text(&mut self, level: usize) {
        if self.waiting(level).text.is_none() {
            let start = self.values.hold();
            self.waiting(level).text = Some(start);
        }
    }
}
