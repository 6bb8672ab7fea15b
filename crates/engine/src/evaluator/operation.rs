//! The compiled form of an expression: what [`super::compile`] makes and [`super::run`] executes.

use ::regex::Regex;

use crate::ir::{Arithmetic, Comparison};

use super::functions::Function;

#[derive(Debug)]
pub(super) enum Operation {
    Number(f64),
    String(String),
    /// A variable of the caller's.
    External(String),
    /// A variable of a quantifier, counted from the innermost outward.
    Local(usize),
    Context,
    Root,
    Path(Box<Operation>, Steps),
    Filter(Box<Operation>, Vec<Predicate>),
    Union(Vec<Operation>),
    Or(Vec<Operation>),
    And(Vec<Operation>),
    Compare(Comparison, Box<Operation>, Box<Operation>),
    Arithmetic(Arithmetic, Box<Operation>, Box<Operation>),
    Negate(Box<Operation>),
    Call(Function, Vec<Operation>),
    /// `matches` with a pattern known beforehand.
    Matches(Box<Operation>, Regex),
    If(Box<[Operation; 3]>),
    Quantified {
        every: bool,
        domain: Box<Operation>,
        satisfies: Box<Operation>,
    },
    /// The same whatever the context: evaluated once, kept in this slot.
    Once(usize, Box<Operation>),
}

/// The kind of value, where it is known before evaluation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Type {
    Nodes,
    Boolean,
    Number,
    String,
    Any,
}

impl Operation {
    pub(super) fn static_type(&self) -> Type {
        match self {
            Operation::Number(_) | Operation::Arithmetic(..) | Operation::Negate(_) => Type::Number,
            Operation::String(_) => Type::String,
            Operation::External(_) | Operation::Local(_) => Type::Any,
            Operation::Context
            | Operation::Root
            | Operation::Path(..)
            | Operation::Filter(..)
            | Operation::Union(_) => Type::Nodes,
            Operation::Or(_)
            | Operation::And(_)
            | Operation::Compare(..)
            | Operation::Matches(..)
            | Operation::Quantified { .. } => Type::Boolean,
            Operation::Call(function, _) => function.result(),
            Operation::If(parts) => {
                let (then, otherwise) = (parts[1].static_type(), parts[2].static_type());
                if then == otherwise {
                    then
                } else {
                    Type::Any
                }
            }
            Operation::Once(_, inner) => inner.static_type(),
        }
    }
}

#[derive(Debug)]
pub(super) struct Steps {
    pub(super) steps: Vec<Step>,
    pub(super) order: Order,
}

/// What is known about nodes visited step by step, depth first, from a single node.
#[derive(Clone, Copy, Debug)]
pub(super) struct Order {
    /// At most one node.
    pub(super) single: bool,
    /// None is an ancestor of another.
    pub(super) peers: bool,
    /// In document order.
    pub(super) sorted: bool,
    /// Each once.
    pub(super) distinct: bool,
}

#[derive(Debug)]
pub(super) struct Step {
    pub(super) axis: Axis,
    pub(super) test: Test,
    pub(super) predicates: Vec<Predicate>,
    /// Some predicate's truth depends on the position or the number of candidates found from a context.
    pub(super) positional: bool,
    /// Some predicate needs to know how many candidates there are.
    pub(super) counts: bool,
}

/// The axes of XPath, and two that are one scan of the tape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Axis {
    Xpath(crate::ir::Axis),
    /// `descendant-or-self::node()/attribute::`.
    DescendantAttribute,
    /// `descendant-or-self::node()/child::`, positions counted among the children of one parent.
    DescendantByParent,
}

#[derive(Clone, Debug)]
pub(crate) enum Test {
    /// An index into the compiled expression's name tests.
    Name(usize),
    /// Any node of the principal kind.
    Principal,
    Node,
    Text,
    Comment,
    Instruction(Option<String>),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NameTest {
    pub(crate) uri: Option<String>,
    pub(crate) local: Option<String>,
}

#[derive(Debug)]
pub(super) enum Predicate {
    /// `[3]`, `[position() = 3]`.
    At(usize),
    /// `[position() <= 3]`.
    UpTo(usize),
    /// `[last()]`, `[position() = last()]`.
    Last,
    /// A number to compare with the position.
    Position(Operation),
    True(Operation),
    /// Its kind is known only when it is evaluated.
    Any(Operation),
}
