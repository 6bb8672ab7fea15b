//! XQuery as it comes from the planner: plain data, names resolved, paths relative to the variables they start from.
//!
//! The Python package's `plan/xquery/normal.py` has the same nodes; [`crate::ir::VERSION`] guards both.

use serde::{Deserialize, Serialize};

use crate::ir::{Axis, Comparison, Test};

#[derive(Clone, Debug, Deserialize)]
pub struct Step {
    pub axis: Axis,
    pub test: Test,
    pub predicates: Vec<Expr>,
}

#[derive(Clone, Debug, Deserialize)]
pub struct Name {
    pub prefix: String,
    pub local: String,
    pub uri: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum AtomicType {
    String,
    Boolean,
    Integer,
    Decimal,
    Double,
    UntypedAtomic,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub enum NodeComparison {
    #[serde(rename = "is")]
    Is,
    #[serde(rename = "<<")]
    Before,
    #[serde(rename = ">>")]
    After,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub enum Arithmetic {
    #[serde(rename = "+")]
    Add,
    #[serde(rename = "-")]
    Subtract,
    #[serde(rename = "*")]
    Multiply,
    #[serde(rename = "div")]
    Divide,
    #[serde(rename = "idiv")]
    DivideWhole,
    #[serde(rename = "mod")]
    Modulo,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "op", rename_all = "kebab-case")]
pub enum Clause {
    For { variable: String, position: Option<String>, domain: Expr, allowing_empty: bool },
    Let { variable: String, value: Expr },
    Where { condition: Expr },
    OrderBy { keys: Vec<OrderKey> },
    GroupBy { variables: Vec<String> },
    Count { variable: String },
}

#[derive(Clone, Debug, Deserialize)]
pub struct OrderKey {
    pub key: Expr,
    pub descending: bool,
    pub empty_greatest: bool,
}

#[derive(Clone, Debug, Deserialize)]
pub struct Attribute {
    pub name: Name,
    /// Each is made one string, and the strings are put together.
    pub parts: Vec<Expr>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "op", rename_all = "kebab-case")]
pub enum Expr {
    Constant {
        #[serde(rename = "type")]
        kind: AtomicType,
        value: String,
    },
    Variable {
        name: String,
    },
    Context,
    /// The document node of the context item's tree.
    Root,
    Sequence {
        items: Vec<Expr>,
    },
    Path {
        start: Box<Expr>,
        steps: Vec<Step>,
    },
    /// `base/step` where the step is any expression.
    Each {
        base: Box<Expr>,
        step: Box<Expr>,
    },
    /// `base ! step`.
    Mapped {
        base: Box<Expr>,
        step: Box<Expr>,
    },
    Filter {
        base: Box<Expr>,
        predicates: Vec<Expr>,
    },
    Union {
        args: Vec<Expr>,
    },
    Intersect {
        left: Box<Expr>,
        right: Box<Expr>,
    },
    Except {
        left: Box<Expr>,
        right: Box<Expr>,
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
    CompareValues {
        comparison: Comparison,
        left: Box<Expr>,
        right: Box<Expr>,
    },
    CompareNodes {
        comparison: NodeComparison,
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
        positive: bool,
    },
    Range {
        first: Box<Expr>,
        last: Box<Expr>,
    },
    Cast {
        #[serde(rename = "type")]
        kind: AtomicType,
        arg: Box<Expr>,
        optional: bool,
    },
    Castable {
        #[serde(rename = "type")]
        kind: AtomicType,
        arg: Box<Expr>,
        optional: bool,
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
    Quantified {
        every: bool,
        variable: String,
        domain: Box<Expr>,
        satisfies: Box<Expr>,
    },
    Flwor {
        clauses: Vec<Clause>,
        returned: Box<Expr>,
    },
    Attribute(Attribute),
    Element {
        name: Name,
        namespaces: Vec<(String, String)>,
        attributes: Vec<Attribute>,
        /// Each part stands for itself: values of different parts are not separated by spaces.
        content: Vec<Expr>,
    },
    /// The name is computed; `scope` has the prefixes that it may have.
    NamedElement {
        name: Box<Expr>,
        scope: Vec<(String, String)>,
        content: Box<Expr>,
    },
    NamedAttribute {
        name: Box<Expr>,
        scope: Vec<(String, String)>,
        content: Box<Expr>,
    },
    Text {
        content: Box<Expr>,
    },
    Comment {
        content: Box<Expr>,
    },
    Instruction {
        target: Box<Expr>,
        content: Box<Expr>,
    },
    Document {
        content: Box<Expr>,
    },
    /// The value of a FLWOR; whether it has an item is noted for the constructor around it.
    Yielding {
        flwor: Box<Expr>,
    },
    /// The value of a constructor, or nothing when none of the FLWORs noted in it has an item.
    UnlessBarren {
        constructor: Box<Expr>,
    },
}
