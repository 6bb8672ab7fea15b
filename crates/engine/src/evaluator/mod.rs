//! The exact evaluator: any expression of the language, on a tape.
//!
//! Correct on a complete tape for the whole language; on the tape of a document that is still being read it
//! sees what is there, and whoever calls it makes sure that what the expression can reach is.

mod aggregate;
mod axes;
mod booleans;
mod compare;
mod compile;
mod compile_path;
mod dependence;
mod functions;
mod navigator;
mod node_test;
mod nodes;
mod numbers;
mod operation;
mod path;
mod predicates;
mod regex;
mod run;
mod step;
mod step_set;
mod strings;
mod value;

use std::cell::Cell;
use std::fmt;

use crate::error::{ErrorClass, Stop};
use crate::ir::Expr;
use crate::names::Names;
use crate::tape::Tape;

pub use compile::Compiled;
pub use nodes::{expanded_name, qualified_name};
pub use numbers::{number_to_string, string_to_number};
pub use value::{node_kind, string_value, NodeKind, NodeRef, Value};

pub(crate) use compile_path::compile_test;
pub(crate) use navigator::Navigator;
pub(crate) use nodes::{is_variety, language};
pub(crate) use numbers::{is_space, round};
pub(crate) use operation::{Axis, NameTest, Test};
pub(crate) use regex::compile as compile_regex;
pub(crate) use strings::{normalize_space, substring, translate, BYTES_PER_STEP};

use run::{Frame, Run};

/// Where and with what an expression is evaluated.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    pub tape: &'a Tape,
    pub names: &'a Names,
    pub node: NodeRef,
    pub position: usize,
    pub size: usize,
    /// Steps that may still be taken; evaluation takes from it.
    pub budget: &'a Cell<u64>,
    pub variables: &'a [(String, Value)],
}

impl<'a> Context<'a> {
    /// A context node alone: position and size 1, no variables.
    pub fn at(tape: &'a Tape, names: &'a Names, node: NodeRef, budget: &'a Cell<u64>) -> Context<'a> {
        Context { tape, names, node, position: 1, size: 1, budget, variables: &[] }
    }
}

/// Why an expression has no value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EvalError {
    /// The budget is used up.
    OutOfSteps,
    /// The query and this document do not fit: says why.
    Invalid(String),
}

impl fmt::Display for EvalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EvalError::OutOfSteps => f.write_str("evaluating the query takes more steps than the limit allows"),
            EvalError::Invalid(message) => f.write_str(message),
        }
    }
}

impl std::error::Error for EvalError {}

impl From<EvalError> for Stop {
    fn from(error: EvalError) -> Stop {
        let class = match error {
            EvalError::OutOfSteps => ErrorClass::Limit,
            EvalError::Invalid(_) => ErrorClass::Evaluation,
        };
        Stop::new(class, error.to_string())
    }
}

impl Compiled {
    /// The value of the expression.
    pub fn evaluate(&self, context: &Context<'_>) -> Result<Value, EvalError> {
        Run::new(self, context).value(&self.operation, &Frame::of(context))
    }

    /// The boolean value of the expression; stops as soon as it is known.
    pub fn is_true(&self, context: &Context<'_>) -> Result<bool, EvalError> {
        Run::new(self, context).boolean(&self.operation, &Frame::of(context))
    }
}

/// Compiles and evaluates an expression that is needed only once.
pub fn evaluate(expr: &Expr, context: &Context<'_>) -> Result<Value, EvalError> {
    Compiled::new(expr).map_err(EvalError::Invalid)?.evaluate(context)
}
