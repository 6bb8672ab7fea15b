//! Workers that wait for the next document.

use std::sync::{Arc, Mutex, PoisonError};

/// The oldest beyond this number are let go.
const MOST: usize = 16;

/// Workers, each with what it has been matching documents against and has learnt for.
pub struct Idle<K, W> {
    /// Boxed: they are large, and move with every document.
    kept: Mutex<Vec<(Arc<K>, Box<W>)>>,
}

impl<K, W> Default for Idle<K, W> {
    fn default() -> Self {
        Idle { kept: Mutex::new(Vec::new()) }
    }
}

impl<K, W> Idle<K, W> {
    pub fn take(&self, known: &Arc<K>) -> Option<Box<W>> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let place = kept.iter().rposition(|(other, _)| Arc::ptr_eq(other, known))?;
        Some(kept.remove(place).1)
    }

    pub fn keep(&self, known: &Arc<K>, worker: Box<W>) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() >= MOST {
            kept.remove(0);
        }
        kept.push((Arc::clone(known), worker));
    }

    /// Something of each of them.
    pub fn map<T>(&self, of: impl Fn(&W) -> T) -> Vec<T> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.iter().map(|(_, worker)| of(worker)).collect()
    }
}
