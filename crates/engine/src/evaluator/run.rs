//! One evaluation: dispatches on operations, keeps what is computed once.

use std::borrow::Cow;
use std::cell::{OnceCell, RefCell};

use ::regex::Regex;
use std::collections::HashMap;

use crate::tape::Node;

use super::compare::Kept;
use super::compile::Compiled;
use super::functions::Function;
use super::navigator::Navigator;
use super::numbers::{arithmetic, number_to_string, string_to_number};
use super::operation::{Operation, Type};
use super::value::{boolean_to_number, node_number, number_to_boolean, string_value, NodeRef, Value};
use super::{Context, EvalError};

pub(super) struct Run<'a> {
    navigator: Navigator<'a>,
    /// Elements by their DTD-declared ID.
    pub(super) ids: OnceCell<HashMap<&'a str, Node>>,
    /// Patterns that are not constants.
    pub(super) patterns: RefCell<HashMap<(String, String), Regex>>,
    variables: &'a [(String, Value)],
    kept: Vec<OnceCell<Kept<'a>>>,
}

impl<'a> std::ops::Deref for Run<'a> {
    type Target = Navigator<'a>;

    fn deref(&self) -> &Navigator<'a> {
        &self.navigator
    }
}

/// The context of an operation.
#[derive(Clone, Copy)]
pub(super) struct Frame<'f> {
    pub(super) node: NodeRef,
    pub(super) position: usize,
    pub(super) size: usize,
    pub(super) locals: Locals<'f>,
}

/// The quantifiers' variables, innermost first.
pub(super) type Locals<'f> = Option<&'f Local<'f>>;

pub(super) struct Local<'f> {
    value: Value,
    outer: Locals<'f>,
}

impl<'f> Frame<'f> {
    pub(super) fn of(context: &Context<'_>) -> Frame<'f> {
        Frame { node: context.node, position: context.position, size: context.size, locals: None }
    }
}

impl<'a> Run<'a> {
    pub(super) fn new(compiled: &'a Compiled, context: &Context<'a>) -> Run<'a> {
        Run {
            navigator: Navigator::new(context.tape, context.names, &compiled.name_tests, context.budget),
            ids: OnceCell::new(),
            patterns: RefCell::default(),
            variables: context.variables,
            kept: (0..compiled.slots).map(|_| OnceCell::new()).collect(),
        }
    }

    pub(super) fn value(&self, operation: &'a Operation, frame: &Frame<'_>) -> Result<Value, EvalError> {
        Ok(match operation {
            Operation::External(name) => self.external(name)?.clone(),
            Operation::Local(depth) => local(frame.locals, *depth)?.clone(),
            Operation::If(parts) => self.value(self.branch(parts, frame)?, frame)?,
            Operation::Once(slot, inner) => self.kept(*slot, inner, frame)?.value.clone(),
            Operation::Call(function @ (Function::Average | Function::Least | Function::Greatest), args) => {
                self.aggregate(*function, args, frame)?
            }
            other => match other.static_type() {
                Type::Boolean => Value::Boolean(self.boolean(other, frame)?),
                Type::Number => Value::Number(self.number(other, frame)?),
                Type::String => Value::String(self.string(other, frame)?.into_owned()),
                Type::Nodes | Type::Any => Value::Nodes(self.nodes(other, frame)?),
            },
        })
    }

    pub(super) fn boolean(&self, operation: &'a Operation, frame: &Frame<'_>) -> Result<bool, EvalError> {
        match operation {
            Operation::Or(args) => self.find(args, frame, true),
            Operation::And(args) => self.find(args, frame, false).map(|found| !found),
            Operation::Compare(comparison, left, right) => self.compare(*comparison, left, right, frame),
            Operation::Matches(input, pattern) => {
                let input = self.string(input, frame)?;
                self.charge(input.len() as u64)?;
                Ok(pattern.is_match(&input))
            }
            Operation::Quantified { every, domain, satisfies } => self.quantified(*every, domain, satisfies, frame),
            Operation::Once(slot, inner) => Ok(self.kept(*slot, inner, frame)?.value.to_boolean()),
            Operation::If(parts) => self.boolean(self.branch(parts, frame)?, frame),
            Operation::Call(function, args) if function.result() == Type::Boolean => {
                self.boolean_call(*function, args, frame)
            }
            other => match other.static_type() {
                Type::Nodes => self.any_node(other, frame, &mut |_| Ok(true)),
                Type::Number => self.number(other, frame).map(number_to_boolean),
                Type::String => Ok(!self.string(other, frame)?.is_empty()),
                Type::Boolean | Type::Any => Ok(self.value(other, frame)?.to_boolean()),
            },
        }
    }

