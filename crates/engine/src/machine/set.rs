//! The subscriptions linked into one machine: all their steps in one table.

use std::sync::Arc;

use super::compiled::{CompiledOrigin, CompiledProgram, CompiledSink, Cond};
use super::local::{decided, Decided, Leaf};
use super::program::{AggregateFunction, BeforeAxis, Keep, Role, StepAxis, When};
use super::symbols::{NameTestId, NameTests};
use crate::evaluator::Compiled;
use crate::ir::Test;
use crate::xquery;

pub type StepId = u32;
/// Index of a subscription in the set.
pub type Output = u32;

/// The document node is an instance of this step.
pub const DOCUMENT: StepId = 0;

pub enum NodeTest {
    Name(NameTestId),
    Node,
    Text,
    Comment,
    Instruction(Option<String>),
}

pub struct Step {
    pub from: StepId,
    pub axis: StepAxis,
    pub test: NodeTest,
    pub role: Role,
    pub condition: Option<Arc<Cond>>,
    /// What decides the condition.
    pub decided: Decided,
    /// For a branch: its bit in the condition of the step it comes from, if that is one over bits.
    pub bit: Option<u32>,
    /// Conditions on other nodes ask whether it matched.
    pub is_asked_for: bool,
    pub keep: Keep,
    /// Added to the step numbers in `condition`.
    pub base: StepId,
    pub counter_base: u32,
    /// Steps that start here, attributes apart.
    pub children: Vec<StepId>,
    pub attributes: Vec<StepId>,
    pub outputs: Vec<Output>,
    pub tails: Vec<Tail>,
    /// Later siblings ask whether an earlier one was matched.
    pub remembered_by_siblings: bool,
    /// Anything later asks.
    pub remembered_by_document: bool,
    pub consequence: Consequence,
}

/// What follows from a step's match.
pub enum Consequence {
    /// Anything.
    Any,
    /// The node is selected, without a condition, and no other step asks for it.
    Selected,
    /// The same for one output, which gets the node itself.
    Delivered(Output),
    /// Selected with a condition, for an output that only counts what this step matches.
    Counted(Output),
}

#[derive(Clone)]
pub struct Tail {
    pub output: Output,
    pub expr: Arc<Compiled>,
    pub when: When,
}

#[derive(Clone)]
pub enum SinkKind {
    Nodes,
    Aggregate { function: AggregateFunction, running: bool },
    Truth { condition: Arc<Cond>, base: StepId },
    Value { expr: Arc<Compiled> },
    Query { query: Arc<xquery::Compiled> },
}

pub struct Subscription {
    pub sink: SinkKind,
    pub deliver_empty: bool,
}

/// Immutable once linked; shared by all who match against it.
pub struct Set {
    pub steps: Vec<Step>,
    pub subscriptions: Vec<Subscription>,
    /// First step of each subscription, less one.
    bases: Vec<StepId>,
    pub tests: NameTests,
    pub keep: Keep,
    /// Some evaluation needs records of the open elements.
    pub uses_tape: bool,
}

impl Set {
    pub fn link(programs: &[Arc<CompiledProgram>]) -> Set {
        let mut set = Set {
            steps: vec![document_step()],
            subscriptions: Vec::with_capacity(programs.len()),
            bases: Vec::with_capacity(programs.len()),
            tests: NameTests::default(),
            keep: Keep::Nothing,
            uses_tape: false,
        };
        let mut counters = 0;
        for (output, program) in programs.iter().enumerate() {
            set.add(program, output as Output, counters);
            counters += program.counters;
        }
        set
    }

    fn add(&mut self, program: &CompiledProgram, output: Output, counter_base: u32) {
        let base = self.steps.len() as StepId - 1;
        self.bases.push(base);
        for step in &program.steps {
            let id = self.steps.len() as StepId;
            let from = global(base, step.from);
            let test = self.node_test(&step.test);
            self.steps.push(Step {
                from,
                axis: step.axis,
                test,
                role: step.role,
                condition: step.condition.clone(),
                decided: Decided::Elsewhere,
                bit: None,
                is_asked_for: false,
                keep: step.keep,
                base,
                counter_base,
                children: Vec::new(),
                attributes: Vec::new(),
                outputs: Vec::new(),
                tails: Vec::new(),
                remembered_by_siblings: false,
                remembered_by_document: false,
                consequence: Consequence::Any,
            });
            let parent = &mut self.steps[from as usize];
            match (step.axis, step.role) {
                (StepAxis::Attribute, _) => parent.attributes.push(id),
                _ => parent.children.push(id),
            }
            if step.role == Role::Trunk {
                match step.axis {
                    StepAxis::FollowingSibling => parent.remembered_by_siblings = true,
                    StepAxis::Following => parent.remembered_by_document = true,
                    _ => {}
                }
            }
            self.uses_tape |= step.keep != Keep::Nothing;
        }
        for condition in program.steps.iter().filter_map(|step| step.condition.as_ref()) {
            self.note_needs(condition, base);
        }
        self.keep = self.keep.max(program.keep);
        self.uses_tape |= program.keep != Keep::Nothing;
        let sink = self.sink(&program.sink, output, base);
        self.find_local_conditions(base + 1);
        for id in base + 1..self.steps.len() as StepId {
            self.steps[id as usize].consequence = self.consequence(id, &program.sink);
        }
        self.subscriptions.push(Subscription { sink, deliver_empty: program.deliver_empty });
    }

