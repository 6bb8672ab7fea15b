//! What is to be done when a trigger fires, and for whom.

use std::hash::BuildHasher;

use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;
use serde::{Deserialize, Serialize};

use super::shapes::{ConditionId, PathId, END, TRUE};

/// A subscription's number.
pub type Slot = u32;
pub type PlanId = u32;
pub type TriggerId = u32;

pub const NO_PLAN: PlanId = PlanId::MAX;

/// The rest of a subscription once its trigger has fired; see [`super::trigger`] for the parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Route {
    pub climb: Climb,
    /// What leads to the anchor, from there up; `END` if the trigger proves it.
    pub above: PathId,
    /// What else must hold for the anchor.
    pub condition: ConditionId,
    pub suffix: PathId,
}

impl Route {
    /// The trigger proves all but who the anchor is, and the anchor is the result.
    #[inline]
    pub fn is_proven(self) -> bool {
        self.climb.as_levels().is_some() && (self.above, self.condition, self.suffix) == (END, TRUE, END)
    }
}

/// How the anchor is found from the node that triggers: so many levels up, or by a path that is followed upward.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Climb(u32);

const IS_LEVELS: u32 = 1 << 31;

impl Climb {
    pub fn levels(count: usize) -> Climb {
        Climb(count as u32 | IS_LEVELS)
    }

    pub fn path(path: PathId) -> Climb {
        Climb(path)
    }

    #[inline]
    pub fn as_levels(self) -> Option<u32> {
        (self.0 & IS_LEVELS != 0).then_some(self.0 & !IS_LEVELS)
    }

    pub fn as_path(self) -> Option<PathId> {
        (self.0 & IS_LEVELS == 0).then_some(self.0)
    }
}

#[derive(Serialize, Deserialize)]
struct Plan {
    route: Route,
    trigger: TriggerId,
    /// The plans of one trigger are a list.
    next: PlanId,
    previous: PlanId,
    slots: Few,
}

/// Numbers, of which there is mostly one: itself, or the number of a list.
#[derive(Clone, Copy, Serialize, Deserialize)]
struct Few(u32);

const IS_LIST: u32 = 1 << 31;
const NOTHING: Few = Few(u32::MAX);

/// Lists of more than one number.
#[derive(Default, Serialize, Deserialize)]
struct Lists {
    lists: Vec<Vec<u32>>,
    free: Vec<u32>,
}

impl Lists {
    fn get<'a>(&'a self, few: &'a Few) -> &'a [u32] {
        match few.0 {
            u32::MAX => &[],
            list if list & IS_LIST != 0 => &self.lists[(list & !IS_LIST) as usize],
            _ => std::slice::from_ref(&few.0),
        }
    }

    fn add(&mut self, few: Few, number: u32) -> Few {
        match few.0 {
            u32::MAX => Few(number),
            list if list & IS_LIST != 0 => {
                let list = &mut self.lists[(list & !IS_LIST) as usize];
                let place = list.partition_point(|&known| known < number);
                list.insert(place, number);
                few
            }
            one => {
                let both = vec![one.min(number), one.max(number)];
                let place = match self.free.pop() {
                    Some(place) => {
                        self.lists[place as usize] = both;
                        place
                    }
                    None => {
                        self.lists.push(both);
                        self.lists.len() as u32 - 1
                    }
                };
                Few(place | IS_LIST)
            }
        }
    }

    fn remove(&mut self, few: Few, number: u32) -> Few {
        if few.0 & IS_LIST == 0 || few.0 == u32::MAX {
            return NOTHING;
        }
        let place = few.0 & !IS_LIST;
        let list = &mut self.lists[place as usize];
        if let Ok(found) = list.binary_search(&number) {
            list.remove(found);
        }
        match list.as_slice() {
            [one] => {
                let one = *one;
                *list = Vec::new();
                self.free.push(place);
                Few(one)
            }
            _ => few,
        }
    }

    fn bytes(&self) -> usize {
        let inner: usize = self.lists.iter().map(|list| list.capacity() * 4).sum();
        inner + self.lists.capacity() * std::mem::size_of::<Vec<u32>>()
    }
}

#[derive(Default, Serialize, Deserialize)]
pub struct Plans {
    plans: Vec<Plan>,
    free: Vec<PlanId>,
    #[serde(skip)]
    by_route: HashTable<PlanId>,
    slots: Lists,
    /// The plans of each subscription.
    of_slot: Vec<Few>,
    several: Lists,
}

