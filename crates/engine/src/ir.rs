//! Expressions as they come from the planner: plain data, names resolved, types known.
//!
//! The Python package's `kernel/program.py` writes this form; `VERSION` guards it.

use serde::{Deserialize, Serialize};

pub const VERSION: u32 = 1;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Axis {
    Child,
    Descendant,
    DescendantOrSelf,
    #[serde(rename = "self")]
    SelfAxis,
    Attribute,
    Parent,
    Ancestor,
    AncestorOrSelf,
    FollowingSibling,
    PrecedingSibling,
    Following,
    Preceding,
    Namespace,
}

/// A node test. `Name` tests the axis's principal kind; `None` is a wildcard, `uri: Some("")` is no namespace.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Test {
    Name { uri: Option<String>, local: Option<String> },
    Node,
    Text,
    Comment,
    Instruction { target: Option<String> },
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Step {
    pub axis: Axis,
    pub test: Test,
    #[serde(default)]
    pub predicates: Vec<Expr>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Comparison {
    #[serde(rename = "=")]
    Eq,
    #[serde(rename = "!=")]
    Ne,
    #[serde(rename = "<")]
    Lt,
    #[serde(rename = "<=")]
    Le,
    #[serde(rename = ">")]
    Gt,
    #[serde(rename = ">=")]
    Ge,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Arithmetic {
    #[serde(rename = "+")]
    Add,
    #[serde(rename = "-")]
    Subtract,
    #[serde(rename = "*")]
    Multiply,
    #[serde(rename = "div")]
    Divide,
    #[serde(rename = "mod")]
    Modulo,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "op", rename_all = "kebab-case")]
pub enum Expr {
    Number {
        value: f64,
    },
    String {
        value: String,
    },
    Variable {
        name: String,
    },
    /// The context node.
    Context,
    /// The document node.
    Root,
    /// Steps taken from every node of `start`, in document order, each node once.
    Path {
        start: Box<Expr>,
        steps: Vec<Step>,
    },
    /// Predicates counted over the whole of `base` in document order.
    Filter {
        base: Box<Expr>,
        predicates: Vec<Expr>,
    },
    Union {
        args: Vec<Expr>,
    },
    Or {
        args: Vec<Expr>,
    },
    And {
        args: Vec<Expr>,
    },
    Compare {
        comparison: Comparison,
        left: Box<Expr>,
        right: Box<Expr>,
    },
    Arithmetic {
        operator: Arithmetic,
        left: Box<Expr>,
        right: Box<Expr>,
    },
    Negate {
        arg: Box<Expr>,
    },
    Call {
        name: String,
        args: Vec<Expr>,
    },
    If {
        condition: Box<Expr>,
        then: Box<Expr>,
        otherwise: Box<Expr>,
    },
    /// `every` is false for `some`.
    Quantified {
        every: bool,
        variable: String,
        domain: Box<Expr>,
        satisfies: Box<Expr>,
    },
}