    fn sink(&mut self, sink: &CompiledSink, output: Output, base: StepId) -> SinkKind {
        match sink {
            CompiledSink::Nodes(origins) => {
                self.attach(origins, output, base);
                SinkKind::Nodes
            }
            CompiledSink::Aggregate { function, origins, running } => {
                self.attach(origins, output, base);
                SinkKind::Aggregate { function: *function, running: *running }
            }
            CompiledSink::Truth(condition) => {
                self.note_needs(condition, base);
                SinkKind::Truth { condition: condition.clone(), base }
            }
            CompiledSink::Value(expr) => SinkKind::Value { expr: expr.clone() },
            CompiledSink::Query(query) => SinkKind::Query { query: query.clone() },
        }
    }

    fn attach(&mut self, origins: &[CompiledOrigin], output: Output, base: StepId) {
        for origin in origins {
            match origin {
                CompiledOrigin::Step(step) => self.steps[global(base, *step) as usize].outputs.push(output),
                CompiledOrigin::Tail { step, expr, when } => {
                    self.steps[global(base, *step) as usize].tails.push(Tail {
                        output,
                        expr: expr.clone(),
                        when: *when,
                    });
                    self.uses_tape = true;
                }
            }
        }
    }

    /// Branches come after the step whose condition asks for them, so the last step is looked at first.
    fn find_local_conditions(&mut self, first: StepId) {
        for id in (first..self.steps.len() as StepId).rev() {
            let decided = decided(&self.steps, id);
            if let Decided::Inside(local) = &decided {
                for (number, leaf) in local.leaves.iter().enumerate() {
                    if let Leaf::Branch(branch) = leaf {
                        self.steps[*branch as usize].bit = Some(1 << number);
                    }
                }
            }
            self.steps[id as usize].decided = decided;
        }
    }

    fn consequence(&self, id: StepId, sink: &CompiledSink) -> Consequence {
        let step = self.step(id);
        let is_asked_for = step.is_asked_for || step.remembered_by_siblings || step.remembered_by_document;
        if step.role != Role::Trunk || step.keep != Keep::Nothing || !step.tails.is_empty() || is_asked_for {
            return Consequence::Any;
        }
        let mut below = step.children.iter().chain(&step.attributes).map(|&child| self.step(child));
        let is_last = step.children.is_empty() && step.attributes.is_empty();
        match (&step.condition, &step.decided, &step.outputs[..], sink) {
            (None, _, &[output], CompiledSink::Nodes(_)) if is_last => Consequence::Delivered(output),
            (None, ..) if is_last => Consequence::Selected,
            (
                _,
                Decided::Inside(_),
                &[output],
                CompiledSink::Aggregate { function: AggregateFunction::Count, origins, running: false },
            ) if origins.len() == 1 && below.all(|child| child.role == Role::Branch) => Consequence::Counted(output),
            _ => Consequence::Any,
        }
    }

    fn note_needs(&mut self, condition: &Cond, base: StepId) {
        match condition {
            Cond::And(args) | Cond::Or(args) => args.iter().for_each(|arg| self.note_needs(arg, base)),
            Cond::Not(arg) => self.note_needs(arg, base),
            Cond::Up(_, step) => self.steps[global(base, *step) as usize].is_asked_for = true,
            Cond::Before(axis, step) => {
                let step = &mut self.steps[global(base, *step) as usize];
                step.is_asked_for = true;
                match axis {
                    BeforeAxis::PrecedingSibling => step.remembered_by_siblings = true,
                    BeforeAxis::Preceding => step.remembered_by_document = true,
                }
            }
            Cond::Eval { .. } => self.uses_tape = true,
            _ => {}
        }
    }

    fn node_test(&mut self, test: &Test) -> NodeTest {
        match test {
            Test::Name { uri, local } => NodeTest::Name(self.tests.intern(uri.as_deref(), local.as_deref())),
            Test::Node => NodeTest::Node,
            Test::Text => NodeTest::Text,
            Test::Comment => NodeTest::Comment,
            Test::Instruction { target } => NodeTest::Instruction(target.clone()),
        }
    }

    /// The subscription whose conditions have this base. Subscriptions without steps of their own share a base; any of them will do.
    pub fn owner(&self, base: StepId) -> Output {
        self.bases.partition_point(|&first| first <= base).saturating_sub(1) as Output
    }

    pub fn step(&self, id: StepId) -> &Step {
        &self.steps[id as usize]
    }
}

/// A program's own step number as a number of the set; the document node is everyone's.
pub fn global(base: StepId, step: u32) -> StepId {
    if step == DOCUMENT {
        DOCUMENT
    } else {
        base + step
    }
}

fn document_step() -> Step {
    Step {
        from: DOCUMENT,
        axis: StepAxis::Child,
        test: NodeTest::Node,
        role: Role::Trunk,
        condition: None,
        decided: Decided::AtStart,
        bit: None,
        is_asked_for: false,
        keep: Keep::Nothing,
        base: 0,
        counter_base: 0,
        children: Vec::new(),
        attributes: Vec::new(),
        outputs: Vec::new(),
        tails: Vec::new(),
        remembered_by_siblings: false,
        remembered_by_document: false,
        consequence: Consequence::Any,
    }
}
