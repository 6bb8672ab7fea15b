//! All subscriptions together, and whole documents matched against them.
//!
//! Few subscriptions run in the streaming machine, which holds of a document only what is undecided. Many go into the
//! index, which holds the document while it is matched; what an index cannot hold has its pattern there, if it has
//! one ([`crate::sharing`]), or stays with the machine.

mod both;
mod findings;
mod results;
mod slots;
mod stored;
#[cfg(test)]
mod tests;
mod worker;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use rustc_hash::FxHashMap;

use crate::error::DocumentError;
use crate::index::{Index, IndexSizes, Path, Slot};
use crate::limits::Limits;
use crate::machine::{Batch, CompiledProgram, Set};
use crate::sharing::{KnownWork, Sharing, SharingSizes, Unmade};

pub use findings::Findings;
pub(crate) use stored::{Restored, Stored};
pub use worker::DocumentWorker;

struct Entry {
    program: Arc<CompiledProgram>,
    stream: Option<Box<str>>,
}

/// The subscriptions of one stream that the machine runs, linked.
pub struct Machine {
    pub set: Arc<Set>,
    /// The subscription of each output of the set.
    pub slots: Box<[Slot]>,
}

#[derive(Default)]
pub struct Catalog {
    index: Index,
    indexed: usize,
    /// What those in the index have to do that get more than nodes.
    sharing: Sharing,
    /// Subscriptions that the machine runs.
    streamed: BTreeMap<Slot, Entry>,
    /// Some of them could be in the index: there have never been more than `few`.
    is_small: bool,
    few: usize,
    machines: Mutex<FxHashMap<Box<str>, Arc<Machine>>>,
}

/// How the subscriptions of a catalog are run.
#[derive(Clone, Copy, Debug, Default)]
pub struct CatalogSizes {
    pub indexed: usize,
    pub streamed: usize,
    pub index: IndexSizes,
    pub sharing: SharingSizes,
}

impl Catalog {
    /// Up to `few` subscriptions run in the machine, even if an index could hold them.
    pub fn new(few: usize) -> Catalog {
        Catalog { is_small: few > 0, few, ..Catalog::default() }
    }

    /// Adds a subscription to the documents of one stream, or of all.
    pub fn add(&mut self, slot: Slot, stream: Option<&str>, program: &Arc<CompiledProgram>) {
        if !self.is_small {
            if let Some(paths) = self.index.paths(program) {
                self.add_paths(slot, stream, paths);
                return;
            }
            if self.add_shared(slot, stream, program) {
                return;
            }
        }
        self.streamed.insert(slot, Entry { program: Arc::clone(program), stream: stream.map(Box::from) });
        self.forget_machines();
        self.announce(0);
    }

    /// So many more subscriptions will come: if that is many, the index takes over.
    pub fn announce(&mut self, more: usize) {
        if self.is_small && self.streamed.len() + more > self.few {
            self.is_small = false;
            for (slot, entry) in std::mem::take(&mut self.streamed) {
                self.add(slot, entry.stream.as_deref(), &entry.program);
            }
            self.forget_machines();
        }
    }

    /// Many were added: no more are expected for now.
    pub fn settle(&mut self) {
        self.index.settle();
    }

    /// Whether all subscriptions ask for paths and nothing else.
    pub fn has_paths_only(&self) -> bool {
        self.streamed.is_empty() && self.sharing.is_empty() && !self.index.has_checks()
    }

    /// Whether subscriptions may be added by their paths.
    pub fn takes_paths(&self) -> bool {
        !self.is_small
    }

    /// Adds a subscription that gets the nodes which any of the paths selects.
    pub fn add_paths(&mut self, slot: Slot, stream: Option<&str>, paths: Vec<Path>) {
        self.index.add(slot, stream, paths);
        self.indexed += 1;
    }

    /// Adds a subscription that has work to be done when its pattern has selected something; false if it has none, or
    /// an index cannot hold the pattern.
    fn add_shared(&mut self, slot: Slot, stream: Option<&str>, program: &CompiledProgram) -> bool {
        let Some(shared) = &program.shared else { return false };
        let Some(paths) = self.index.paths(&shared.pattern) else { return false };
        if self.sharing.add(slot, paths.len(), program, shared).is_err() {
            return false;
        }
        self.index.ask_everything();
        self.add_paths(slot, stream, paths);
        true
    }

    /// Adds a subscription by its paths and its work, if it has any.
    pub fn add_known(&mut self, slot: Slot, stream: Option<&str>, paths: Vec<Path>, work: Option<KnownWork>) {
        if let Some(work) = work {
            // What is known was compiled before: it cannot be refused now.
            if self.sharing.add_known(slot, paths.len(), work).is_err() {
                return;
            }
            self.index.ask_everything();
        }
        self.add_paths(slot, stream, paths);
    }

    /// The paths whose nodes a program delivers; None if an index cannot hold it.
    pub fn paths(&mut self, program: &CompiledProgram) -> Option<Vec<Path>> {
        self.index.paths(program)
    }

    pub fn remove(&mut self, slot: Slot) {
        if self.streamed.remove(&slot).is_some() {
            self.forget_machines();
        } else {
            self.index.remove(slot);
            self.indexed -= 1;
        }
    }

    /// A subscription that was removed is in no result any more.
    pub fn free(&mut self, slot: Slot) {
        self.sharing.remove(slot);
    }

    /// Messages that were left for later.
    pub fn make(&self, unmade: &Unmade, limits: &Limits) -> Result<Batch, DocumentError> {
        unmade.make(&self.sharing, limits)
    }

    pub fn sizes(&self) -> CatalogSizes {
        let mut index = self.index.sizes();
        index.bytes += self.sharing.bytes();
        CatalogSizes { indexed: self.indexed, streamed: self.streamed.len(), index, sharing: self.sharing.sizes() }
    }

    fn forget_machines(&mut self) {
        self.machines.get_mut().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// The machine for the documents of a stream, if it has something to do there. One that has nothing to do reads what no
    /// one else does.
    fn machine(&self, stream: &str) -> Option<Arc<Machine>> {
        if self.indexed > 0 && self.streamed.is_empty() {
            return None;
        }
        Some(self.linked(stream)).filter(|machine| self.indexed == 0 || !machine.slots.is_empty())
    }

    fn linked(&self, stream: &str) -> Arc<Machine> {
        let mut machines = self.machines.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(machine) = machines.get(stream) {
            return Arc::clone(machine);
        }
        let of_stream = |entry: &Entry| entry.stream.as_deref().is_none_or(|one| one == stream);
        let entries: Vec<_> = self.streamed.iter().filter(|(_, entry)| of_stream(entry)).collect();
        let programs: Vec<_> = entries.iter().map(|(_, entry)| Arc::clone(&entry.program)).collect();
        let machine = Arc::new(Machine {
            set: Arc::new(Set::link(&programs)),
            slots: entries.iter().map(|(&slot, _)| slot).collect(),
        });
        machines.insert(stream.into(), Arc::clone(&machine));
        machine
    }
}
