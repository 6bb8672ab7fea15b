//! How much automata have learned.

use std::iter::Sum;

use crate::limits::Limits;

#[derive(Clone, Copy, Default, Debug)]
pub struct Learned {
    pub states: usize,
    pub transitions: usize,
    /// Roughly.
    pub bytes: usize,
    /// How often all was forgotten.
    pub flushes: u64,
}

impl Learned {
    /// Whether one automaton has learned more than it may keep.
    pub fn is_too_much(&self, limits: &Limits) -> bool {
        self.states > limits.automaton_states || self.bytes > limits.automaton_bytes
    }
}

impl Sum for Learned {
    fn sum<I: Iterator<Item = Learned>>(all: I) -> Learned {
        all.fold(Learned::default(), |sum, one| Learned {
            states: sum.states + one.states,
            transitions: sum.transitions + one.transitions,
            bytes: sum.bytes + one.bytes,
            flushes: sum.flushes + one.flushes,
        })
    }
}
