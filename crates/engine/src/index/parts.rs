//! Constants that are looked for within a value: at its beginning, at its end, anywhere.

use std::collections::BTreeMap;

use aho_corasick::{AhoCorasick, AhoCorasickKind};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use super::values::{ConstantId, Constants};

/// New constants are looked for one by one until there are so many.
const RECENT: usize = 64;

/// Constants that a value may contain.
#[derive(Default, Serialize, Deserialize)]
pub struct Contained {
    #[serde(skip)]
    automaton: Option<AhoCorasick>,
    /// The constants of the automaton's patterns; None for those given up since it was built.
    #[serde(skip)]
    patterns: Vec<Option<ConstantId>>,
    #[serde(skip)]
    places: FxHashMap<ConstantId, usize>,
    #[serde(skip)]
    recent: Vec<ConstantId>,
    users: FxHashMap<ConstantId, u32>,
}

impl Contained {
    pub fn add(&mut self, constant: ConstantId, constants: &Constants) {
        let users = self.users.entry(constant).or_default();
        *users += 1;
        if *users > 1 {
            return;
        }
        self.recent.push(constant);
        if self.recent.len() > RECENT.max(self.patterns.len() / 8) {
            self.build(constants);
        }
    }

    pub fn remove(&mut self, constant: ConstantId) {
        let Some(users) = self.users.get_mut(&constant) else { return };
        *users -= 1;
        if *users > 0 {
            return;
        }
        self.users.remove(&constant);
        self.recent.retain(|&one| one != constant);
        if let Some(place) = self.places.remove(&constant) {
            self.patterns[place] = None;
        }
    }

    /// Makes the automaton anew.
    pub fn build(&mut self, constants: &Constants) {
        let all: Vec<ConstantId> = self.users.keys().copied().collect();
        let texts = all.iter().map(|&constant| constants.text(constant));
        // Without an automaton (it would be larger than the library allows) all are looked for one by one.
        self.automaton = AhoCorasick::builder().kind(Some(AhoCorasickKind::ContiguousNFA)).build(texts).ok();
        if self.automaton.is_some() {
            self.places = all.iter().enumerate().map(|(place, &constant)| (constant, place)).collect();
            self.patterns = all.into_iter().map(Some).collect();
            self.recent.clear();
        } else {
            self.places.clear();
            self.patterns.clear();
            self.recent = all;
        }
    }

    /// The constants that a value contains, in ascending order, once each.
    pub fn find(&self, value: &[u8], constants: &Constants, found: &mut Vec<ConstantId>) {
        found.clear();
        if let Some(automaton) = &self.automaton {
            let matches = automaton.find_overlapping_iter(value);
            found.extend(matches.filter_map(|found| self.patterns[found.pattern().as_usize()]));
        }
        let is_there = |constant: &&ConstantId| memchr::memmem::find(value, constants.text(**constant)).is_some();
        found.extend(self.recent.iter().filter(is_there));
        found.sort_unstable();
        found.dedup();
    }
}

/// How long the constants are that a value may begin or end with.
#[derive(Default, Serialize, Deserialize)]
pub struct Lengths {
    counts: BTreeMap<usize, u32>,
}

impl Lengths {
    pub fn add(&mut self, length: usize) {
        *self.counts.entry(length).or_default() += 1;
    }

    pub fn remove(&mut self, length: usize) {
        if let Some(count) = self.counts.get_mut(&length) {
            *count -= 1;
            if *count == 0 {
                self.counts.remove(&length);
            }
        }
    }

    /// The lengths that a value of this length has room for.
    pub fn up_to(&self, length: usize) -> impl Iterator<Item = usize> + '_ {
        self.counts.range(..=length).map(|(&length, _)| length)
    }
}