impl Plans {
    #[inline]
    pub fn route(&self, plan: PlanId) -> Route {
        self.plans[plan as usize].route
    }

    pub fn trigger(&self, plan: PlanId) -> TriggerId {
        self.plans[plan as usize].trigger
    }

    /// The subscriptions that share a plan, in ascending order.
    #[inline]
    pub fn slots(&self, plan: PlanId) -> &[Slot] {
        self.slots.get(&self.plans[plan as usize].slots)
    }

    /// The plan after this one on its trigger's list.
    pub fn next(&self, plan: PlanId) -> PlanId {
        self.plans[plan as usize].next
    }

    pub fn of_slot(&self, slot: Slot) -> &[PlanId] {
        self.of_slot.get(slot as usize).map_or(&[], |few| self.several.get(few))
    }

    pub fn find(&self, trigger: TriggerId, route: Route) -> Option<PlanId> {
        let plans = &self.plans;
        let is_it = |&id: &PlanId| plans[id as usize].trigger == trigger && plans[id as usize].route == route;
        self.by_route.find(hash(trigger, route), is_it).copied()
    }

    /// A new plan at the head of a list; the new head.
    pub fn add(&mut self, trigger: TriggerId, route: Route, head: PlanId) -> PlanId {
        let plan = Plan { route, trigger, next: head, previous: NO_PLAN, slots: NOTHING };
        let id = match self.free.pop() {
            Some(id) => {
                self.plans[id as usize] = plan;
                id
            }
            None => {
                self.plans.push(plan);
                self.plans.len() as PlanId - 1
            }
        };
        if head != NO_PLAN {
            self.plans[head as usize].previous = id;
        }
        let plans = &self.plans;
        let rehash = |&id: &PlanId| hash(plans[id as usize].trigger, plans[id as usize].route);
        self.by_route.insert_unique(hash(trigger, route), id, rehash);
        id
    }

    /// Adds a subscription to a plan.
    pub fn join(&mut self, plan: PlanId, slot: Slot) {
        if self.slots(plan).binary_search(&slot).is_ok() {
            return;
        }
        let entry = &mut self.plans[plan as usize];
        entry.slots = self.slots.add(entry.slots, slot);
        if self.of_slot.len() <= slot as usize {
            self.of_slot.resize(slot as usize + 1, NOTHING);
        }
        let known = self.of_slot[slot as usize];
        self.of_slot[slot as usize] = self.several.add(known, plan);
    }

    /// Takes a subscription out of a plan; whether the plan has no one left.
    pub fn leave(&mut self, plan: PlanId, slot: Slot) -> bool {
        let entry = &mut self.plans[plan as usize];
        entry.slots = self.slots.remove(entry.slots, slot);
        let known = self.of_slot[slot as usize];
        self.of_slot[slot as usize] = self.several.remove(known, plan);
        self.slots(plan).is_empty()
    }

    /// Removes a plan that no one has; the head of its list.
    pub fn remove(&mut self, plan: PlanId, head: PlanId) -> PlanId {
        let Plan { route, trigger, next, previous, .. } = self.plans[plan as usize];
        if next != NO_PLAN {
            self.plans[next as usize].previous = previous;
        }
        if previous != NO_PLAN {
            self.plans[previous as usize].next = next;
        }
        if let Ok(entry) = self.by_route.find_entry(hash(trigger, route), |&id| id == plan) {
            entry.remove();
        }
        self.free.push(plan);
        if head == plan {
            next
        } else {
            head
        }
    }

    /// Makes the table anew, which is not stored.
    pub fn restore(&mut self) {
        let plans = &self.plans;
        let hash = |&id: &PlanId| hash(plans[id as usize].trigger, plans[id as usize].route);
        self.by_route = HashTable::with_capacity(plans.len());
        // Plans without subscriptions are those that are free.
        for id in (0..plans.len() as PlanId).filter(|&id| plans[id as usize].slots.0 != NOTHING.0) {
            self.by_route.insert_unique(hash(&id), id, hash);
        }
    }

    pub fn len(&self) -> usize {
        self.by_route.len()
    }

    pub fn bytes(&self) -> usize {
        self.plans.capacity() * std::mem::size_of::<Plan>()
            + self.by_route.capacity() * 5
            + self.of_slot.capacity() * 4
            + self.slots.bytes()
            + self.several.bytes()
    }
}

fn hash(trigger: TriggerId, route: Route) -> u64 {
    FxBuildHasher.hash_one((trigger, route))
}
