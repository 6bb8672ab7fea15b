//! The subscriptions of a broker: what people gave, and how it is matched.

mod file;
mod literals;
mod prepared;
mod rows;
mod shape;

use std::sync::Arc;

use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};
use std::hash::BuildHasher;

use crate::catalog::{Catalog, CatalogSizes};
use crate::index::{Constant, Slot};
use crate::machine::CompiledProgram;
pub use file::FileError;
pub use prepared::Prepared;
pub use rows::Row;
use rows::Rows;
use shape::{Known, Shape};

pub struct Registry {
    rows: Rows,
    pub catalog: Catalog,
    /// What queries have in common that differ only in their constants, by what else matters to them.
    templates: FxHashMap<u32, FxHashMap<Box<str>, Shape>>,
    /// Shapes that came once.
    seen: FxHashSet<u64>,
    /// Shared with results that still name subscriptions by number.
    pins: Arc<()>,
    /// Numbers of removed subscriptions that such results may use.
    retired: Vec<Slot>,
}

/// How a query is given to the catalog.
enum How<'a> {
    Program(&'a Arc<CompiledProgram>),
    Known(Known),
}

impl<'a> How<'a> {
    fn of(prepared: &'a Prepared) -> Option<How<'a>> {
        match prepared {
            Prepared::Program(program) => Some(How::Program(program)),
            Prepared::Paths(packed) => prepared::unpacked(packed).map(|paths| How::Known(Known { paths, work: None })),
        }
    }
}

/// As long as it lives, numbers of subscriptions mean what they meant.
pub struct Pin {
    _shared: Arc<()>,
}

impl Registry {
    /// Up to `few` subscriptions run in the streaming machine, even if an index could hold them.
    pub fn new(few: usize) -> Registry {
        Registry {
            rows: Rows::default(),
            catalog: Catalog::new(few),
            templates: FxHashMap::default(),
            seen: FxHashSet::default(),
            pins: Arc::default(),
            retired: Vec::new(),
        }
    }

    pub fn len(&self) -> usize {
        self.rows.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn find(&self, id: &str) -> Option<Slot> {
        self.rows.find(id)
    }

    /// A subscription; also one that was removed while a pin was held.
    pub fn row(&self, slot: Slot) -> Option<Row<'_>> {
        self.rows.get(slot)
    }

    /// All subscriptions, oldest first.
    pub fn all(&self) -> Vec<Slot> {
        self.rows.all()
    }

    /// The subscription's place in the order of their ages.
    pub fn sequence(&self, slot: Slot) -> u64 {
        self.rows.sequence(slot)
    }

    /// Whether a subscription can be added without its compiled query, since the shape of the query is known.
    pub fn knows(&self, row: Row<'_>) -> bool {
        let texts = [Some(row.id), row.subscriber, row.stream];
        self.catalog.takes_paths()
            && texts.into_iter().flatten().all(literals::is_plain)
            && self.shape(row).is_some_and(|(shape, literals)| shape.takes(&literals))
    }

    /// A compiled query that is to be added later, with many others.
    pub fn prepared(&mut self, program: &Arc<CompiledProgram>) -> Prepared {
        Prepared::new(&mut self.catalog, program)
    }

    /// Adds a subscription, without a query if its shape is known; false if its id is taken.
    pub fn add(&mut self, row: Row<'_>, query: Option<&Prepared>, replace: bool) -> bool {
        let how = match query {
            Some(prepared) => How::of(prepared),
            None => self.known(row).map(How::Known),
        };
        let Some(how) = how else { return false };
        if self.rows.find(row.id).is_some() && !(replace && self.remove(row.id)) {
            return false;
        }
        let slot = self.rows.add(row);
        match how {
            How::Program(program) => self.catalog.add(slot, row.stream, program),
            How::Known(known) => self.catalog.add_known(slot, row.stream, known.paths, known.work),
        }
        true
    }

    /// A query whose shape is known.
    fn known(&self, row: Row<'_>) -> Option<Known> {
        let (shape, literals) = self.shape(row)?;
        shape.filled(&literals)
    }

    /// What is known of a query's shape, and its literals.
    fn shape(&self, row: Row<'_>) -> Option<(&Shape, Vec<Constant>)> {
        let cut = literals::cut(row.query)?;
        let shape = self.template(row.options, &cut.shape)?;
        Some((shape, cut.literals))
    }

    fn template(&self, options: u32, shape: &str) -> Option<&Shape> {
        self.templates.get(&options)?.get(shape)
    }

    /// A query had to be compiled. If one of its shape was before, and it may pay to know the shape: a query of that shape
    /// to be compiled for `learn`.
    pub fn probe(&mut self, options: u32, query: &str) -> Option<String> {
        let cut = literals::cut(query)?;
        let is_first = self.seen.insert(FxBuildHasher.hash_one((options, &cut.shape)));
        (!is_first && self.template(options, &cut.shape).is_none()).then(|| literals::probe(&cut.shape).0)
    }

    /// Learns the shape of a query from it and from the probe.
    pub fn learn(&mut self, options: u32, query: &str, program: &CompiledProgram, probe: &CompiledProgram) {
        let Some(cut) = literals::cut(query) else { return };
        let (_, marks) = literals::probe(&cut.shape);
        let shape = Shape::learned(&mut self.catalog, &cut.literals, &marks, program, probe);
        self.templates.entry(options).or_default().insert(cut.shape.into_boxed_str(), shape);
    }

    pub fn remove(&mut self, id: &str) -> bool {
        let Some(slot) = self.rows.find(id) else { return false };
        self.rows.remove(slot);
        self.catalog.remove(slot);
        self.retired.push(slot);
        self.free_retired();
        true
    }

    /// The numbers that results are about to use.
    pub fn pin(&self) -> Pin {
        Pin { _shared: Arc::clone(&self.pins) }
    }

    fn free_retired(&mut self) {
        if Arc::get_mut(&mut self.pins).is_some() {
            for slot in self.retired.drain(..) {
                self.rows.free(slot);
                self.catalog.free(slot);
            }
        }
    }

    pub fn sizes(&self) -> (CatalogSizes, usize) {
        let sizes = self.catalog.sizes();
        let templates: usize = self.templates.values().map(FxHashMap::len).sum();
        (sizes, sizes.index.bytes + self.rows.bytes() + templates * 512 + self.seen.capacity() * 9)
    }
}
