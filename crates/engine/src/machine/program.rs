//! The form in which a planned query reaches the machine: plain, versioned data.
//!
//! A query is a tree of steps with conditions. Step 0 is the document node; the steps listed here are
//! numbered from 1 and refer only to steps before them, except that a condition's `Exists` refers to
//! branches of its own step.

use serde::Deserialize;

use crate::ir::{Comparison, Expr, Test};
use crate::sharing::ir::Shared;
use crate::xquery;

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Program {
    pub version: u32,
    pub steps: Vec<StepSpec>,
    pub sink: Sink,
    /// What must be kept of the whole document.
    pub keep: Keep,
    /// Deliver also what says nothing: `false`, the empty string.
    #[serde(default)]
    pub deliver_empty: bool,
    /// How an index can help with what it cannot hold.
    #[serde(default)]
    pub shared: Option<Shared>,
}

/// What is kept of an element's content until its end, for an evaluation there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Keep {
    Nothing,
    /// Its nodes.
    Tape,
    /// Its nodes and its source bytes.
    Source,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StepAxis {
    /// The document node itself; only from step 0.
    #[serde(rename = "self")]
    SelfAxis,
    Child,
    Descendant,
    DescendantOrSelf,
    Attribute,
    FollowingSibling,
    Following,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// Part of the path that selects: an instance is valid if its condition holds and one of its contexts is valid.
    Trunk,
    /// Part of a condition: tells the `Exists` of its contexts.
    Branch,
    /// Asked for by conditions on other nodes (`Up`, `Before`); its context plays no part.
    Side,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StepSpec {
    pub from: u32,
    pub axis: StepAxis,
    pub test: Test,
    pub role: Role,
    #[serde(default)]
    pub condition: Option<Condition>,
    pub keep: Keep,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum UpAxis {
    Parent,
    Ancestor,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BeforeAxis {
    PrecedingSibling,
    Preceding,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum When {
    Start,
    End,
    Parent,
    Document,
}

/// A condition on the node that a step matched. `And` and `Or` are read from left to right.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(tag = "op", rename_all = "kebab-case")]
pub enum Condition {
    Known {
        value: bool,
    },
    And {
        args: Vec<Condition>,
    },
    Or {
        args: Vec<Condition>,
    },
    Not {
        arg: Box<Condition>,
    },
    /// Some node is matched by the branch; a branch of the document node is asked of the document.
    Exists {
        step: u32,
    },
    /// The node itself passes the test.
    Is {
        test: Test,
    },
    /// The node's string value passes the test.
    Value {
        test: ValueTest,
    },
    Up {
        axis: UpAxis,
        step: u32,
    },
    Before {
        axis: BeforeAxis,
        step: u32,
    },
    /// The node's place among its siblings that came as far as this condition.
    Position {
        comparison: Comparison,
        value: f64,
    },
    /// The node's place among all nodes of the document that came as far as this condition.
    Place {
        comparison: Comparison,
        value: f64,
    },
    /// The expression's truth with the node as context; with `counted` the place as for `Position`.
    Eval {
        expr: Expr,
        when: When,
        counted: bool,
    },
}

#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(tag = "fn", rename_all = "kebab-case")]
pub enum ValueTest {
    /// As strings.
    Text {
        comparison: Comparison,
        value: String,
    },
    /// As numbers.
    Number {
        comparison: Comparison,
        value: f64,
    },
    Contains {
        value: String,
    },
    StartsWith {
        value: String,
    },
    EndsWith {
        value: String,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AggregateFunction {
    Count,
    Sum,
    Avg,
    Min,
    Max,
}

/// Where result nodes come from.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Origin {
    /// The nodes that the step matches.
    Step { step: u32 },
    /// What the expression gives for each node that the step matches, evaluated when all it can reach is known.
    Tail { step: u32, expr: Expr, when: When },
}

#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Sink {
    Nodes {
        origins: Vec<Origin>,
    },
    Aggregate {
        function: AggregateFunction,
        origins: Vec<Origin>,
        running: bool,
    },
    /// A condition on the document node.
    Truth {
        condition: Condition,
    },
    /// The value of an expression at the document's end.
    Value {
        expr: Expr,
    },
    /// The items of an XQuery query at the document's end.
    Query {
        query: xquery::ir::Expr,
    },
}
