//! The subscriptions of a broker, changed and read by any thread.

use std::borrow::Cow;
use std::fs::File;
use std::io;
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use memmap2::Mmap;
use penstock_engine::registry::{Prepared, Registry, Row};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;

use crate::allocator::give_back;
use crate::program::Program;
use crate::waiting::Waiting;

/// id, query, subscriber, stream, options, and whether it may replace its namesake. Odd options: what a document gives is
/// joined to one delivery.
#[derive(FromPyObject)]
pub struct Given(PyBackedStr, PyBackedStr, Option<PyBackedStr>, Option<PyBackedStr>, u32, bool);

impl Given {
    pub fn may_replace(&self) -> bool {
        self.5
    }

    pub fn row(&self) -> Row<'_> {
        let Given(id, query, subscriber, stream, options, _) = self;
        Row { id, query, subscriber: subscriber.as_deref(), stream: stream.as_deref(), options: *options }
    }
}

/// A query that is to be added.
#[derive(FromPyObject)]
pub enum Query {
    Program(Py<Program>),
    Prepared(Py<PreparedQuery>),
}

impl Query {
    pub fn with<T>(&self, act: impl FnOnce(&Prepared) -> T) -> T {
        match self {
            Query::Program(program) => act(&Prepared::Program(Arc::clone(&program.get().compiled))),
            Query::Prepared(query) => act(&query.get().0),
        }
    }
}

/// What one `Subscriptions` has made of a program, to be added to it later: it takes less memory.
#[pyclass(frozen, module = "penstock.kernel._native")]
pub struct PreparedQuery(pub Prepared);

/// The bytes of a file, where the system keeps them: processes of one machine share them, and none copies them.
#[allow(unsafe_code)]
fn mapped(path: &Path) -> io::Result<Mmap> {
    let file = File::open(path)?;
    // SAFETY: these files are written beside their place and renamed; in their place they are never changed.
    unsafe { Mmap::map(&file) }
}

/// id, query, subscriber, stream, options
type Known = (String, String, Option<String>, Option<String>, u32);

fn known(row: Row<'_>) -> Known {
    let text = |text: Option<&str>| text.map(str::to_owned);
    (row.id.to_owned(), row.query.to_owned(), text(row.subscriber), text(row.stream), row.options)
}

/// After so many additions at once it pays to have their paths in one automaton with the others.
const MANY: usize = 64;

/// A document sees all that one call changes, or nothing of it. No one waits for the lock while holding the interpreter.
#[pyclass(frozen, module = "penstock.kernel._native")]
pub struct Subscriptions {
    pub registry: Arc<RwLock<Registry>>,
    /// Others than the one who publishes a document are to hear of it.
    attended: AtomicBool,
}

#[pymethods]
impl Subscriptions {
    /// `few`: so many run in the streaming machine, even if an index could hold them.
    #[new]
    #[pyo3(signature = (few = 32))]
    fn new(few: usize) -> Subscriptions {
        Subscriptions::of(Registry::new(few))
    }

    /// Whether others than the one who publishes a document are to hear of it: then all are published by the broker.
    fn attend(&self, attended: bool) {
        self.attended.store(attended, Ordering::Release);
    }

    /// So many more will come.
    fn announce(&self, py: Python<'_>, more: usize) {
        py.detach(|| self.write().catalog.announce(more));
    }

    /// Which rows have queries of known shapes: they can be added without a program.
    fn known(&self, py: Python<'_>, rows: Vec<Given>) -> Vec<bool> {
        py.detach(|| {
            let registry = self.read();
            rows.iter().map(|given| registry.knows(given.row())).collect()
        })
    }

    /// What is needed of a program to add it later.
    fn prepare(&self, py: Python<'_>, program: &Program) -> PreparedQuery {
        PreparedQuery(py.detach(|| self.write().prepared(&program.compiled)))
    }

    /// Removes, then adds; the places of those that were not added since their ids are taken. Those without a query to run
    /// have one of a known shape.
    fn change(&self, py: Python<'_>, removed: Vec<String>, added: Vec<(Given, Option<Query>)>) -> Vec<usize> {
        py.detach(|| {
            let mut registry = self.write();
            for id in removed {
                registry.remove(&id);
            }
            let mut refused = Vec::new();
            for (place, (given, query)) in added.iter().enumerate() {
                let is_added = match query {
                    Some(query) => query.with(|one| registry.add(given.row(), Some(one), given.may_replace())),
                    None => registry.add(given.row(), None, given.may_replace()),
                };
                if !is_added {
                    refused.push(place);
                }
            }
            if added.len() > MANY {
                registry.catalog.settle();
            }
            refused
        })
    }

