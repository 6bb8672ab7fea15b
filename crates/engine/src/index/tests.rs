//! Node tests by number, and which of them a node passes.

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::ir::Test;
use crate::names::{NameId, Names};

/// Number of a node test.
pub type TestId = u32;

pub const NODE: TestId = 0;
pub const TEXT: TestId = 1;
pub const COMMENT: TestId = 2;
pub const INSTRUCTION: TestId = 3;
const FIRST_NAMED: TestId = 4;

/// All node tests of an index. They are few, however many the subscriptions, and stay.
#[derive(Default, Serialize, Deserialize)]
pub struct Tests {
    named: FxHashMap<Named, TestId>,
    targets: Vec<TestId>,
    /// Those that names of several kinds pass: `*`, `p:*`.
    wild: Vec<TestId>,
}

#[derive(Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
enum Named {
    /// An expanded name; None is any.
    Name(Option<Box<str>>, Option<Box<str>>),
    /// An instruction's target.
    Target(Box<str>),
}

impl Tests {
    pub fn intern(&mut self, test: &Test) -> TestId {
        let named = match test {
            Test::Node => return NODE,
            Test::Text => return TEXT,
            Test::Comment => return COMMENT,
            Test::Instruction { target: None } => return INSTRUCTION,
            Test::Instruction { target: Some(target) } => Named::Target(target.as_str().into()),
            Test::Name { uri, local } => Named::Name(uri.as_deref().map(Box::from), local.as_deref().map(Box::from)),
        };
        let next = FIRST_NAMED + self.named.len() as TestId;
        let kind = match &named {
            Named::Target(_) => Some(&mut self.targets),
            Named::Name(_, None) => Some(&mut self.wild),
            Named::Name(_, Some(_)) => None,
        };
        let id = *self.named.entry(named).or_insert(next);
        kind.filter(|_| id == next).into_iter().for_each(|kind| kind.push(id));
        id
    }

    /// Whether a test asks for a name, not for an instruction's target.
    pub fn is_name(&self, test: TestId) -> bool {
        test >= FIRST_NAMED && !self.targets.contains(&test)
    }

    /// Whether a test asks for a name by its local part.
    pub fn is_local_name(&self, test: TestId) -> bool {
        self.is_name(test) && !self.wild.contains(&test)
    }

    /// Grows when a test is added.
    pub fn len(&self) -> usize {
        self.named.len()
    }

    fn passed_by_name(&self, uri: &str, local: &str) -> Vec<TestId> {
        let get = |uri: Option<&str>, local: Option<&str>| {
            self.named.get(&Named::Name(uri.map(Box::from), local.map(Box::from))).copied()
        };
        let names = [get(Some(uri), Some(local)), get(None, Some(local)), get(Some(uri), None), get(None, None)];
        std::iter::once(NODE).chain(names.into_iter().flatten()).collect()
    }

    fn passed_by_target(&self, target: &str) -> Vec<TestId> {
        let named = self.named.get(&Named::Target(target.into())).copied();
        [NODE, INSTRUCTION].into_iter().chain(named).collect()
    }
}

/// What a node is to the automaton: the set of tests that it passes. Names that no test mentions are all one symbol,
/// so the number of symbols depends on the subscriptions, never on the documents.
pub type Symbol = u32;

pub const TEXT_SYMBOL: Symbol = 0;
pub const COMMENT_SYMBOL: Symbol = 1;
pub const DOCUMENT_SYMBOL: Symbol = 2;

const UNKNOWN: Symbol = Symbol::MAX;

/// The symbols of the nodes met so far.
pub struct Symbols {
    by_name: Vec<Symbol>,
    /// Of the names whose numbers are in `by_name`.
    generation: u64,
    /// How many tests there were.
    tests: usize,
    by_passed: FxHashMap<[TestId; MOST_PASSED], Symbol>,
    passed: Vec<Passed>,
    by_test: Vec<Vec<Symbol>>,
}

/// The tests that a node passes.
struct Passed {
    /// In ascending order; the places that are left hold no test.
    tests: [TestId; MOST_PASSED],
    count: usize,
    marks: Marks,
    /// Those that ask for its local name.
    names: [TestId; MOST_NAMES],
    name_count: usize,
}

/// A name passes most tests: as a node, as itself, as a local name, as a name of its namespace, as any name.
const MOST_PASSED: usize = 5;
/// A name is asked for by its local part with its namespace or with any.
const MOST_NAMES: usize = 2;
const NO_TEST: TestId = TestId::MAX;

