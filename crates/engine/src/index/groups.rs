//! Subscriptions that a trigger calls for together and that are checked alike.

use std::cell::{Ref, RefCell};

use super::block::{Block, Kin, Stem};
use super::pattern::Axis;
use super::places::{PlaceId, Places};
use super::plans::{Climb, PlanId, Route, Slot};
use super::reached;
use super::shapes::{ConditionId, PathId, END, TRUE};
use super::spots::{Label, SpotId, Spots};
use super::suffixes::{way, Step, Suffixes, Way};
use super::takers::{Takers, NO_ONE};
use super::tests::{mark, Marks, Symbols, TestId};
use super::told::Told;
use super::values::ConstantId;
use super::Index;
use crate::lists::Lists;
use crate::tape::Node;

/// Number of what a trigger calls for, among all that an automaton knows.
pub type GroupsId = u32;

/// All that one trigger calls for.
#[derive(Default)]
pub struct Groups {
    pub block: Block,
    /// The last tests of the paths that trigger them: groups that have none of these in common have no one in common.
    pub fields: Marks,
    /// Those of the block; after them unions that `reached` refers to.
    lists: RefCell<Lists>,
    /// How many are the block's.
    own_lists: (u32, u32),
    reached: RefCell<Reached>,
}

/// What is remembered of who gets the nodes at spots.
#[derive(Default)]
struct Reached {
    /// Of the spots.
    generation: u32,
    told: Told,
}

/// A group while it is put in order: its kin, the constant that selects it, its route and who is in it.
struct Keyed {
    kin: (Climb, Option<PlaceId>),
    constant: ConstantId,
    route: Route,
    takers: Takers,
}

impl Keyed {
    /// Groups that are alike in this have a stem in common.
    fn stem(&self) -> ((Climb, Option<PlaceId>), ConstantId, PathId, ConditionId) {
        (self.kin, self.constant, self.route.above, self.route.condition)
    }
}

impl Groups {
    /// The groups that plans fall into.
    pub fn of(index: &Index, plans: impl Iterator<Item = PlanId>, places: &mut Places) -> Groups {
        let mut plans: Vec<PlanId> = plans.collect();
        let last_test = |plan: PlanId| index.trie.test(index.triggers.key(index.plans.trigger(plan)).node);
        let fields = plans.iter().fold(0, |fields, &plan| fields | mark(last_test(plan)));
        plans.sort_unstable_by_key(|&plan| index.plans.route(plan));
        let (mut lists, mut keyed) = (Lists::default(), Vec::new());
        for alike in plans.chunk_by(|&left, &right| index.plans.route(left) == index.plans.route(right)) {
            let route = index.plans.route(alike[0]);
            let (place, constant) = places.selection(&index.shapes, route.condition).unzip();
            let constant = constant.unwrap_or(0);
            let mut slots: Vec<Slot> = alike.iter().flat_map(|&plan| index.plans.slots(plan)).copied().collect();
            slots.sort_unstable();
            slots.dedup();
            let may_repeat = slots.iter().any(|&slot| index.plans.of_slot(slot).len() > 1);
            let takers = Takers::of(&slots, may_repeat, &mut lists);
            keyed.push(Keyed { kin: (route.climb, place), constant, route, takers });
        }
        keyed.sort_by_key(Keyed::stem);
        let (mut kin, mut stems, mut suffixes) = (Vec::new(), Vec::new(), Suffixes::default());
        let mut ends = Vec::new();
        for same_kin in keyed.chunk_by(|left, right| left.kin == right.kin) {
            let from = stems.len() as u32;
            let same_stem = same_kin.chunk_by(|left, right| left.stem() == right.stem());
            stems.extend(same_stem.map(|same| stem(index, same, &mut ends, &mut suffixes)));
            let (climb, place) = same_kin[0].kin;
            kin.push(Kin { climb, place, stems: from..stems.len() as u32 });
        }
        let block = Block::of(&kin, &stems, &ends, &suffixes);
        let own_lists = lists.extent();
        Groups { block, fields, lists: RefCell::new(lists), own_lists, reached: RefCell::default() }
    }

