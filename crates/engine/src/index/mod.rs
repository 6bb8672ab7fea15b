//! Many subscriptions at once: which of them may a document concern, and which of those does it?
//!
//! A subscription is entered under its *trigger* (`trigger`): a path and, if it has one, a constant. All trigger paths
//! are one trie (`trie`), followed by a lazily determinised automaton (`automaton`); all constants are one dictionary
//! (`values`, `parts`, ranges in `triggers`). So a document costs a few look-ups for each of its nodes, whatever the
//! number of subscriptions. A trigger that fires has *plans* (`plans`): what is left to be checked. Those that are alike in
//! this are groups (`groups`, as they lie in memory: `block`); names rule most of them out (`needs`, `candidates`). The
//! others are checked on the tape of the document (`check`, `walk`, `climbing`), each distinct condition at most once for each node
//! (`shapes`, `memo`). Where ways without conditions lead to is remembered by the names on them (`spots`, `reached`,
//! `told`), and looked up for all anchors of a document together (`located`, `hits`, `near`).

mod answers;
mod aside;
mod asked;
mod automaton;
mod block;
mod called;
mod candidates;
mod changes;
mod check;
mod climbing;
mod effects;
mod firing;
mod found;
mod groups;
mod hints;
mod hits;
mod interner;
mod kept;
mod located;
mod matching;
mod memo;
mod needs;
mod nodes;
mod parts;
mod pattern;
mod places;
mod plans;
mod reached;
mod relations;
mod seen;
mod shapes;
mod sketch;
mod spots;
mod states;
mod suffixes;
mod table;
mod takers;
mod template;
mod tests;
mod texts;
mod told;
mod transitions;
mod trie;
mod trigger;
mod triggers;
mod values;
mod walk;

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::machine::CompiledProgram;

pub use found::{Given, Results};
pub(crate) use interner::Interner;
pub use matching::Matching;
pub use pattern::{Constant, Path};
pub use plans::Slot;
pub use seen::Seen;
pub use sketch::Sketch;
pub use template::{filled, holes, with_holes};

use asked::Asked;
use changes::Changes;
use hints::Hints;
use parts::{Contained, Lengths};
use pattern::{Axis, Step};
use plans::{Climb, PlanId, Plans, Route, TriggerId, NO_PLAN};
use shapes::{PathId, Shapes};
use trie::{NodeId, Trie};
use triggers::{kind_of, Key, Kind, Triggers, ACCEPT, CHECK, CONTAINS, ENDS, IS, NUMERIC, STARTS, VALUES};
use values::{ConstantId, Operator};

/// New paths are kept apart until there are so many: the automaton over the others need not be made anew for each.
const RECENT_PATHS: usize = 256;
/// Nodes of the trie without use that are put up with, next to a quarter of all.
const IDLE_NODES: usize = 4096;

/// Numbers that change when what was learned from an index is no longer so.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Versions {
    settled: u64,
    recent: u64,
    /// Of the lists of those who ask for no value, and of the kinds of triggers that nodes have.
    lists: u64,
}

#[derive(Default, Serialize, Deserialize)]
pub struct Index {
    shapes: Shapes,
    trie: Trie,
    triggers: Triggers,
    plans: Plans,
    /// By stream; None for subscriptions to all streams.
    roots: FxHashMap<Option<Box<str>>, NodeId>,
    recent_paths: Vec<NodeId>,
    idle_nodes: usize,
    contained: Contained,
    beginnings: Lengths,
    endings: Lengths,
    versions: Versions,
    asked: Asked,
    /// Of triggers that ask for values.
    #[serde(skip)]
    changes: Changes,
}

/// Sizes of an index.
#[derive(Clone, Copy, Debug, Default)]
pub struct IndexSizes {
    pub plans: usize,
    pub triggers: usize,
    pub path_nodes: usize,
    pub conditions: usize,
    pub steps: usize,
    pub constants: usize,
    pub bytes: usize,
}

impl Index {
    /// The paths whose nodes a program delivers; None if an index cannot hold it.
    pub fn paths(&mut self, program: &CompiledProgram) -> Option<Vec<Path>> {
        pattern::paths(program, &mut self.shapes.tests)
    }

    /// Enters a subscription: it gets the nodes that any of the paths selects.
    pub fn add(&mut self, slot: Slot, stream: Option<&str>, paths: Vec<Path>) {
        let is_only = paths.len() == 1;
        for path in paths {
            self.add_path(slot, stream, path, is_only);
        }
    }

    /// From now on all nodes of documents are kept: someone works on the whole of them.
    pub fn ask_everything(&mut self) {
        self.asked.note_everything();
    }

