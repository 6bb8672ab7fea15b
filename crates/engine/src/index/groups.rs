//! Subscriptions that a trigger calls for together and that are checked alike.

use std::ops::Range;
use std::sync::Arc;

use super::pattern::Axis;
use super::plans::{PlanId, Route, Slot};
use super::shapes::{ConditionId, Shape, Shapes, END};
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

pub type Steps = Arc<[(Axis, TestId)]>;

/// Where a constant is looked for: the anchor so many levels above the node that triggers, and steps from it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    pub levels: u32,
    pub steps: Steps,
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
        let equality = |id: &ConditionId| {
            let mut steps = Vec::new();
            let constant = equality(shapes, *id, &mut steps)?;
            Some((Place { levels, steps: steps.into() }, constant))
        };
        match shapes.condition(condition)? {
            Shape::All(ids) => ids.iter().find_map(equality),
            _ => equality(&condition),
        }
    }
}

/// The constant that a condition asks for at the end of some steps, if that is all it asks.
fn equality(shapes: &Shapes, condition: ConditionId, steps: &mut Vec<(Axis, TestId)>) -> Option<ConstantId> {
    match shapes.condition(condition)? {
        Shape::Exists(axis, test, inner) => {
            steps.push((*axis, *test));
            equality(shapes, *inner, steps)
        }
        Shape::Value(Operator::Is, constant) => Some(*constant).filter(|_| !steps.is_empty()),
        _ => None,
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
        keyed.sort_by(|left, right| left.0.cmp(&right.0));
        let unsorted = keyed.partition_point(|(key, _)| key.is_none());
        let mut selections = Vec::new();
        let mut from = unsorted;
        let place = |key: &Option<(Place, ConstantId)>| key.as_ref().map(|(place, _)| place.clone());
        for same in keyed[unsorted..].chunk_by(|left, right| place(&left.0) == place(&right.0)) {
            selections.extend(place(&same[0].0).map(|place| Selection { place, groups: from..from + same.len() }));
            from += same.len();
        }
        Groups {
            are_proven: keyed.iter().all(|(_, group)| group.is_proven()),
            unsorted,
            selections: selections.into(),
            constants: keyed[unsorted..].iter().filter_map(|(key, _)| Some(key.as_ref()?.1)).collect(),
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
