//! The streaming machine: every subscription in one pass over a document's events.
//!
//! `program` is what the planner sends, `compiled` that made ready, `set` all subscriptions linked; `automaton`
//! finds which steps can match, `run` what they mean for the document at hand, `gates` what is undecided.

mod automaton;
mod capture;
mod compiled;
mod gates;
mod local;
mod order;
pub mod program;
mod run;
mod set;
mod symbols;
pub(crate) mod value_test;
mod worker;

pub use compiled::CompiledProgram;
pub(crate) use compiled::{CompiledOrigin, CompiledSink, Cond};
pub use order::Order;
pub(crate) use program::{Role, StepAxis};
pub(crate) use run::Runner;
pub(crate) use run::ScopeNumber;
pub use run::{Batch, Fragment, FragmentKind, Run};
pub use set::Set;
pub(crate) use value_test::{compare, to_number};
pub use worker::Worker;