    /// Adds all that wait; the places and queries of those that were not added since their ids are taken.
    fn enter(&self, py: Python<'_>, waiting: &Waiting) -> Vec<(usize, String)> {
        py.detach(|| {
            let are_many = waiting.len() > MANY;
            let mut registry = self.write();
            let refused = waiting.enter(&mut registry);
            if are_many {
                registry.catalog.settle();
                drop(registry);
                give_back();
            }
            refused
        })
    }

    /// A query to compile for `learn`, if it pays to know the shape of this one.
    fn probe(&self, py: Python<'_>, options: u32, query: &str) -> Option<String> {
        py.detach(|| self.write().probe(options, query))
    }

    /// Learns the shape of a query from it and from the probe.
    fn learn(&self, py: Python<'_>, options: u32, query: &str, program: &Program, probe: &Program) {
        py.detach(|| self.write().learn(options, query, &program.compiled, &probe.compiled));
    }

    /// Writes a file that `load` reads: whole, or not at all.
    fn save(&self, py: Python<'_>, path: PathBuf, attachment: &[u8]) -> PyResult<()> {
        py.detach(|| {
            let bytes = self.read().to_bytes(attachment).map_err(|error| PyValueError::new_err(error.to_string()))?;
            let mut partial = path.clone().into_os_string();
            partial.push(format!(".{}.partial", std::process::id()));
            std::fs::write(&partial, bytes)?;
            Ok(std::fs::rename(&partial, &path)?)
        })
    }

    /// What a file holds, and what was attached to it. A ValueError says why it cannot be read.
    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf) -> PyResult<(Subscriptions, Cow<'static, [u8]>)> {
        py.detach(|| {
            let file = mapped(&path)?;
            let outcome = catch_unwind(|| Registry::from_bytes(&file));
            let read = outcome.map_err(|_| PyValueError::new_err("a damaged file of compiled subscriptions"))?;
            let (registry, attachment) = read.map_err(|error| PyValueError::new_err(error.to_string()))?;
            Ok((Subscriptions::of(registry), Cow::Owned(attachment)))
        })
    }

    fn get(&self, py: Python<'_>, id: &str) -> Option<Known> {
        py.detach(|| {
            let registry = self.read();
            registry.find(id).and_then(|slot| registry.row(slot)).map(known)
        })
    }

    /// All of them, oldest first.
    fn all(&self, py: Python<'_>) -> Vec<Known> {
        py.detach(|| {
            let registry = self.read();
            registry.all().into_iter().filter_map(|slot| registry.row(slot)).map(known).collect()
        })
    }

    fn __contains__(&self, py: Python<'_>, id: &str) -> bool {
        py.detach(|| self.read().find(id).is_some())
    }

    fn __len__(&self, py: Python<'_>) -> usize {
        py.detach(|| self.read().len())
    }

    /// How the subscriptions are held, by name.
    fn sizes(&self, py: Python<'_>) -> Vec<(&'static str, usize)> {
        let (sizes, bytes) = py.detach(|| self.read().sizes());
        vec![
            ("indexed", sizes.indexed),
            ("streamed", sizes.streamed),
            ("templated", sizes.sharing.exact),
            ("verified", sizes.sharing.verified),
            ("works", sizes.sharing.forms),
            ("holes", sizes.sharing.holes),
            ("plans", sizes.index.plans),
            ("triggers", sizes.index.triggers),
            ("path_nodes", sizes.index.path_nodes),
            ("conditions", sizes.index.conditions),
            ("path_steps", sizes.index.steps),
            ("constants", sizes.index.constants),
            ("bytes", bytes),
        ]
    }
}

impl Subscriptions {
    fn of(registry: Registry) -> Subscriptions {
        Subscriptions { registry: Arc::new(RwLock::new(registry)), attended: AtomicBool::new(false) }
    }

    pub fn is_attended(&self) -> bool {
        self.attended.load(Ordering::Acquire)
    }

    pub fn read(&self) -> RwLockReadGuard<'_, Registry> {
        self.registry.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// The same, if no one has to be waited for.
    pub fn read_at_once(&self) -> Option<RwLockReadGuard<'_, Registry>> {
        self.registry.try_read().ok()
    }

    fn write(&self) -> RwLockWriteGuard<'_, Registry> {
        self.registry.write().unwrap_or_else(PoisonError::into_inner)
    }
}