/// A set of tests in which some cannot be told from others: what is not in it is not there.
pub type Marks = u128;

pub fn mark(test: TestId) -> Marks {
    1 << (test % Marks::BITS)
}

impl Default for Symbols {
    fn default() -> Symbols {
        let mut symbols = Symbols {
            by_name: Vec::new(),
            generation: 0,
            tests: 0,
            by_passed: FxHashMap::default(),
            passed: Vec::new(),
            by_test: Vec::new(),
        };
        symbols.symbol(vec![NODE, TEXT]);
        symbols.symbol(vec![NODE, COMMENT]);
        symbols.symbol(vec![NODE]);
        symbols
    }
}

impl Symbols {
    /// Drops what is known of names that the reader has forgotten.
    pub fn follow_names(&mut self, names: &Names) {
        if self.generation != names.generation() {
            self.by_name.clear();
            self.generation = names.generation();
        }
    }

    /// If tests were added, names may have other symbols than before.
    pub fn follow_tests(&mut self, tests: &Tests) {
        if self.tests != tests.len() {
            self.by_name.clear();
            self.tests = tests.len();
        }
    }

    /// Starts anew: no one refers to symbols any more.
    pub fn clear(&mut self) {
        *self = Symbols { tests: self.tests, generation: self.generation, ..Symbols::default() };
    }

    #[inline]
    pub fn of_name(&mut self, name: NameId, names: &Names, tests: &Tests) -> Symbol {
        match self.known(name) {
            Some(symbol) => symbol,
            None => self.learn(name, names, tests),
        }
    }

    /// The same if it was asked for before.
    #[inline]
    pub fn known(&self, name: NameId) -> Option<Symbol> {
        self.by_name.get(name.0 as usize).copied().filter(|&symbol| symbol != UNKNOWN)
    }

    pub fn of_target(&mut self, target: &str, tests: &Tests) -> Symbol {
        self.symbol(tests.passed_by_target(target))
    }

    /// The tests that a symbol stands for.
    #[inline]
    pub fn passed(&self, symbol: Symbol) -> &[TestId] {
        let Passed { tests, count, .. } = &self.passed[symbol as usize];
        &tests[..*count]
    }

    /// Those of them that ask for a local name.
    #[inline]
    pub fn names(&self, symbol: Symbol) -> &[TestId] {
        let Passed { names, name_count, .. } = &self.passed[symbol as usize];
        &names[..*name_count]
    }

    #[inline]
    pub fn passes(&self, symbol: Symbol, test: TestId) -> bool {
        self.passed[symbol as usize].tests.contains(&test)
    }

    #[inline]
    pub fn marks(&self, symbol: Symbol) -> Marks {
        self.passed[symbol as usize].marks
    }

    #[cold]
    fn learn(&mut self, name: NameId, names: &Names, tests: &Tests) -> Symbol {
        let passed = tests.passed_by_name(names.uri(name), names.local(name));
        let asked: Vec<TestId> = passed.iter().copied().filter(|&test| tests.is_local_name(test)).collect();
        let symbol = self.symbol(passed);
        let known = &mut self.passed[symbol as usize];
        known.name_count = asked.len();
        known.names.iter_mut().zip(asked).for_each(|(place, test)| *place = test);
        let index = name.0 as usize;
        if self.by_name.len() <= index {
            self.by_name.resize(index + 1, UNKNOWN);
        }
        self.by_name[index] = symbol;
        symbol
    }

    fn symbol(&mut self, mut passed: Vec<TestId>) -> Symbol {
        passed.sort_unstable();
        let mut tests = [NO_TEST; MOST_PASSED];
        tests.iter_mut().zip(&passed).for_each(|(place, &test)| *place = test);
        let next = self.passed.len() as Symbol;
        let symbol = *self.by_passed.entry(tests).or_insert(next);
        if symbol == next {
            for &test in &passed {
                if self.by_test.len() <= test as usize {
                    self.by_test.resize_with(test as usize + 1, Vec::new);
                }
                self.by_test[test as usize].push(symbol);
            }
            let marks = passed.iter().fold(0, |marks, &test| marks | mark(test));
            self.passed.push(Passed { tests, count: passed.len(), marks, names: [NO_TEST; MOST_NAMES], name_count: 0 });
        }
        symbol
    }

    /// The symbols met so far that stand for nodes which pass a test.
    pub fn of_test(&self, test: TestId) -> &[Symbol] {
        self.by_test.get(test as usize).map_or(&[], Vec::as_slice)
    }

    pub fn len(&self) -> usize {
        self.passed.len()
    }
}
