//! A program made ready to run: expressions compiled, places of evaluation known. Step numbers are still its own.

use std::sync::Arc;

use serde::Deserialize;

use super::program::{
    AggregateFunction, BeforeAxis, Condition, Keep, Origin, Program, Role, Sink, StepAxis, UpAxis, When,
};
use super::value_test::Test as ValueCheck;
use crate::evaluator::Compiled;
use crate::ir::{Comparison, Expr, Test, VERSION};
use crate::sharing::Shared;
use crate::xquery;

pub struct CompiledProgram {
    pub steps: Vec<CompiledStep>,
    pub sink: CompiledSink,
    pub keep: Keep,
    pub counters: u32,
    pub deliver_empty: bool,
    pub shared: Option<Shared>,
    /// What it was read from.
    pub json: Box<[u8]>,
}

pub struct CompiledStep {
    pub from: u32,
    pub axis: StepAxis,
    pub test: Test,
    pub role: Role,
    pub condition: Option<Arc<Cond>>,
    pub keep: Keep,
}

/// [`Condition`] with its parts compiled.
pub enum Cond {
    Known(bool),
    And(Vec<Cond>),
    Or(Vec<Cond>),
    Not(Box<Cond>),
    Exists(u32),
    Is(Test),
    Value(Arc<ValueCheck>),
    Up(UpAxis, u32),
    Before(BeforeAxis, u32),
    Position { counter: u32, comparison: Comparison, value: f64 },
    Place { counter: u32, comparison: Comparison, value: f64 },
    Eval { expr: Arc<Compiled>, when: When, counter: Option<u32> },
}

pub enum CompiledOrigin {
    Step(u32),
    Tail { step: u32, expr: Arc<Compiled>, when: When },
}

pub enum CompiledSink {
    Nodes(Vec<CompiledOrigin>),
    Aggregate { function: AggregateFunction, origins: Vec<CompiledOrigin>, running: bool },
    Truth(Arc<Cond>),
    Value(Arc<Compiled>),
    Query(Arc<xquery::Compiled>),
}

impl CompiledProgram {
    /// Reads a program from its JSON form.
    pub fn from_json(json: &[u8]) -> Result<CompiledProgram, String> {
        let mut reader = serde_json::Deserializer::from_slice(json);
        // The planner's limit on nesting is the one that counts; serde's own would be reached long before.
        reader.disable_recursion_limit();
        let program = Program::deserialize(&mut reader).map_err(|error| format!("unreadable program: {error}"))?;
        CompiledProgram::new(&program, json)
    }

    pub(crate) fn new(program: &Program, json: &[u8]) -> Result<CompiledProgram, String> {
        if program.version != VERSION {
            return Err(format!("program version {} where {VERSION} is spoken", program.version));
        }
        let mut compiler = Compiler { steps: program.steps.len() as u32, counters: 0 };
        let mut steps = Vec::with_capacity(program.steps.len());
        for (index, step) in program.steps.iter().enumerate() {
            if step.from > index as u32 {
                return Err(format!("step {} comes from a later step {}", index + 1, step.from));
            }
            steps.push(CompiledStep {
                from: step.from,
                axis: step.axis,
                test: step.test.clone(),
                role: step.role,
                condition: step.condition.as_ref().map(|c| compiler.condition(c)).transpose()?.map(Arc::new),
                keep: step.keep,
            });
        }
        let sink = match &program.sink {
            Sink::Nodes { origins } => CompiledSink::Nodes(compiler.origins(origins)?),
            Sink::Aggregate { function, origins, running } => {
                CompiledSink::Aggregate { function: *function, origins: compiler.origins(origins)?, running: *running }
            }
            Sink::Truth { condition } => CompiledSink::Truth(Arc::new(compiler.condition(condition)?)),
            Sink::Value { expr } => CompiledSink::Value(compiler.expression(expr)?),
            Sink::Query { query } => CompiledSink::Query(Arc::new(xquery::Compiled::new(query)?)),
        };
        Ok(CompiledProgram {
            steps,
            sink,
            keep: program.keep,
            counters: compiler.counters,
            deliver_empty: program.deliver_empty,
            shared: program.shared.as_ref().map(Shared::new).transpose()?,
            json: json.into(),
        })
    }
}

struct Compiler {
    steps: u32,
    counters: u32,
}

impl Compiler {
    fn expression(&self, expr: &Expr) -> Result<Arc<Compiled>, String> {
        Compiled::new(expr).map(Arc::new)
    }

    fn step(&self, step: u32) -> Result<u32, String> {
        if step <= self.steps {
            Ok(step)
        } else {
            Err(format!("no step {step}"))
        }
    }

    fn counter(&mut self) -> u32 {
        self.counters += 1;
        self.counters - 1
    }

    fn origins(&self, origins: &[Origin]) -> Result<Vec<CompiledOrigin>, String> {
        origins
            .iter()
            .map(|origin| {
                Ok(match origin {
                    Origin::Step { step } => CompiledOrigin::Step(self.step(*step)?),
                    Origin::Tail { step, expr, when } => {
                        CompiledOrigin::Tail { step: self.step(*step)?, expr: self.expression(expr)?, when: *when }
                    }
                })
            })
            .collect()
    }

    fn conditions(&mut self, args: &[Condition]) -> Result<Vec<Cond>, String> {
        args.iter().map(|arg| self.condition(arg)).collect()
    }

    fn condition(&mut self, condition: &Condition) -> Result<Cond, String> {
        Ok(match condition {
            Condition::Known { value } => Cond::Known(*value),
            Condition::And { args } => Cond::And(self.conditions(args)?),
            Condition::Or { args } => Cond::Or(self.conditions(args)?),
            Condition::Not { arg } => Cond::Not(Box::new(self.condition(arg)?)),
            Condition::Exists { step } => Cond::Exists(self.step(*step)?),
            Condition::Is { test } => Cond::Is(test.clone()),
            Condition::Value { test } => Cond::Value(Arc::new(ValueCheck::new(test))),
            Condition::Up { axis, step } => Cond::Up(*axis, self.step(*step)?),
            Condition::Before { axis, step } => Cond::Before(*axis, self.step(*step)?),
            Condition::Position { comparison, value } => {
                Cond::Position { counter: self.counter(), comparison: *comparison, value: *value }
            }
            Condition::Place { comparison, value } => {
                Cond::Place { counter: self.counter(), comparison: *comparison, value: *value }
            }
            Condition::Eval { expr, when, counted } => {
                Cond::Eval { expr: self.expression(expr)?, when: *when, counter: counted.then(|| self.counter()) }
            }
        })
    }
}
