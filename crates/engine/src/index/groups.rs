//! Subscriptions that a trigger calls for together and that are checked alike.

use std::sync::Arc;

use super::block::{Block, Kin, Stem};
use super::places::{PlaceId, Places};
use super::plans::{Climb, PlanId, Route, Slot};
use super::shapes::{ConditionId, PathId, END};
use super::suffixes::{way, Suffixes, Way};
use super::takers::{Takers, NO_ONE};
use super::values::ConstantId;
use super::Index;

/// Number of what a trigger calls for, among all that an automaton knows.
pub type GroupsId = u32;

/// Subscriptions in ascending order.
#[derive(Clone, Debug)]
pub enum Slots {
    One(Slot),
    Many(Arc<[Slot]>),
}

/// All that one trigger calls for.
#[derive(Default)]
pub struct Groups {
    pub block: Block,
    lists: Box<[Slots]>,
}

impl Slots {
    fn of(mut slots: Vec<Slot>) -> Slots {
        slots.sort_unstable();
        slots.dedup();
        match slots.as_slice() {
            [one] => Slots::One(*one),
            _ => Slots::Many(slots.into()),
        }
    }

    /// All who are in some of these.
    pub fn merged(all: impl Iterator<Item = Slots>) -> Slots {
        let mut merged = Vec::new();
        all.for_each(|slots| merged.extend_from_slice(slots.as_slice()));
        Slots::of(merged)
    }

    #[inline]
    pub fn as_slice(&self) -> &[Slot] {
        match self {
            Slots::One(slot) => std::slice::from_ref(slot),
            Slots::Many(slots) => slots,
        }
    }
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
        plans.sort_unstable_by_key(|&plan| index.plans.route(plan));
        let (mut lists, mut keyed) = (Vec::new(), Vec::new());
        for alike in plans.chunk_by(|&left, &right| index.plans.route(left) == index.plans.route(right)) {
            let route = index.plans.route(alike[0]);
            let (place, constant) = places.selection(&index.shapes, route.condition).unzip();
            let constant = constant.unwrap_or(0);
            let slots = Slots::of(alike.iter().flat_map(|&plan| index.plans.slots(plan)).copied().collect());
            let may_repeat = slots.as_slice().iter().any(|&slot| index.plans.of_slot(slot).len() > 1);
            let takers = Takers::of(slots, may_repeat, &mut lists);
            keyed.push(Keyed { kin: (route.climb, place), constant, route, takers });
        }
        keyed.sort_by_key(Keyed::stem);
        let (mut kin, mut stems, mut suffixes) = (Vec::new(), Vec::new(), Suffixes::default());
        for same_kin in keyed.chunk_by(|left, right| left.kin == right.kin) {
            let from = stems.len() as u32;
            let same_stem = same_kin.chunk_by(|left, right| left.stem() == right.stem());
            stems.extend(same_stem.map(|same| stem(index, same, &mut suffixes)));
            let (climb, place) = same_kin[0].kin;
            kin.push(Kin { climb, place, stems: from..stems.len() as u32 });
        }
        Groups { block: Block::of(&kin, &stems, &suffixes), lists: lists.into() }
    }

    pub fn is_empty(&self) -> bool {
        self.block.is_empty()
    }

    #[inline]
    pub fn slots(&self, takers: Takers) -> Slots {
        takers.slots(&self.lists)
    }

    pub fn bytes(&self) -> usize {
        let lists: usize = self.lists.iter().map(|slots| 32 + 4 * slots.as_slice().len()).sum();
        std::mem::size_of::<Groups>() + self.block.bytes() + lists
    }
}

/// The stem of groups that have it in common, with the branches that it carries.
fn stem(index: &Index, same: &[Keyed], suffixes: &mut Suffixes) -> Stem {
    let shapes = &index.shapes;
    let Route { above, condition, .. } = same[0].route;
    let takers = same.iter().find(|one| one.route.suffix == END).map_or(NO_ONE, |one| one.takers);
    let below = same.iter().filter(|one| one.route.suffix != END);
    let mut ways: Vec<Way> = below.map(|one| (way(shapes, one.route.suffix), one.takers)).collect();
    ways.sort_unstable();
    let (first_branch, below) = suffixes.add(shapes, &ways, 0);
    Stem {
        needs: shapes.condition_needs(condition, false) | if takers == NO_ONE { below } else { 0 },
        anywhere: shapes.path_needs(above),
        above,
        condition,
        takers,
        first_branch,
        constant: same[0].constant,
    }
}
