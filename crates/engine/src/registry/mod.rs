//! The subscriptions of a broker: what people gave, and how it is matched.

mod file;
mod literals;
mod rows;
mod shape;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;

use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};
use std::hash::BuildHasher;

use crate::catalog::{Catalog, CatalogSizes};
use crate::index::Slot;
use crate::machine::CompiledProgram;
pub use file::FileError;
pub use rows::Row;
use rows::Rows;
use shape::{Known, Shape};

pub struct Registry {
    rows: Rows,
    pub catalog: Catalog,
    /// What queries have in common that differ only in their constants, by what else matters to them.
    templates: FxHashMap<(u32, Box<str>), Shape>,
    /// Shapes that came once.
    seen: FxHashSet<u64>,
    /// Results that still name subscriptions by number.
    pins: Arc<AtomicUsize>,
    /// Numbers of removed subscriptions that such results may use.
    retired: Vec<Slot>,
}

/// How a query is given to the catalog.
enum How<'a> {
    Program(&'a Arc<CompiledProgram>),
    Known(Known),
}

/// As long as it lives, numbers of subscriptions mean what they meant.
pub struct Pin(Arc<AtomicUsize>);

impl Drop for Pin {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Release);
    }
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
        self.catalog.takes_paths() && texts.into_iter().flatten().all(literals::is_plain) && self.known(row).is_some()
    }

    /// Adds a subscription, without a program if its shape is known; false if its id is taken.
    pub fn add(&mut self, row: Row<'_>, program: Option<&Arc<CompiledProgram>>, replace: bool) -> bool {
        let how = match program {
            Some(program) => How::Program(program),
            None => match self.known(row) {
                Some(known) => How::Known(known),
                None => return false,
            },
        };
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
        let cut = literals::cut(row.query)?;
        self.templates.get(&(row.options, cut.shape.into_boxed_str()))?.filled(&cut.literals)
    }

    /// A query had to be compiled. If one of its shape was before, and it may pay to know the shape: a query of that shape
    /// to be compiled for `learn`.
    pub fn probe(&mut self, options: u32, query: &str) -> Option<String> {
        let cut = literals::cut(query)?;
        let key = (options, cut.shape.into_boxed_str());
        let is_first = self.seen.insert(FxBuildHasher.hash_one(&key));
        (!is_first && !self.templates.contains_key(&key)).then(|| literals::probe(&key.1).0)
    }

    /// Learns the shape of a query from it and from the probe.
    pub fn learn(&mut self, options: u32, query: &str, program: &CompiledProgram, probe: &CompiledProgram) {
        let Some(cut) = literals::cut(query) else { return };
        let (_, marks) = literals::probe(&cut.shape);
        let shape = Shape::learned(&mut self.catalog, &cut.literals, &marks, program, probe);
        self.templates.insert((options, cut.shape.into_boxed_str()), shape);
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
        self.pins.fetch_add(1, Ordering::Acquire);
        Pin(Arc::clone(&self.pins))
    }

    fn free_retired(&mut self) {
        if self.pins.load(Ordering::Acquire) == 0 {
            for slot in self.retired.drain(..) {
                self.rows.free(slot);
                self.catalog.free(slot);
            }
        }
    }

    pub fn sizes(&self) -> (CatalogSizes, usize) {
        let sizes = self.catalog.sizes();
        (sizes, sizes.index.bytes + self.rows.bytes() + self.templates.len() * 512 + self.seen.capacity() * 9)
    }
}
