//! Literals, and values of a document that are compared with them apart from the queries that do so.

use serde::{Deserialize, Serialize};

use crate::ir::Comparison;
use crate::tape::Node as SourceNode;

use super::compare::general;
use super::compile::{constant, Compiled};
use super::error::{too_many, wrong_type, Result};
use super::ir::AtomicType;
use super::run::Run;
use super::value::{Atomic, Item};
use super::{value_of, Context};

/// How values are compared with a literal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LiteralTest {
    Compares(Comparison),
    Contains,
    StartsWith,
    EndsWith,
}

pub(crate) struct Literal(Atomic);

/// The atomic values of an expression.
pub(crate) struct Atomics(Vec<Atomic>);

impl Literal {
    pub(crate) fn new(kind: AtomicType, text: &str) -> std::result::Result<Literal, String> {
        constant(kind, text).map(Literal)
    }

    /// Whether the values pass: some of them, as `=` asks, or the only one, as functions of strings do.
    pub(crate) fn passes(&self, test: LiteralTest, values: &Atomics) -> Result<bool> {
        let text = |test: fn(&str, &str) -> bool, name: &str| {
            let what = format!("an argument of {name}()");
            let text = match values.0.as_slice() {
                [] => "",
                [one] => one.as_text().ok_or_else(|| wrong_type(&what, one.type_name()))?,
                _ => return Err(too_many(&what)),
            };
            let literal = self.0.as_text().ok_or_else(|| wrong_type(&what, self.0.type_name()))?;
            Ok(test(text, literal))
        };
        match test {
            LiteralTest::Compares(comparison) => {
                for value in &values.0 {
                    if general(comparison, value, &self.0)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            LiteralTest::Contains => text(|whole, part| whole.contains(part), "contains"),
            LiteralTest::StartsWith => text(|whole, part| whole.starts_with(part), "starts-with"),
            LiteralTest::EndsWith => text(|whole, part| whole.ends_with(part), "ends-with"),
        }
    }
}

impl Compiled {
    /// The values of an expression that gives no nodes, whose first variable is a node.
    pub(crate) fn atomics(&self, node: SourceNode, context: &Context<'_>) -> Result<Atomics> {
        let run = Run::new(self, context.tape, context.names, context.budget);
        run.set(0, value_of(&[node]));
        let atomic = |item| if let Item::Atomic(atomic) = item { Some(atomic) } else { None };
        Ok(Atomics(run.answer()?.into_items().into_iter().filter_map(atomic).collect()))
    }
}
