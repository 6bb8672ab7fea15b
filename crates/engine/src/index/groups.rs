//! Subscriptions that a trigger calls for together and that are checked alike.

use std::sync::Arc;

use super::plans::{PlanId, Route, Slot, IMPLIED};
use super::shapes::END;
use super::tests::Marks;
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
    /// The trigger proves all but who the anchor is, and the anchor is the result.
    #[inline]
    pub fn is_proven(&self) -> bool {
        self.route.prefix == IMPLIED && self.route.suffix == END && self.route.climb.as_levels().is_some()
    }

    pub fn bytes(&self) -> usize {
        std::mem::size_of::<Group>() + if let Slots::Many(slots) = &self.slots { 16 + 4 * slots.len() } else { 0 }
    }
}

/// The groups that plans fall into.
pub fn groups(index: &Index, plans: impl Iterator<Item = PlanId>) -> Arc<[Group]> {
    let mut plans: Vec<PlanId> = plans.collect();
    plans.sort_unstable_by_key(|&plan| index.plans.route(plan));
    let alike = plans.chunk_by(|&left, &right| index.plans.route(left) == index.plans.route(right));
    let group = |plans: &[PlanId]| {
        let route = index.plans.route(plans[0]);
        let slots = Slots::of(plans.iter().flat_map(|&plan| index.plans.slots(plan)).copied().collect());
        let may_repeat = slots.as_slice().iter().any(|&slot| index.plans.of_slot(slot).len() > 1);
        Group { route, slots, needs: index.shapes.marks(route.suffix), may_repeat }
    };
    alike.map(group).collect()
}
