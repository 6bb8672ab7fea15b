//! The compiled form of a query: what [`super::compile`] makes and [`super::run`] executes.

use std::sync::Arc;

use ::regex::Regex;

use crate::evaluator::{Axis, Test};
use crate::ir::{Axis as XpathAxis, Comparison};

use super::functions::Function;
use super::ir::{Arithmetic, AtomicType, NodeComparison};
use super::value::Atomic;

/// A variable's place: every binding of a query has its own, since nothing in the language recurses.
pub(super) type Slot = usize;

#[derive(Debug)]
pub(super) enum Operation {
    Constant(Atomic),
    Variable(Slot),
    Context,
    Root,
    Sequence(Vec<Operation>),
    Path(Box<Operation>, Vec<Step>),
    /// A path from the document that depends on nothing else: evaluated once.
    FixedPath(usize, Vec<Step>),
    Each(Box<[Operation; 2]>),
    Mapped(Box<[Operation; 2]>),
    Filter(Box<Operation>, Vec<Predicate>),
    Union(Vec<Operation>),
    Intersect(Box<[Operation; 2]>),
    Except(Box<[Operation; 2]>),
    Or(Vec<Operation>),
    And(Vec<Operation>),
    Compare(Comparison, Box<[Operation; 2]>),
    CompareValues(Comparison, Box<[Operation; 2]>),
    CompareNodes(NodeComparison, Box<[Operation; 2]>),
    Arithmetic(Arithmetic, Box<[Operation; 2]>),
    Negate(Box<Operation>),
    Plus(Box<Operation>),
    Range(Box<[Operation; 2]>),
    Cast(AtomicType, Box<Operation>, bool),
    Castable(AtomicType, Box<Operation>, bool),
    Call(Function, Vec<Operation>),
    /// A function of a regular expression that is known beforehand; its arguments are still in their places.
    RegexCall(Function, Vec<Operation>, Box<Regex>),
    If(Box<[Operation; 3]>),
    Quantified {
        every: bool,
        slot: Slot,
        parts: Box<[Operation; 2]>,
    },
    Flwor(Vec<Clause>, Box<Operation>),
    Construct(Constructor),
    Yielding(Box<Operation>),
    UnlessBarren(Box<Operation>),
}

#[derive(Debug)]
pub(super) struct Step {
    pub(super) axis: Axis,
    pub(super) test: Test,
    pub(super) predicates: Vec<Predicate>,
    /// The axis gives nodes in document order.
    pub(super) forward: bool,
}

impl Step {
    /// Leads to nodes one level below, none of which holds another.
    pub(super) fn is_level(&self) -> bool {
        matches!(self.axis, Axis::Xpath(XpathAxis::Child | XpathAxis::Attribute))
    }

    /// Leads to nodes at any level below.
    pub(super) fn is_closure(&self) -> bool {
        matches!(self.axis, Axis::Xpath(XpathAxis::Descendant | XpathAxis::DescendantOrSelf))
    }
}

#[derive(Debug)]
pub(super) enum Predicate {
    /// `[3]`.
    At(usize),
    /// `[last()]`.
    Last,
    /// Certainly no number.
    Truth(Operation),
    Any(Operation),
}

#[derive(Debug)]
pub(super) enum Clause {
    For {
        slot: Slot,
        position: Option<Slot>,
        domain: Operation,
        allowing_empty: bool,
    },
    Let {
        slot: Slot,
        value: Operation,
    },
    Where(Operation),
    /// `bound` are the variables of the clauses before: they make a tuple.
    OrderBy {
        keys: Vec<OrderKey>,
        bound: Vec<Slot>,
    },
    GroupBy {
        keys: Vec<Slot>,
        others: Vec<Slot>,
    },
    Count {
        slot: Slot,
        bound: Vec<Slot>,
    },
}

#[derive(Debug)]
pub(super) struct OrderKey {
    pub(super) key: Operation,
    pub(super) descending: bool,
    pub(super) empty_greatest: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct QName {
    pub(super) prefix: Arc<str>,
    pub(super) local: Arc<str>,
    pub(super) uri: Arc<str>,
}

pub(super) type Bindings = Vec<(Arc<str>, Arc<str>)>;

#[derive(Debug)]
pub(super) enum Constructor {
    Element { name: QName, namespaces: Bindings, attributes: Vec<(QName, Vec<Operation>)>, content: Vec<Operation> },
    NamedElement { name: Box<Operation>, scope: Bindings, content: Box<Operation> },
    Attribute { name: QName, parts: Vec<Operation> },
    NamedAttribute { name: Box<Operation>, scope: Bindings, content: Box<Operation> },
    Text(Box<Operation>),
    Comment(Box<Operation>),
    Instruction(Box<[Operation; 2]>),
    Document(Box<Operation>),
}

impl Operation {
    /// The value is certainly one boolean.
    pub(super) fn is_boolean(&self) -> bool {
        match self {
            Operation::Or(_)
            | Operation::And(_)
            | Operation::Compare(..)
            | Operation::Castable(..)
            | Operation::Quantified { .. } => true,
            Operation::Call(function, _) | Operation::RegexCall(function, ..) => matches!(
                function,
                Function::True
                    | Function::False
                    | Function::Boolean
                    | Function::Not
                    | Function::Exists
                    | Function::Empty
                    | Function::StartsWith
                    | Function::EndsWith
                    | Function::Contains
                    | Function::Matches
                    | Function::Lang
                    | Function::DeepEqual
            ),
            _ => false,
        }
    }

    /// Every item is certainly a node.
    pub(super) fn gives_nodes(&self) -> bool {
        match self {
            Operation::Path(..)
            | Operation::FixedPath(..)
            | Operation::Root
            | Operation::Union(_)
            | Operation::Intersect(_)
            | Operation::Except(_)
            | Operation::Construct(_) => true,
            Operation::Filter(base, _) => base.gives_nodes(),
            _ => false,
        }
    }
}