    fn add_path(&mut self, slot: Slot, stream: Option<&str>, path: Path, is_only: bool) {
        let constants = &self.shapes.constants;
        let cut = trigger::cut(path, |constant| constants.users(constant));
        let tests = &self.shapes.tests;
        self.asked.note(&cut, |test| tests.is_name(test));
        let is_plain = |step: &Step| step.conditions.is_empty();
        // The trigger proves what lies on a straight way up from it.
        let climbs_straight = cut.climb.iter().all(|step| step.axis != Axis::Descendant);
        let leaves_trigger =
            cut.climb.first().is_some_and(|step| step.conditions.is_empty() && step.axis != Axis::Descendant);
        let mut prefix = cut.prefix;
        let conditions = prefix.last_mut().map_or(Vec::new(), |anchor| std::mem::take(&mut anchor.conditions));
        let upward = |shapes: &mut Shapes, path: Path| shapes.intern_path(&path.into_iter().rev().collect::<Vec<_>>());
        let route = Route {
            climb: if climbs_straight && cut.climb.iter().all(is_plain) {
                Climb::levels(cut.climb.len())
            } else {
                Climb::path(self.shapes.intern_path(&cut.climb))
            },
            above: upward(&mut self.shapes, if climbs_straight { trigger::unproven(prefix) } else { prefix }),
            condition: self.shapes.intern_all(&conditions),
            suffix: upward(&mut self.shapes, cut.suffix),
        };
        // The parts of a union may select the same node: they are checked, and repetitions found there.
        let accepts = is_only && route.is_proven() && route.climb == Climb::levels(0);
        let (kind, constant) = match &cut.value {
            None => (if accepts { ACCEPT } else { CHECK }, 0),
            Some(value) => (kind_of(value.operator), self.shapes.intern_constant(value)),
        };
        if let (Some(&last), false) = (cut.trigger_path.last(), leaves_trigger) {
            self.asked.note_trigger_node(last);
        }
        let node = self.node(stream, &cut.trigger_path);
        let key = Key { node, kind, constant };
        let trigger = match self.triggers.find(key) {
            Some(trigger) => {
                self.release_constant(kind, constant);
                trigger
            }
            None => self.add_trigger(key),
        };
        let plan = match self.plans.find(trigger, route) {
            Some(plan) => {
                self.release_route(route);
                plan
            }
            None => {
                let plan = self.plans.add(trigger, route, self.triggers.first(trigger));
                self.triggers.set_first(trigger, plan);
                plan
            }
        };
        self.plans.join(plan, slot);
        self.note_change(key);
        if self.recent_paths.len() > RECENT_PATHS {
            self.settle();
        }
    }

    /// Takes a subscription out.
    pub fn remove(&mut self, slot: Slot) {
        for plan in self.plans.of_slot(slot).to_vec() {
            let trigger = self.plans.trigger(plan);
            let key = self.triggers.key(trigger);
            if self.plans.leave(plan, slot) {
                let route = self.plans.route(plan);
                let first = self.plans.remove(plan, self.triggers.first(trigger));
                self.triggers.set_first(trigger, first);
                self.release_route(route);
                if first == NO_PLAN {
                    self.remove_trigger(trigger, key);
                }
            }
            self.note_change(key);
        }
        if self.idle_nodes > IDLE_NODES + self.trie.len() / 4 {
            self.renew();
            self.trie.prune();
            self.idle_nodes = 0;
        }
    }

    /// Makes anew what is not stored.
    pub fn restore(&mut self) {
        self.shapes.restore();
        self.trie.restore();
        self.triggers.restore();
        self.plans.restore();
        self.contained.build(&self.shapes.constants);
    }

    pub fn versions(&self) -> Versions {
        self.versions
    }

    /// Whether there are subscriptions to which a path is not all.
    pub fn has_checks(&self) -> bool {
        self.asked.kinds & !ACCEPT != 0
    }

    pub fn sizes(&self) -> IndexSizes {
        let (conditions, steps) = self.shapes.len();
        IndexSizes {
            plans: self.plans.len(),
            triggers: self.triggers.len(),
            path_nodes: self.trie.len(),
            conditions,
            steps,
            constants: self.shapes.constants.len(),
            bytes: self.shapes.bytes() + self.trie.bytes() + self.triggers.bytes() + self.plans.bytes(),
        }
    }

    /// The triggers of nodes that have a kind and a constant.
    fn triggers_at(&self, nodes: &[NodeId], kind: Kind, constant: ConstantId) -> Box<[TriggerId]> {
        let hint = self.hint(kind, constant);
        let may_have = |&node: &NodeId| self.trie.kinds(node) & kind != 0 && self.trie.hints(node) & hint == hint;
        let keys = nodes.iter().copied().filter(may_have).map(|node| Key { node, kind, constant });
        keys.filter_map(|key| self.triggers.find(key)).collect()
    }

