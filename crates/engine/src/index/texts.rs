//! What fires and does no more than to ask for a text: which texts may be meant. This lies apart from what else is known of it, since it
//! is asked at nearly every value.

use super::effects::{FiredId, May};
use super::hints::{of_text, Hints};

#[derive(Default)]
pub struct Texts {
    /// Of each that may fire; of what does more, and until it is known, none.
    hints: Vec<Hints>,
    version: u64,
}

impl Texts {
    /// Forgets what is known of lists of another version.
    #[inline]
    pub fn follow(&mut self, version: u64) {
        if self.version != version {
            self.forget();
            self.version = version;
        }
    }

    pub fn forget(&mut self) {
        self.hints.fill(0);
    }

    pub fn clear(&mut self) {
        self.hints.clear();
    }

    /// One more may fire.
    pub fn add(&mut self) {
        self.hints.push(0);
    }

    pub fn set(&mut self, fired: FiredId, hints: Hints) {
        self.hints[fired as usize] = hints;
    }

    /// Whether something is known to do no more.
    #[inline]
    pub fn are_all(&self, fired: FiredId) -> bool {
        self.hints[fired as usize] != 0
    }

    /// What a node with this value may set off, if no constant is longer than that. For most it is nothing, and this is known before all else
    /// is looked at.
    #[inline(always)]
    pub fn may_fire(&self, fired: FiredId, value: &[u8], longest: usize) -> May {
        match self.hints.get(fired as usize) {
            Some(0) => May::Fire,
            Some(hints) if value.len() <= longest && hints & of_text(value) != 0 => May::Call,
            _ => May::Nothing,
        }
    }
}