    /// Tells who gets which of some nodes below an anchor for which a stem holds, by their spots; how many bytes it took to
    /// remember that.
    pub fn reach(
        &self,
        stem: u32,
        anchor: SpotId,
        nodes: impl Iterator<Item = (Node, SpotId)>,
        ways: &Ways<'_>,
        mut tell: impl FnMut(Node, Takers),
    ) -> usize {
        let mut reached = self.reached.borrow_mut();
        if reached.generation != ways.spots.generation() {
            *reached = Reached { generation: ways.spots.generation(), ..Reached::default() };
            self.lists.borrow_mut().restore(self.own_lists);
        }
        let (row, mut bytes) = (reached.told.row(stem, anchor), 0);
        for (node, spot) in nodes {
            let takers = row.get(spot).unwrap_or_else(|| {
                let takers = self.taking(stem, &ways.spots.labels(anchor, spot), ways);
                bytes += row.add(spot, takers) + self.union_bytes(takers);
                takers
            });
            if takers != NO_ONE {
                tell(node, takers);
            }
        }
        bytes
    }

    /// Brings near what is remembered of a stem whose anchor is at a spot.
    #[inline]
    pub fn fetch_told(&self, stem: u32, anchor: SpotId) -> u64 {
        self.reached.borrow().told.fetch(stem, anchor)
    }

    /// What the list takes that was put together for takers, if it was.
    fn union_bytes(&self, takers: Takers) -> usize {
        if takers.is_union() {
            32 + 4 * self.lists.borrow().get(takers.list()).len()
        } else {
            0
        }
    }

    /// Finds out who gets the node at the end of a way.
    #[cold]
    fn taking(&self, stem: u32, labels: &[Label], ways: &Ways<'_>) -> Takers {
        let all = reached::takers(&self.block, self.block.stem(stem).first_branch, labels, ways.symbols);
        match all.as_slice() {
            [] => NO_ONE,
            [one] => *one,
            several => Takers::union(several, &mut self.lists.borrow_mut()),
        }
    }

    /// Brings near what is looked at first: see [`Block::fetch`].
    #[inline]
    pub fn fetch(&self) -> u32 {
        self.block.fetch() | self.own_lists.0 | self.reached.borrow().generation
    }

    pub fn is_empty(&self) -> bool {
        self.block.is_empty()
    }

    #[inline]
    pub fn lists(&self) -> Ref<'_, Lists> {
        self.lists.borrow()
    }

    pub fn bytes(&self) -> usize {
        std::mem::size_of::<Groups>() + self.block.bytes() + self.lists.borrow().bytes()
    }
}

/// What spots tell.
pub struct Ways<'a> {
    pub spots: &'a Spots,
    pub symbols: &'a Symbols,
}

/// The stem of groups that have it in common, with the branches that it carries.
fn stem(index: &Index, same: &[Keyed], ends: &mut Vec<TestId>, suffixes: &mut Suffixes) -> Stem {
    let shapes = &index.shapes;
    let Route { above, condition, .. } = same[0].route;
    let takers = same.iter().find(|one| one.route.suffix == END).map_or(NO_ONE, |one| one.takers);
    let below = same.iter().filter(|one| one.route.suffix != END);
    let mut ways: Vec<Way> = below.map(|one| (way(shapes, one.route.suffix), one.takers)).collect();
    ways.sort_unstable();
    let (branches, steps) = (suffixes.branches.len(), suffixes.steps.len());
    let (first_branch, below) = suffixes.add(shapes, &ways, 0);
    let is_plain = |step: &Step| step.condition == TRUE && step.axis != Axis::DescendantOrSelf;
    let is_told_by_names = suffixes.steps[steps..].iter().all(is_plain);
    let last_test =
        |one: &Keyed| shapes.link(one.route.suffix).filter(|_| one.route.suffix != END).map(|link| link.test);
    let mut last_tests: Vec<TestId> = same.iter().filter_map(last_test).collect();
    last_tests.sort_unstable();
    last_tests.dedup();
    let first_end = ends.len() as u32;
    ends.append(&mut last_tests);
    Stem {
        needs: shapes.condition_needs(condition, false) | if takers == NO_ONE { below } else { 0 },
        anywhere: shapes.path_needs(above),
        above,
        condition,
        takers,
        first_branch,
        plain_branches: if is_told_by_names { (suffixes.branches.len() - branches) as u32 } else { 0 },
        ends: first_end..ends.len() as u32,
        constant: same[0].constant,
    }
}