    /// What is left to be checked for those whom triggers call for, in no order.
    fn plans_of(&self, triggers: &[TriggerId]) -> Vec<PlanId> {
        let mut next: Vec<PlanId> = triggers.iter().map(|&trigger| self.triggers.first(trigger)).collect();
        let mut plans = Vec::with_capacity(next.len());
        // Each is far from the one before it on its trigger's list, so one of each list is asked for at the same time.
        while !next.is_empty() {
            plans.extend_from_slice(&next);
            next.iter_mut().for_each(|plan| *plan = self.plans.next(*plan));
            next.retain(|&plan| plan != NO_PLAN);
        }
        plans
    }

    /// Brings near what plans consist of, step by step for all of them.
    fn bring_plans(&self, plans: &[PlanId]) {
        let routes = plans.iter().map(|&plan| self.plans.route(plan));
        let mut paths: Vec<PathId> = routes.clone().flat_map(|route| [route.above, route.suffix]).collect();
        routes.for_each(|route| self.shapes.bring(route.condition));
        paths.iter().for_each(|&path| self.shapes.bring_link(path));
        while !paths.is_empty() {
            paths.retain_mut(|path| {
                let Some((_, link)) = self.shapes.links(*path).next() else { return false };
                self.shapes.bring(link.condition);
                self.shapes.bring_link(link.rest);
                *path = link.rest;
                true
            });
        }
    }

    /// The node of a trigger path. If the large automaton does not fire it, it is a recent one.
    fn node(&mut self, stream: Option<&str>, steps: &[(Axis, tests::TestId)]) -> NodeId {
        let trie = &mut self.trie;
        let root = *self.roots.entry(stream.map(Box::from)).or_insert_with(|| trie.add_root());
        let node = trie.insert(root, steps);
        if trie.kinds(node) == 0 {
            trie.mark_recent(node);
            self.recent_paths.push(node);
            self.versions.recent += 1;
        }
        node
    }

    fn add_trigger(&mut self, key: Key) -> TriggerId {
        let Key { node, kind, constant } = key;
        let is_text = kind & VALUES & !NUMERIC != 0;
        let length = if is_text { self.shapes.constants.text(constant).len() } else { 0 };
        if self.trie.add_trigger(node, kind, self.hint(kind, constant)) {
            self.versions.lists += 1;
        }
        self.asked.note_trigger(kind, length);
        match kind {
            STARTS => self.beginnings.add(length),
            ENDS => self.endings.add(length),
            CONTAINS => self.contained.add(constant, &self.shapes.constants),
            _ => {}
        }
        self.triggers.add(key, self.bound(key))
    }

    /// What stands for a constant in the hints of a node that triggers have it for.
    fn hint(&self, kind: Kind, constant: ConstantId) -> Hints {
        match kind {
            IS | STARTS | ENDS => hints::of_text(self.shapes.constants.text(constant)),
            _ if kind & VALUES != 0 => hints::of_constant(constant),
            _ => 0,
        }
    }

    fn remove_trigger(&mut self, trigger: TriggerId, key: Key) {
        match key.kind {
            STARTS => self.beginnings.remove(self.shapes.constants.text(key.constant).len()),
            ENDS => self.endings.remove(self.shapes.constants.text(key.constant).len()),
            CONTAINS => self.contained.remove(key.constant),
            _ => {}
        }
        self.triggers.remove(trigger, self.bound(key));
        if self.trie.remove_trigger(key.node) {
            self.idle_nodes += 1;
        }
        self.release_constant(key.kind, key.constant);
    }

    /// The number that a numeric trigger compares with.
    fn bound(&self, key: Key) -> Option<f64> {
        (key.kind & NUMERIC != 0).then(|| self.shapes.constants.number(key.constant))
    }

    fn release_constant(&mut self, kind: Kind, constant: ConstantId) {
        if kind & VALUES != 0 {
            // Any operator of the same type: only the type says where the constant is stored.
            let numeric = Operator::Number(crate::ir::Comparison::Eq);
            self.shapes.constants.release(if kind & NUMERIC != 0 { numeric } else { Operator::Is }, constant);
        }
    }

    fn release_route(&mut self, route: Route) {
        if let Some(climb) = route.climb.as_path() {
            self.shapes.release_path(climb);
        }
        self.shapes.release_path(route.suffix);
        self.shapes.release_path(route.above);
        self.shapes.release_condition(route.condition);
    }

    /// What was learned of a trigger is no longer so.
    fn note_change(&mut self, key: Key) {
        if key.kind & VALUES == 0 {
            self.versions.lists += 1;
        } else {
            self.changes.add(key);
        }
    }

    /// The large automaton is to know the recent paths too.
    pub fn settle(&mut self) {
        if !self.recent_paths.is_empty() {
            self.renew();
        }
    }

    /// Nothing that was learned is true any more.
    fn renew(&mut self) {
        for node in self.recent_paths.drain(..) {
            self.trie.settle(node);
        }
        self.versions.settled += 1;
        self.versions.recent += 1;
        self.versions.lists += 1;
    }
}
