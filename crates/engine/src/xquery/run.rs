//! One evaluation of a query on a document: dispatches on operations.

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

use ::regex::Regex;

use crate::evaluator::{EvalError, Navigator, NodeRef, BYTES_PER_STEP};
use crate::names::Names;
use crate::tape::Tape;

use super::arithmetic::{calculate, negated, operand};
use super::compare::by_value;
use super::compile::Compiled;
use super::error::{error, too_many, Result};
use super::forest::Forest;
use super::ir::NodeComparison;
use super::operation::Operation;
use super::value::{Atomic, Item, Node, Value, SOURCE};

pub(super) struct Run<'a> {
    pub(super) compiled: &'a Compiled,
    /// The document.
    pub(super) source: Navigator<'a>,
    pub(super) budget: &'a Cell<u64>,
    /// The constructed trees.
    pub(super) forest: Forest,
    pub(super) slots: RefCell<Vec<Value>>,
    pub(super) fixed: Vec<OnceCell<Value>>,
    /// Patterns that are not constants.
    pub(super) patterns: RefCell<HashMap<(String, String), Rc<Regex>>>,
    /// Items that noted FLWORs have given so far.
    yielded: Cell<u64>,
}

/// The context of an operation.
#[derive(Clone, Copy)]
pub(super) struct Focus<'f> {
    pub(super) item: &'f Item,
    pub(super) position: usize,
    pub(super) size: usize,
}

