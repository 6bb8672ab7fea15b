//! Bindings that must pass comparisons with literals: subscriptions that differ only in those have the same work.

use std::cell::Cell;

use rustc_hash::FxHashMap;

use super::document::Document;
use super::forms::compiled;
use super::holes::{HoleId, Holes};
use super::ir::Test;
use super::messages::Messages;
use super::Sharing;
use crate::evaluator::EvalError;
use crate::index::Slot;
use crate::tape::Node;
use crate::xquery::{Atomics, Literal};

/// The comparisons of all subscriptions that have some.
#[derive(Default)]
pub struct Comparing {
    by_slot: FxHashMap<Slot, Box<[Comparison]>>,
    /// What is compared.
    values: Holes,
}

struct Comparison {
    value: HoleId,
    literal: Literal,
    /// As it was given, to be stored.
    given: Test,
}

impl Comparing {
    pub fn add(&mut self, slot: Slot, tests: &[Test]) -> Result<(), String> {
        let mut comparisons = Vec::with_capacity(tests.len());
        for given in tests {
            match self.comparison(given) {
                Ok(comparison) => comparisons.push(comparison),
                Err(error) => {
                    comparisons.iter().for_each(|one| self.values.leave(one.value));
                    return Err(error);
                }
            }
        }
        if !comparisons.is_empty() {
            self.by_slot.insert(slot, comparisons.into());
        }
        Ok(())
    }

    fn comparison(&mut self, given: &Test) -> Result<Comparison, String> {
        let literal = Literal::new(given.kind, &given.literal)?;
        let value = self.values.enter_text(given.value.as_str().into(), || compiled(&given.value))?;
        Ok(Comparison { value, literal, given: given.clone() })
    }

    pub fn remove(&mut self, slot: Slot) {
        for one in self.by_slot.remove(&slot).iter().flatten() {
            self.values.leave(one.value);
        }
    }

    pub fn has(&self, slot: Slot) -> bool {
        self.by_slot.contains_key(&slot)
    }

    pub fn slots(&self) -> impl Iterator<Item = Slot> + '_ {
        self.by_slot.keys().copied()
    }

    pub fn given(&self) -> Vec<(Slot, Vec<Test>)> {
        let tests = |all: &[Comparison]| all.iter().map(|one| one.given.clone()).collect();
        self.by_slot.iter().map(|(&slot, all)| (slot, tests(all))).collect()
    }

    pub fn bytes(&self) -> usize {
        let tests: usize = self.by_slot.values().map(|all| all.len()).sum();
        self.by_slot.capacity() * 24 + tests * (std::mem::size_of::<Comparison>() + 64) + self.values.len() * 512
    }
}

/// What was compared in one document: each value is worked out once for each node.
#[derive(Default)]
pub struct Compared {
    known: FxHashMap<(HoleId, Node), Result<Atomics, EvalError>>,
}

impl Compared {
    pub fn begin(&mut self) {
        self.known.clear();
    }

    fn passes(
        &mut self,
        values: &Holes,
        comparison: &Comparison,
        node: Node,
        document: &Document<'_>,
    ) -> Result<bool, EvalError> {
        let value = self.known.entry((comparison.value, node)).or_insert_with(|| {
            let expr = values.expr(comparison.value);
            let budget = Cell::new(document.limits.evaluation_steps);
            let gone = || EvalError::Invalid("a comparison that no one has".to_owned());
            expr.ok_or_else(gone)?.atomics(node, &document.context(&budget))
        });
        match value {
            Ok(value) => comparison.literal.passes(comparison.given.test, value),
            Err(error) => Err(error.clone()),
        }
    }
}

impl Messages {
    /// Those of the nodes that pass what a subscription compares.
    pub(super) fn passing(
        &mut self,
        sharing: &Sharing,
        slot: Slot,
        nodes: &[Node],
        document: &Document<'_>,
    ) -> Result<Vec<Node>, EvalError> {
        let comparing = &sharing.comparing;
        let comparisons = comparing.by_slot.get(&slot).map_or(&[][..], |all| all);
        let mut passing = Vec::new();
        'nodes: for &node in nodes {
            for comparison in comparisons {
                if !self.compared.passes(&comparing.values, comparison, node, document)? {
                    continue 'nodes;
                }
            }
            passing.push(node);
        }
        Ok(passing)
    }
}
