//! Subscriptions that a trigger calls for together and that are checked alike.

use std::ops::Range;
use std::sync::Arc;

use super::pattern::Axis;
use super::plans::{Climb, PlanId, Route, Slot};
use super::shapes::{ConditionId, Shape, Shapes};
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

/// All that one trigger calls for, in order of the climb, the place of a constant and that constant.
pub struct Groups {
    pub all: Box<[Group]>,
    pub kin: Box<[Kin]>,
    /// The constants of those that are selected by them, in the same order; 0 for the others.
    constants: Box<[ConstantId]>,
    /// None needs to know more than the way up.
    pub are_proven: bool,
}

/// Groups with anchors in common.
pub struct Kin {
    pub climb: Climb,
    /// They need a constant besides the one that triggered: the steps from the anchor to where it is looked for.
    pub steps: Option<Steps>,
    pub groups: Range<usize>,
}

pub type Steps = Arc<[(Axis, TestId)]>;

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

    /// A constant that must be there besides the one that triggered, and the steps that lead to it from the anchor.
    fn selection(&self, shapes: &Shapes) -> Option<(Steps, ConstantId)> {
        let condition = self.route.condition;
        let equality = |id: &ConditionId| {
            let mut steps = Vec::new();
            let constant = equality(shapes, *id, &mut steps)?;
            Some((steps.into(), constant))
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
            let (steps, constant) = group.selection(&index.shapes).unzip();
            ((group.route.climb, steps), constant.unwrap_or(0), group)
        });
        let mut keyed: Vec<((Climb, Option<Steps>), ConstantId, Group)> = keyed.collect();
        keyed.sort_by(|left, right| (&left.0, left.1).cmp(&(&right.0, right.1)));
        let mut from = 0;
        let kin = keyed.chunk_by(|left, right| left.0 == right.0).map(|same| {
            let (climb, steps) = same[0].0.clone();
            from += same.len();
            Kin { climb, steps, groups: from - same.len()..from }
        });
        Groups {
            kin: kin.collect(),
            are_proven: keyed.iter().all(|(.., group)| group.route.is_proven()),
            constants: keyed.iter().map(|(_, constant, _)| *constant).collect(),
            all: keyed.into_iter().map(|(.., group)| group).collect(),
        }
    }

    /// Those that need this constant.
    pub fn selected(&self, kin: &Kin, constant: ConstantId) -> Range<usize> {
        let constants = &self.constants[kin.groups.clone()];
        let from = constants.partition_point(|&one| one < constant);
        let count = constants[from..].iter().take_while(|&&one| one == constant).count();
        kin.groups.start + from..kin.groups.start + from + count
    }

    pub fn bytes(&self) -> usize {
        let lists = self.all.iter().map(|group| if let Slots::Many(slots) = &group.slots { slots.len() } else { 0 });
        std::mem::size_of::<Groups>()
            + self.all.len() * (std::mem::size_of::<Group>() + 4)
            + self.kin.len() * std::mem::size_of::<Kin>()
            + lists.map(|length| 16 + 4 * length).sum::<usize>()
    }
}
