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
mod holes;
pub mod ir;
mod literal;
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

use crate::evaluator::{EvalError, NodeRef};
use crate::names::Names;
use crate::tape::{Node as SourceNode, Tape};

pub use compile::Compiled;
pub(crate) use holes::HoleItem;
pub(crate) use ir::AtomicType;
pub use literal::LiteralTest;
pub(crate) use literal::{Atomics, Literal};
pub(crate) use serialise::{
    bind as bind_prefix, bound as bound_prefix, declare as declare_prefix, push_name, Scope as NamespaceScope,
};
pub use serialise::{ItemKind, Source};

use run::Run;
use serialise::Serialiser;
use value::{Node, Value, SOURCE};

/// The items of a value: what each is, and its text.
pub type Items = Vec<(ItemKind, String)>;

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
    pub fn answer(&self, context: &Context<'_>) -> Result<Items, EvalError> {
        self.written(&Run::new(self, context.tape, context.names, context.budget), context)
    }

    /// The same for a query of one variable, whose value are these nodes of the document.
    pub(crate) fn answer_for(&self, nodes: &[SourceNode], context: &Context<'_>) -> Result<Items, EvalError> {
        let run = Run::new(self, context.tape, context.names, context.budget);
        run.set(0, value_of(nodes));
        self.written(&run, context)
    }

    fn written(&self, run: &Run<'_>, context: &Context<'_>) -> Result<Items, EvalError> {
        let value = run.answer()?;
        let serialiser = Serialiser { run, source: context.source };
        let item = |item| {
            run.charge(serialiser.weight(item))?;
            let mut text = String::new();
            let kind = serialiser.item(item, &mut text);
            Ok((kind, text))
        };
        value.items().iter().map(item).collect()
    }
}

fn value_of(nodes: &[SourceNode]) -> Value {
    nodes.iter().map(|&node| Node { tree: SOURCE, at: NodeRef::new(node) }).collect::<Vec<_>>().into()
}
