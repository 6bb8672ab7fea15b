//! What has been worked out about the document at hand.

use super::candidates::Candidate;
use super::hits::{Hit, Telling};
use super::memo::Memo;
use super::places::PlaceId;
use super::shapes::{ConditionId, PathId};
use super::trie::Side;
use super::values::ConstantId;
use crate::error::Stop;
use crate::tape::Node;

/// A range of `Answers::nodes`, or of `Answers::found`.
pub type Range = (u32, u32);

/// Answers for one document.
#[derive(Default)]
pub struct Answers {
    pub conditions: Memo<(ConditionId, Node), bool>,
    pub prefixes: Memo<(PathId, Node), bool>,
    /// Where paths lead to from anchors, if that took much work.
    pub results: Memo<(PathId, Node), Range>,
    /// The constants that values equal.
    pub constants: Memo<Node, Option<ConstantId>>,
    /// Those that are found at a place from a node, and all of them one after the other.
    pub places: Memo<(Side, PlaceId, Node), Range>,
    pub found: Vec<ConstantId>,
    /// What paths lead to, one after the other.
    pub nodes: Vec<Node>,
    /// Nodes up to this place are remembered in `results`.
    pub kept: usize,
    /// What triggered, which kin and at which anchor they were checked.
    pub done: Memo<(u32, u32, Node), ()>,
    pub anchors: Vec<Node>,
    pub candidates: Vec<Candidate>,
    pub tellings: Vec<Telling>,
    pub hits: Vec<Hit>,
    /// Bytes that were learned for the documents to come, by side.
    pub learned: [usize; 2],
    /// Steps that may still be taken.
    pub budget: u64,
    /// Nothing has been worked out yet.
    pub is_empty: bool,
}

/// Memory that one document has made so many times larger than the last one needed is given back.
const TIMES_TOO_LARGE: usize = 16;
const SMALL: usize = 64;

impl Answers {
    /// Forgets the last document.
    pub fn begin(&mut self, budget: u64) {
        self.budget = budget;
        if std::mem::replace(&mut self.is_empty, true) {
            return;
        }
        self.conditions.begin();
        self.prefixes.begin();
        self.results.begin();
        self.constants.begin();
        self.places.begin();
        self.found.clear();
        self.candidates.clear();
        self.tellings.clear();
        self.hits.clear();
        self.done.begin();
        self.nodes.shrink_to(TIMES_TOO_LARGE * self.nodes.len().max(SMALL));
        self.nodes.clear();
        self.kept = 0;
    }

    /// Takes steps.
    #[inline]
    pub fn spend(&mut self, steps: u64) -> Result<(), Stop> {
        let budget = self.budget.checked_sub(steps);
        self.budget = budget.ok_or_else(|| Stop::limit("evaluation takes too many steps (limit evaluation_steps)"))?;
        Ok(())
    }

    /// The constants from `start` on, in order and each once.
    pub fn found_in_order(&mut self, start: usize) -> Range {
        if self.found.len() > start + 1 {
            let mut found = self.found.split_off(start);
            found.sort_unstable();
            found.dedup();
            self.found.append(&mut found);
        }
        (start as u32, self.found.len() as u32)
    }

    /// The nodes from `start` on, in order and each once: from nodes within each other a step may lead to the same.
    pub fn in_order(&mut self, start: usize) -> Range {
        if self.nodes[start..].windows(2).any(|pair| pair[0] >= pair[1]) {
            let mut nodes = self.nodes.split_off(start);
            nodes.sort_unstable();
            nodes.dedup();
            self.nodes.append(&mut nodes);
        }
        (start as u32, self.nodes.len() as u32)
    }
}
