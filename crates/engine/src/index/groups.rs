//! Subscriptions that a trigger calls for together and that are checked alike.

use std::ops::Range;
use std::sync::Arc;

use super::pattern::Axis;
use super::plans::{PlanId, Route, Slot};
use super::shapes::{Shape, Shapes, END};
use super::tests::{Marks, TestId};
use super::values::{ConstantId, Operator};
use super::Index;

pub struct Group {
    pub route: Route,
    pub slots: Slots,
    /// What must be found below the anchor for there to be results.
    pub needs: Marks,
    /// Someone has other plans too, which may give the same nodes.
    pub may_repeat: bool,
}

/// Subscriptions in ascending order.
#[derive(Clone, Debug)]
pub enum Slots {
    One(Slot),
    Many(Arc<[Slot]>),
}

/// All that one trigger calls for. Those that need another constant too are found by that.
pub struct Groups {
    pub all: Box<[Group]>,
    /// The first so many are just checked.
    pub unsorted: usize,
    pub selections: Box<[Selection]>,
    /// The constants of those that are selected by them.
    constants: Box<[ConstantId]>,
    /// None needs to know more than the way up.
    pub are_proven: bool,
}

/// Groups that need a certain constant at the same place, in order of that constant.
pub struct Selection {
    pub place: Place,
    groups: Range<usize>,
}

/// Where a constant is looked for: the anchor so many levels above the node that triggers, and a step from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    pub levels: u32,
    pub axis: Axis,
    pub test: TestId,
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
    pub fn merged<'a>(all: impl Iterator<Item = &'a Slots>) -> Slots {
        Slots::of(all.flat_map(Slots::as_slice).copied().collect())
    }

    #[inline]
    pub fn as_slice(&self) -> &[Slot] {
        match self {
            Slots::One(slot) => std::slice::from_ref(slot),
            Slots::Many(slots) => slots,
        }
    }
}

impl Group {
    fn of(index: &Index, plans: &[PlanId]) -> Group {
        let route = index.plans.route(plans[0]);
        let slots = Slots::of(plans.iter().flat_map(|&plan| index.plans.slots(plan)).copied().collect());
        let may_repeat = slots.as_slice().iter().any(|&slot| index.plans.of_slot(slot).len() > 1);
        Group { route, slots, needs: index.shapes.marks(route.suffix), may_repeat }
    }

    /// The trigger proves all but who the anchor is, and the anchor is the result.
    #[inline]
    fn is_proven(&self) -> bool {
        self.route.prefix.is_implied() && self.route.suffix == END && self.route.climb.as_levels().is_some()
    }

    /// A constant that must be there besides the one that triggered.
    fn selection(&self, shapes: &Shapes) -> Option<(Place, ConstantId)> {
        let levels = self.route.climb.as_levels()?;
        let condition = self.route.prefix.as_condition()?;
        let equality = |id: &u32| match shapes.condition(*id)? {
            Shape::Exists(axis, test, inner) if *axis != Axis::DescendantOrSelf => match shapes.condition(*inner)? {
                Shape::Value(Operator::Is, constant) => Some((Place { levels, axis: *axis, test: *test }, *constant)),
                _ => None,
            },
            _ => None,
        };
        match shapes.condition(condition)? {
            Shape::All(ids) => ids.iter().find_map(equality),
            _ => equality(&condition),
        }
    }
}

impl Groups {
    /// The groups that plans fall into.
    pub fn of(index: &Index, plans: impl Iterator<Item = PlanId>) -> Groups {
        let mut plans: Vec<PlanId> = plans.collect();
        plans.sort_unstable_by_key(|&plan| index.plans.route(plan));
        let alike = plans.chunk_by(|&left, &right| index.plans.route(left) == index.plans.route(right));
        let keyed = alike.map(|plans| {
            let group = Group::of(index, plans);
            (group.selection(&index.shapes), group)
        });
        let mut keyed: Vec<(Option<(Place, ConstantId)>, Group)> = keyed.collect();
        keyed.sort_by_key(|(key, _)| *key);
        let unsorted = keyed.partition_point(|(key, _)| key.is_none());
        let mut selections = Vec::new();
        let mut from = unsorted;
        for same in keyed[unsorted..].chunk_by(|left, right| left.0.map(|key| key.0) == right.0.map(|key| key.0)) {
            if let Some((place, _)) = same[0].0 {
                selections.push(Selection { place, groups: from..from + same.len() });
            }
            from += same.len();
        }
        Groups {
            are_proven: keyed.iter().all(|(_, group)| group.is_proven()),
            unsorted,
            selections: selections.into(),
            constants: keyed[unsorted..].iter().filter_map(|(key, _)| Some((*key)?.1)).collect(),
            all: keyed.into_iter().map(|(_, group)| group).collect(),
        }
    }

    /// Those of a selection that need this constant.
    pub fn selected(&self, selection: &Selection, constant: ConstantId) -> Range<usize> {
        let Range { start, end } = selection.groups;
        let constants = &self.constants[start - self.unsorted..end - self.unsorted];
        let from = constants.partition_point(|&one| one < constant);
        let count = constants[from..].iter().take_while(|&&one| one == constant).count();
        start + from..start + from + count
    }

    pub fn bytes(&self) -> usize {
        let lists = self.all.iter().map(|group| if let Slots::Many(slots) = &group.slots { slots.len() } else { 0 });
        std::mem::size_of::<Groups>()
            + self.all.len() * (std::mem::size_of::<Group>() + 4)
            + self.selections.len() * std::mem::size_of::<Selection>()
            + lists.map(|length| 16 + 4 * length).sum::<usize>()
    }
}