    pub(super) fn number(&self, operation: &'a Operation, frame: &Frame<'_>) -> Result<f64, EvalError> {
        match operation {
            Operation::Number(value) => Ok(*value),
            Operation::Arithmetic(operator, left, right) => {
                Ok(arithmetic(*operator, self.number(left, frame)?, self.number(right, frame)?))
            }
            Operation::Negate(arg) => Ok(-self.number(arg, frame)?),
            Operation::Call(function, args) if function.result() == Type::Number => {
                self.number_call(*function, args, frame)
            }
            other => match other.static_type() {
                Type::Nodes => {
                    Ok(self.first(other, frame)?.map_or(f64::NAN, |node| node_number(self.tape, self.names, node)))
                }
                Type::Boolean => self.boolean(other, frame).map(boolean_to_number),
                Type::String => Ok(string_to_number(&self.string(other, frame)?)),
                Type::Number | Type::Any => Ok(self.value(other, frame)?.to_number(self.tape, self.names)),
            },
        }
    }

    pub(super) fn string(&self, operation: &'a Operation, frame: &Frame<'_>) -> Result<Cow<'a, str>, EvalError> {
        match operation {
            Operation::String(value) => Ok(Cow::Borrowed(value)),
            Operation::Call(function, args) if function.result() == Type::String => {
                self.string_call(*function, args, frame)
            }
            other => match other.static_type() {
                Type::Nodes => Ok(Cow::Borrowed(self.first(other, frame)?.map_or("", |node| self.string_value(node)))),
                Type::Boolean => Ok(Cow::Borrowed(if self.boolean(other, frame)? { "true" } else { "false" })),
                Type::Number => Ok(Cow::Owned(number_to_string(self.number(other, frame)?))),
                Type::String | Type::Any => Ok(Cow::Owned(self.value(other, frame)?.to_string(self.tape, self.names))),
            },
        }
    }

    #[inline]
    pub(super) fn string_value(&self, node: NodeRef) -> &'a str {
        string_value(self.tape, self.names, node)
    }

    /// The value of what is evaluated only once.
    pub(super) fn kept(&self, slot: usize, inner: &'a Operation, frame: &Frame<'_>) -> Result<&Kept<'a>, EvalError> {
        let cell = &self.kept[slot];
        match cell.get() {
            Some(kept) => Ok(kept),
            None => {
                let value = self.value(inner, frame)?;
                Ok(cell.get_or_init(|| Kept::new(value)))
            }
        }
    }

    pub(super) fn branch<'o>(&self, parts: &'a [Operation; 3], frame: &Frame<'_>) -> Result<&'o Operation, EvalError>
    where
        'a: 'o,
    {
        Ok(if self.boolean(&parts[0], frame)? { &parts[1] } else { &parts[2] })
    }

    /// Some argument has this truth.
    fn find(&self, args: &'a [Operation], frame: &Frame<'_>, wanted: bool) -> Result<bool, EvalError> {
        for arg in args {
            if self.boolean(arg, frame)? == wanted {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn quantified(
        &self,
        every: bool,
        domain: &'a Operation,
        satisfies: &'a Operation,
        frame: &Frame<'_>,
    ) -> Result<bool, EvalError> {
        let holds = |value: Value| {
            let local = Local { value, outer: frame.locals };
            self.boolean(satisfies, &Frame { locals: Some(&local), ..*frame })
        };
        // `every` holds unless some item fails.
        match self.value(domain, frame)? {
            Value::Nodes(nodes) => {
                for node in nodes {
                    if holds(Value::Nodes(vec![node]))? != every {
                        return Ok(!every);
                    }
                }
                Ok(every)
            }
            atomic => holds(atomic),
        }
    }

    pub(super) fn external(&self, name: &str) -> Result<&'a Value, EvalError> {
        let found = self.variables.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value).ok_or_else(|| EvalError::Invalid(format!("the variable ${name} has no value")))
    }
}

pub(super) fn local<'f>(locals: Locals<'f>, depth: usize) -> Result<&'f Value, EvalError> {
    std::iter::successors(locals, |local| local.outer)
        .nth(depth)
        .map(|local| &local.value)
        .ok_or_else(|| EvalError::Invalid("a variable is used outside its quantifier".to_owned()))
}