impl<'a> Run<'a> {
    pub(super) fn new(compiled: &'a Compiled, tape: &'a Tape, names: &'a Names, budget: &'a Cell<u64>) -> Run<'a> {
        Run {
            compiled,
            source: Navigator::new(tape, names, &compiled.name_tests, budget),
            budget,
            forest: Forest::default(),
            slots: RefCell::new(vec![Value::Empty; compiled.slots]),
            fixed: (0..compiled.fixed).map(|_| OnceCell::new()).collect(),
            patterns: RefCell::default(),
            yielded: Cell::new(0),
        }
    }

    /// The query's value, with the document node as context.
    pub(super) fn answer(&self) -> Result<Value> {
        let document = Item::Node(Node { tree: SOURCE, at: NodeRef::new(0) });
        self.value(&self.compiled.operation, &Focus { item: &document, position: 1, size: 1 })
    }

    pub(super) fn charge(&self, steps: u64) -> Result<()> {
        self.source.charge(steps)
    }

    /// Items that are put into a sequence count by their size, so that the budget bounds memory as well.
    pub(super) fn charge_items(&self, count: usize) -> Result<()> {
        self.charge((count as u64).saturating_mul(std::mem::size_of::<Item>() as u64))
    }

    pub(super) fn value(&self, operation: &'a Operation, focus: &Focus<'_>) -> Result<Value> {
        self.charge(1)?;
        Ok(match operation {
            Operation::Constant(atomic) => Value::atomic(atomic.clone()),
            Operation::Variable(slot) => self.slots.borrow()[*slot].clone(),
            Operation::Context => Value::One(focus.item.clone()),
            Operation::Root => Value::One(Item::Node(self.root_of(focus.item)?)),
            Operation::Sequence(items) => {
                let mut all = Vec::new();
                for item in items {
                    let value = self.value(item, focus)?;
                    self.charge_items(value.len())?;
                    all.extend(value.into_items());
                }
                all.into()
            }
            Operation::Path(start, steps) => self.path(start, steps, focus)?.into(),
            Operation::FixedPath(slot, steps) => self.fixed_path(*slot, steps, focus)?,
            Operation::Each(parts) => self.each(parts, focus)?,
            Operation::Mapped(parts) => self.mapped(parts, focus)?,
            Operation::Filter(base, predicates) => {
                let items = self.value(base, focus)?.into_items();
                self.filter(items, predicates)?.into()
            }
            Operation::Union(args) => self.union(args, focus)?,
            Operation::Intersect(parts) => self.intersection(parts, true, focus)?,
            Operation::Except(parts) => self.intersection(parts, false, focus)?,
            Operation::CompareValues(comparison, parts) => {
                match self.two_atomics(parts, "an operand of a value comparison", focus)? {
                    Some((left, right)) => Value::boolean(by_value(*comparison, &left, &right)?),
                    None => Value::Empty,
                }
            }
            Operation::CompareNodes(comparison, parts) => self.compare_nodes(*comparison, parts, focus)?,
            Operation::Arithmetic(operator, parts) => {
                match self.two_atomics(parts, "an operand of arithmetic", focus)? {
                    Some((left, right)) => Value::atomic(calculate(*operator, left, right)?),
                    None => Value::Empty,
                }
            }
            Operation::Negate(arg) => match self.optional_atomic(arg, "an operand of '-'", focus)? {
                Some(value) => Value::atomic(negated(value)?),
                None => Value::Empty,
            },
            Operation::Plus(arg) => match self.optional_atomic(arg, "an operand of '+'", focus)? {
                Some(value) => Value::atomic(operand(value, "an operand of '+'")?),
                None => Value::Empty,
            },
            Operation::Range(parts) => self.range(parts, focus)?,
            Operation::Cast(kind, arg, optional) => match self.optional_atomic(arg, "what is cast", focus)? {
                Some(value) => Value::atomic(value.cast(*kind)?),
                None if *optional => Value::Empty,
                None => return Err(error("XPTY0004", "an empty sequence cannot be cast")),
            },
            Operation::Call(function, args) => self.call(*function, args, None, focus)?,
            Operation::RegexCall(function, args, regex) => self.call(*function, args, Some(regex), focus)?,
            Operation::If(parts) => {
                let chosen = if self.boolean(&parts[0], focus)? { &parts[1] } else { &parts[2] };
                self.value(chosen, focus)?
            }
            Operation::Flwor(clauses, returned) => self.flwor(clauses, returned, focus)?,
            Operation::Construct(constructor) => match self.build(constructor, focus)? {
                Some(built) => Value::One(Item::Node(self.forest.plant(built))),
                None => Value::Empty,
            },
            Operation::Yielding(flwor) => {
                let value = self.value(flwor, focus)?;
                self.yielded.set(self.yielded.get() + value.len() as u64);
                value
            }
            Operation::UnlessBarren(constructor) => {
                let before = self.yielded.get();
                let value = self.value(constructor, focus)?;
                if self.yielded.get() == before {
                    Value::Empty
                } else {
                    value
                }
            }
            Operation::Or(_)
            | Operation::And(_)
            | Operation::Compare(..)
            | Operation::Castable(..)
            | Operation::Quantified { .. } => Value::boolean(self.boolean(operation, focus)?),
        })
    }

    /// The effective boolean value.
    pub(super) fn boolean(&self, operation: &'a Operation, focus: &Focus<'_>) -> Result<bool> {
        match operation {
            Operation::Or(args) => self.some(args, focus, true),
            Operation::And(args) => Ok(!self.some(args, focus, false)?),
            Operation::Compare(comparison, parts) => {
                self.some_pair(*comparison, &self.value(&parts[0], focus)?, &self.value(&parts[1], focus)?)
            }
            Operation::Castable(kind, arg, optional) => match self.atomics(arg, focus)?.as_slice() {
                [] => Ok(*optional),
                [one] => Ok(one.cast(*kind).is_ok()),
                _ => Ok(false),
            },
            Operation::Quantified { every, slot, parts } => {
                for item in self.value(&parts[0], focus)?.into_items() {
                    self.set(*slot, Value::One(item));
                    if self.boolean(&parts[1], focus)? != *every {
                        return Ok(!every);
                    }
                }
                Ok(*every)
            }
            Operation::Path(start, steps) => self.any_on_path(start, steps, focus),
            other => effective_boolean(&self.value(other, focus)?),
        }
    }

    /// Some argument has this truth.
    fn some(&self, args: &'a [Operation], focus: &Focus<'_>, wanted: bool) -> Result<bool> {
        for arg in args {
            if self.boolean(arg, focus)? == wanted {
                return Ok(true);
            }
        }
        Ok(false)
    }

    pub(super) fn set(&self, slot: usize, value: Value) {
        self.slots.borrow_mut()[slot] = value;
    }

    /// The items as atomic values.
    pub(super) fn atomics(&self, operation: &'a Operation, focus: &Focus<'_>) -> Result<Vec<Atomic>> {
        let value = self.value(operation, focus)?;
        let mut atomics = Vec::with_capacity(value.len());
        for item in value.items() {
            let atomic = self.atomized(item);
            self.charge(1 + atomic.as_text().map_or(0, str::len) as u64 / BYTES_PER_STEP)?;
            atomics.push(atomic);
        }
        Ok(atomics)
    }

    /// The one atomic value, or none.
    pub(super) fn optional_atomic(
        &self,
        operation: &'a Operation,
        what: &str,
        focus: &Focus<'_>,
    ) -> Result<Option<Atomic>> {
        match self.value(operation, focus)?.items() {
            [] => Ok(None),
            [item] => Ok(Some(self.atomized(item))),
            _ => Err(too_many(what)),
        }
    }

    fn two_atomics(
        &self,
        parts: &'a [Operation; 2],
        what: &str,
        focus: &Focus<'_>,
    ) -> Result<Option<(Atomic, Atomic)>> {
        let left = self.optional_atomic(&parts[0], what, focus)?;
        let right = self.optional_atomic(&parts[1], what, focus)?;
        Ok(left.zip(right))
    }

    fn compare_nodes(&self, comparison: NodeComparison, parts: &'a [Operation; 2], focus: &Focus<'_>) -> Result<Value> {
        let node = |operation| match self.value(operation, focus)?.items() {
            [] => Ok(None),
            [Item::Node(node)] => Ok(Some(*node)),
            _ => Err(error("XPTY0004", "an operand of a node comparison must be one node at most")),
        };
        let (Some(left), Some(right)) = (node(&parts[0])?, node(&parts[1])?) else { return Ok(Value::Empty) };
        Ok(Value::boolean(match comparison {
            NodeComparison::Is => left == right,
            NodeComparison::Before => left < right,
            NodeComparison::After => left > right,
        }))
    }

    fn range(&self, parts: &'a [Operation; 2], focus: &Focus<'_>) -> Result<Value> {
        let bound = |operation| -> Result<Option<i64>> {
            match self.optional_atomic(operation, "an operand of 'to'", focus)? {
                None => Ok(None),
                Some(Atomic::Integer(value)) => Ok(Some(value)),
                Some(untyped @ Atomic::Untyped(_)) => match untyped.cast(super::ir::AtomicType::Integer)? {
                    Atomic::Integer(value) => Ok(Some(value)),
                    _ => Ok(None),
                },
                Some(other) => Err(super::error::wrong_type("an operand of 'to'", other.type_name())),
            }
        };
        let (Some(first), Some(last)) = (bound(&parts[0])?, bound(&parts[1])?) else { return Ok(Value::Empty) };
        if last >= first {
            self.charge_items(usize::try_from(last.abs_diff(first)).unwrap_or(usize::MAX))?;
        }
        Ok((first..=last).map(|value| Item::Atomic(Atomic::Integer(value))).collect::<Vec<_>>().into())
    }
}

pub(super) fn effective_boolean(value: &Value) -> Result<bool> {
    match value.items() {
        [] => Ok(false),
        [Item::Node(_), ..] => Ok(true),
        [Item::Atomic(only)] => Ok(match only {
            Atomic::Boolean(value) => *value,
            Atomic::String(text) | Atomic::Untyped(text) => !text.is_empty(),
            number => number.to_double().is_some_and(|value| value != 0.0 && !value.is_nan()),
        }),
        _ => Err(no_boolean()),
    }
}

fn no_boolean() -> EvalError {
    error("FORG0006", "a sequence of several values is neither true nor false")
}
