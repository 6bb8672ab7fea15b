//! XQuery 3.1 on untyped data: sequences, FLWOR, constructors.
//!
//! Works on the same tape as [`crate::evaluator`], whose axes, node tests, string values and regular expressions it
//! shares; the values are others. There, a value is a node-set, a number, a string or a boolean, by the rules of
//! XPath 1.0. Here it is a sequence of items: nodes, of the document or constructed, and atomic values of six types.
//!
//! | stage | where |
//! |---|---|
//! | the planner's form | `ir` |
//! | compile | `compile`, `fixed`, `operation`, `functions` |
//! | evaluate | `run`, `path`, `pairs`, `flwor`; `calls`, `strings`, `numbers`, `nodes` |
//! | values | `value`, `cast`, `decimal`, `arithmetic`, `compare` |
//! | construct | `construct`, `content`, `built`; `tree` and `forest` when a constructed node is navigated |
//! | write | `serialise` |

mod arithmetic;
mod built;
mod calls;
mod cast;
mod compare;
mod compile;
mod construct;
mod content;
mod decimal;
mod error;
mod fixed;
mod flwor;
mod forest;
mod functions;
pub mod ir;
mod nodes;
mod numbers;
mod operation;
mod pairs;
mod path;
mod run;
mod serialise;
mod strings;
mod tree;
mod value;

use std::cell::Cell;

use crate::evaluator::EvalError;
use crate::names::Names;
use crate::tape::Tape;

pub use compile::Compiled;
pub use serialise::{ItemKind, Source};

use run::Run;
use serialise::Serialiser;

/// Where a query is evaluated: a complete document.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    pub tape: &'a Tape,
    pub names: &'a Names,
    /// Steps that may still be taken; evaluation takes from it.
    pub budget: &'a Cell<u64>,
    pub source: &'a dyn Source,
}

impl Compiled {
    /// The items of the query's value, each with its text, which stands alone.
    pub fn answer(&self, context: &Context<'_>) -> Result<Vec<(ItemKind, String)>, EvalError> {
        let run = Run::new(self, context.tape, context.names, context.budget);
        let value = run.answer()?;
        let serialiser = Serialiser { run: &run, source: context.source };
        let item = |item| {
            run.charge(serialiser.weight(item))?;
            let mut text = String::new();
            let kind = serialiser.item(item, &mut text);
            Ok((kind, text))
        };
        value.items().iter().map(item).collect()
    }
}
