//! Workers that wait for the next document.

use std::sync::{Arc, Mutex, PoisonError};

/// The oldest beyond this number are let go.
const MOST: usize = 16;

/// A worker with what it has been matching documents against and has learnt for. Boxed: it is large, and moves with every
/// document.
pub type Kept<K, W> = (Arc<K>, Box<W>);

/// Those that wait.
pub struct Idle<K, W> {
    kept: Mutex<Vec<Kept<K, W>>>,
}

impl<K, W> Default for Idle<K, W> {
    fn default() -> Self {
        Idle { kept: Mutex::new(Vec::new()) }
    }
}

impl<K, W> Idle<K, W> {
    /// A worker that knows `known`, or a fresh one.
    pub fn take(&self, known: &Arc<K>, fresh: impl FnOnce() -> W) -> Kept<K, W> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        match kept.iter().rposition(|(other, _)| Arc::ptr_eq(other, known)) {
            Some(place) => kept.remove(place),
            None => {
                drop(kept);
                (Arc::clone(known), Box::new(fresh()))
            }
        }
    }

    pub fn keep(&self, worker: Kept<K, W>) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() >= MOST {
            kept.remove(0);
        }
        kept.push(worker);
    }

    /// Something of each of them.
    pub fn map<T>(&self, of: impl Fn(&W) -> T) -> Vec<T> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.iter().map(|(_, worker)| of(worker)).collect()
    }
}
