//! The triggers of all subscriptions: a node of the trie, and what its value must be.

use std::collections::BTreeMap;
use std::hash::BuildHasher;
use std::ops::Bound;

use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;
use serde::{Deserialize, Serialize};

use super::plans::{PlanId, TriggerId, NO_PLAN};
use super::trie::NodeId;
use super::values::{ConstantId, Operator};
use crate::ir::Comparison;

/// Kinds of triggers, as bits.
pub type Kind = u16;

/// The node's being there is all: its subscriptions get it.
pub const ACCEPT: Kind = 1;
/// The node's being there is worth a check.
pub const CHECK: Kind = 1 << 1;
pub const IS: Kind = 1 << 2;
pub const STARTS: Kind = 1 << 3;
pub const ENDS: Kind = 1 << 4;
pub const CONTAINS: Kind = 1 << 5;
pub const EQUALS: Kind = 1 << 6;
pub const BELOW: Kind = 1 << 7;
pub const AT_MOST: Kind = 1 << 8;
pub const ABOVE: Kind = 1 << 9;
pub const AT_LEAST: Kind = 1 << 10;
pub const RANGES: Kind = BELOW | AT_MOST | ABOVE | AT_LEAST;
pub const NUMERIC: Kind = EQUALS | RANGES;
/// Kinds that ask for the whole of a value, however long it is.
pub const WHOLE: Kind = ENDS | CONTAINS | NUMERIC;
/// Kinds that ask for the node's value.
pub const VALUES: Kind = IS | STARTS | ENDS | CONTAINS | NUMERIC;

/// The kind of trigger that a test of a value is.
pub fn kind_of(operator: Operator) -> Kind {
    match operator {
        Operator::Is => IS,
        Operator::StartsWith => STARTS,
        Operator::EndsWith => ENDS,
        Operator::Contains => CONTAINS,
        Operator::Number(Comparison::Eq) => EQUALS,
        Operator::Number(Comparison::Lt) => BELOW,
        Operator::Number(Comparison::Le) => AT_MOST,
        Operator::Number(Comparison::Gt) => ABOVE,
        Operator::Number(Comparison::Ge) => AT_LEAST,
        Operator::IsNot | Operator::Number(Comparison::Ne) => CHECK,
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Key {
    pub node: NodeId,
    pub kind: Kind,
    /// Means nothing to the kinds that ask for no value.
    pub constant: ConstantId,
}

const NO_TRIGGER: TriggerId = TriggerId::MAX;

#[derive(Serialize, Deserialize)]
struct Trigger {
    key: Key,
    /// Its plans.
    first: PlanId,
}

#[derive(Default, Serialize, Deserialize)]
pub struct Triggers {
    triggers: Vec<Trigger>,
    free: Vec<TriggerId>,
    /// But for those of nodes whose being there is all: of such there is one a node at most, known by its number.
    #[serde(skip)]
    by_key: HashTable<TriggerId>,
    #[serde(skip)]
    accepting: Vec<TriggerId>,
    /// Those that ask for a range, by node, kind and bound.
    ranges: BTreeMap<(NodeId, Kind, u64), TriggerId>,
}

impl Triggers {
    #[inline]
    pub fn find(&self, key: Key) -> Option<TriggerId> {
        if key.kind == ACCEPT {
            return self.accepting.get(key.node as usize).copied().filter(|&trigger| trigger != NO_TRIGGER);
        }
        self.by_key.find(hash(key), |&id| self.triggers[id as usize].key == key).copied()
    }

    pub fn key(&self, trigger: TriggerId) -> Key {
        self.triggers[trigger as usize].key
    }

    pub fn first(&self, trigger: TriggerId) -> PlanId {
        self.triggers[trigger as usize].first
    }

    pub fn set_first(&mut self, trigger: TriggerId, plan: PlanId) {
        self.triggers[trigger as usize].first = plan;
    }

    /// A new trigger; `bound` is the number that a range is bounded by.
    pub fn add(&mut self, key: Key, bound: Option<f64>) -> TriggerId {
        let trigger = Trigger { key, first: NO_PLAN };
        let id = match self.free.pop() {
            Some(id) => {
                self.triggers[id as usize] = trigger;
                id
            }
            None => {
                self.triggers.push(trigger);
                self.triggers.len() as TriggerId - 1
            }
        };
        self.enter(id);
        if let Some(bound) = bound.filter(|_| key.kind & RANGES != 0) {
            self.ranges.insert((key.node, key.kind, ordered(bound)), id);
        }
        id
    }

    /// Makes a trigger known by its key.
    fn enter(&mut self, id: TriggerId) {
        let (triggers, key) = (&self.triggers, self.key(id));
        if key.kind == ACCEPT {
            let places = self.accepting.len().max(key.node as usize + 1);
            self.accepting.resize(places, NO_TRIGGER);
            self.accepting[key.node as usize] = id;
            return;
        }
        self.by_key.insert_unique(hash(key), id, |&id| hash(triggers[id as usize].key));
    }

    pub fn remove(&mut self, trigger: TriggerId, bound: Option<f64>) {
        let key = self.key(trigger);
        if key.kind == ACCEPT {
            self.accepting[key.node as usize] = NO_TRIGGER;
        } else if let Ok(entry) = self.by_key.find_entry(hash(key), |&id| id == trigger) {
            entry.remove();
        }
        if let Some(bound) = bound {
            self.ranges.remove(&(key.node, key.kind, ordered(bound)));
        }
        self.free.push(trigger);
    }

    /// The triggers of a node that a number fires by lying in their range.
    pub fn in_range(&self, node: NodeId, kinds: Kind, value: f64) -> impl Iterator<Item = TriggerId> + '_ {
        let place = ordered(value);
        let of = move |kind: Kind, from: Bound<u64>, to: Bound<u64>| {
            let bound = |end: Bound<u64>| end.map(|end| (node, kind, end));
            // Nothing lies between a bound and itself: the map would take that for a mistake.
            let is_asked = kinds & kind != 0 && !value.is_nan();
            is_asked.then(|| self.ranges.range((bound(from), bound(to)))).into_iter().flatten().map(|(_, &id)| id)
        };
        use Bound::{Excluded, Included};
        of(BELOW, Excluded(place), Included(u64::MAX))
            .chain(of(AT_MOST, Included(place), Included(u64::MAX)))
            .chain(of(ABOVE, Included(0), Excluded(place)))
            .chain(of(AT_LEAST, Included(0), Included(place)))
    }

    /// Makes the table anew, which is not stored.
    pub fn restore(&mut self) {
        let by_key = self.triggers.iter().filter(|trigger| trigger.key.kind != ACCEPT).count();
        (self.by_key, self.accepting) = (HashTable::with_capacity(by_key), Vec::new());
        for id in 0..self.triggers.len() as TriggerId {
            // Triggers without plans are those that are free.
            if self.first(id) != NO_PLAN {
                self.enter(id);
            }
        }
    }

    pub fn len(&self) -> usize {
        self.triggers.len() - self.free.len()
    }

    pub fn bytes(&self) -> usize {
        self.triggers.capacity() * std::mem::size_of::<Trigger>()
            + self.by_key.capacity() * 5
            + self.accepting.capacity() * 4
            + self.ranges.len() * 32
    }
}

/// A number's place in the order of numbers, as bits.
fn ordered(number: f64) -> u64 {
    let bits = (number + 0.0).to_bits();
    if bits >> 63 == 1 {
        !bits
    } else {
        bits | 1 << 63
    }
}

fn hash(key: Key) -> u64 {
    FxBuildHasher.hash_one(key)
}
