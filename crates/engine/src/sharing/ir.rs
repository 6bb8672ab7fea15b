//! How many subscriptions can be worked out together, as it comes from the planner.

use serde::{Deserialize, Serialize};

use crate::ir::Expr;
use crate::machine::program::Program;
use crate::xquery::ir::AtomicType;
use crate::xquery::LiteralTest;

/// The variable whose value is the nodes that the pattern selects. No query can call one of its own so.
pub const GIVEN: &str = "#";

#[derive(Clone, Debug, Deserialize)]
pub struct Shared {
    /// Selects nodes without which the subscription gets nothing; the index finds them for all subscriptions at once.
    pub pattern: Box<Program>,
    pub work: Work,
}

/// What is done when the pattern has selected something.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Work {
    /// A query of the selected nodes, which are the value of [`GIVEN`]. Expressions come as JSON texts: equal texts are
    /// equal expressions, and only the first of them is read.
    Bindings {
        query: String,
        /// Paths from a selected node, the value of [`GIVEN`], whose values were compared as numbers by the pattern. If
        /// one of them is no plain numeral, `residual` says what to do.
        #[serde(default)]
        doubts: Vec<String>,
        /// The query with all its conditions.
        #[serde(default)]
        residual: Option<String>,
        /// A selected node that does not pass all of them is no binding.
        #[serde(default)]
        tests: Vec<Test>,
        /// What it gives for one node needs nothing but that node, and cannot fail.
        #[serde(default)]
        is_prompt: bool,
    },
    /// The subscription's own query of XQuery.
    Query,
    /// The nodes of an expression of XPath.
    Nodes { expr: Expr },
    /// The truth of one.
    Truth { expr: Expr },
}

/// A comparison with a literal. What is compared is worked out once for each node, whoever compares it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Test {
    /// The JSON text of an expression that gives atomic values for a node, the value of [`GIVEN`].
    pub value: String,
    pub test: LiteralTest,
    pub kind: AtomicType,
    pub literal: String,
}
