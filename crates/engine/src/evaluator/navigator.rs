//! A tape with what it takes to walk on it: node tests made ready, and a budget of steps.

use std::cell::Cell;

use crate::names::Names;
use crate::tape::Tape;

use super::node_test::NameTable;
use super::operation::NameTest;
use super::EvalError;

pub(crate) struct Navigator<'a> {
    pub(crate) tape: &'a Tape,
    pub(crate) names: &'a Names,
    pub(super) name_tables: Vec<NameTable<'a>>,
    budget: &'a Cell<u64>,
}

impl<'a> Navigator<'a> {
    /// `name_tests` are those that [`super::Test::Name`] counts.
    pub(crate) fn new(
        tape: &'a Tape,
        names: &'a Names,
        name_tests: &'a [NameTest],
        budget: &'a Cell<u64>,
    ) -> Navigator<'a> {
        Navigator { tape, names, name_tables: name_tests.iter().map(NameTable::new).collect(), budget }
    }

    /// Takes steps from the budget.
    #[inline]
    pub(crate) fn charge(&self, steps: u64) -> Result<(), EvalError> {
        match self.budget.get().checked_sub(steps) {
            Some(rest) => {
                self.budget.set(rest);
                Ok(())
            }
            None => {
                self.budget.set(0);
                Err(EvalError::OutOfSteps)
            }
        }
    }
}
