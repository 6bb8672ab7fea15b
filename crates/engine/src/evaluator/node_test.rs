//! Node tests. A name test is decided once per name, then looked up.

use std::cell::{Cell, OnceCell};

use crate::names::{NameId, Names};
use crate::tape::{Kind, Node, Tape};

use super::navigator::Navigator;
use super::operation::{NameTest, Test};

/// Names beyond this many are compared each time: a document with that many names is not worth its tables.
const TABLE_LIMIT: usize = 4096;

#[derive(Clone, Copy)]
enum Known {
    Unknown,
    Yes,
    No,
}

/// So many scans for elements of a name go over the whole tape before all of them are listed.
const SCANS_BEFORE_LISTING: u32 = 4;

/// Which names pass a test, as far as was asked.
pub(super) struct NameTable<'a> {
    test: &'a NameTest,
    known: OnceCell<Box<[Cell<Known>]>>,
    scans: Cell<u32>,
    elements: OnceCell<Vec<Node>>,
}

impl<'a> NameTable<'a> {
    pub(super) fn new(test: &'a NameTest) -> NameTable<'a> {
        NameTable { test, known: OnceCell::new(), scans: Cell::new(0), elements: OnceCell::new() }
    }

    fn known(&self, names: &Names) -> &[Cell<Known>] {
        self.known.get_or_init(|| vec![Cell::new(Known::Unknown); names.len().min(TABLE_LIMIT)].into_boxed_slice())
    }
}

/// A test made ready for a scan.
pub(super) struct Matcher<'r> {
    tape: &'r Tape,
    names: &'r Names,
    principal: Kind,
    test: &'r Test,
    name: Option<(&'r NameTest, &'r [Cell<Known>])>,
}

impl Navigator<'_> {
    /// `principal` is the kind of node that name tests of the axis take.
    pub(super) fn matcher<'r>(&'r self, test: &'r Test, principal: Kind) -> Matcher<'r> {
        let name = match test {
            Test::Name(index) => {
                let table = &self.name_tables[*index];
                Some((table.test, table.known(self.names)))
            }
            _ => None,
        };
        Matcher { tape: self.tape, names: self.names, principal, test, name }
    }

    /// All elements that pass a name test, in document order: known to those who ask again and again.
    pub(super) fn listed_elements(&self, test: &Test) -> Option<&[Node]> {
        let Test::Name(index) = test else { return None };
        let table = &self.name_tables[*index];
        let scans = table.scans.get();
        if scans < SCANS_BEFORE_LISTING {
            table.scans.set(scans + 1);
            return None;
        }
        Some(table.elements.get_or_init(|| {
            let matcher = self.matcher(test, Kind::Element);
            (0..self.tape.len()).filter(|&node| matcher.accepts(node)).collect()
        }))
    }

    /// Whether a namespace node with this prefix passes: it has no namespace itself, its local name is the prefix.
    pub(super) fn accepts_namespace(&self, test: &Test, prefix: &str, principal: bool) -> bool {
        match test {
            Test::Node => true,
            Test::Principal => principal,
            Test::Name(index) => {
                let NameTest { uri, local } = self.name_tables[*index].test;
                principal
                    && uri.as_ref().is_none_or(|uri| uri.is_empty())
                    && local.as_ref().is_none_or(|local| local == prefix)
            }
            Test::Text | Test::Comment | Test::Instruction(_) => false,
        }
    }
}

impl Matcher<'_> {
    #[inline]
    pub(super) fn accepts(&self, node: Node) -> bool {
        let record = self.tape.record(node);
        match self.test {
            Test::Name(_) => record.kind == self.principal && self.accepts_name(record.name),
            Test::Principal => record.kind == self.principal,
            Test::Node => true,
            Test::Text => record.kind == Kind::Text,
            Test::Comment => record.kind == Kind::Comment,
            Test::Instruction(target) => {
                record.kind == Kind::Instruction
                    && target.as_ref().is_none_or(|target| target == self.tape.target(node))
            }
        }
    }

    #[inline]
    fn accepts_name(&self, name: NameId) -> bool {
        let Some((test, known)) = self.name else { return false };
        match known.get(name.0 as usize) {
            Some(cell) => match cell.get() {
                Known::Yes => true,
                Known::No => false,
                Known::Unknown => {
                    let accepted = self.compare(test, name);
                    cell.set(if accepted { Known::Yes } else { Known::No });
                    accepted
                }
            },
            None => self.compare(test, name),
        }
    }

    #[cold]
    fn compare(&self, test: &NameTest, name: NameId) -> bool {
        test.local.as_ref().is_none_or(|local| local == self.names.local(name))
            && test.uri.as_ref().is_none_or(|uri| uri == self.names.uri(name))
    }
}
