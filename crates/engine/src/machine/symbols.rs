//! Names as the automaton sees them: a symbol is the set of name tests that a name passes.
//!
//! Names that no test mentions share one symbol, so the number of symbols depends on the subscriptions,
//! never on the documents.

use rustc_hash::FxHashMap;

use crate::names::{NameId, Names};

/// An interned name test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NameTestId(pub u32);

pub type Symbol = u32;

/// The tests of all steps: `(uri, local)`, None for a wildcard.
#[derive(Clone, Default)]
pub struct NameTests {
    ids: FxHashMap<(Option<String>, Option<String>), NameTestId>,
}

impl NameTests {
    pub fn intern(&mut self, uri: Option<&str>, local: Option<&str>) -> NameTestId {
        let next = NameTestId(self.ids.len() as u32);
        *self.ids.entry((uri.map(str::to_owned), local.map(str::to_owned))).or_insert(next)
    }

    fn get(&self, uri: Option<&str>, local: Option<&str>) -> Option<NameTestId> {
        self.ids.get(&(uri.map(str::to_owned), local.map(str::to_owned))).copied()
    }

    fn passed_by(&self, uri: &str, local: &str) -> Passed {
        [self.get(Some(uri), Some(local)), self.get(None, Some(local)), self.get(Some(uri), None), self.get(None, None)]
    }
}

/// The tests that a name passes: exact, `*:local`, `p:*`, `*`.
type Passed = [Option<NameTestId>; 4];

const UNKNOWN: Symbol = Symbol::MAX;

/// Symbols of the names met so far, for one set of tests.
#[derive(Default)]
pub struct Symbols {
    by_name: Vec<Symbol>,
    generation: u64,
    by_tests: FxHashMap<Passed, Symbol>,
    passed: Vec<Passed>,
}

impl Symbols {
    /// Drops what is known of names that the reader has forgotten.
    pub fn follow(&mut self, names: &Names) {
        if self.generation != names.generation() {
            self.by_name.clear();
            self.generation = names.generation();
        }
    }

    #[inline]
    pub fn of(&mut self, name: NameId, names: &Names, tests: &NameTests) -> Symbol {
        match self.by_name.get(name.0 as usize) {
            Some(&symbol) if symbol != UNKNOWN => symbol,
            _ => self.learn(name, names, tests),
        }
    }

    #[cold]
    fn learn(&mut self, name: NameId, names: &Names, tests: &NameTests) -> Symbol {
        let passed = tests.passed_by(names.uri(name), names.local(name));
        let next = self.passed.len() as Symbol;
        let symbol = *self.by_tests.entry(passed).or_insert(next);
        if symbol == next {
            self.passed.push(passed);
        }
        let index = name.0 as usize;
        if self.by_name.len() <= index {
            self.by_name.resize(index + 1, UNKNOWN);
        }
        self.by_name[index] = symbol;
        symbol
    }

    pub fn passes(&self, symbol: Symbol, test: NameTestId) -> bool {
        self.passed[symbol as usize].contains(&Some(test))
    }
}
