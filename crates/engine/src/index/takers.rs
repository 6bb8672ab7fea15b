//! Who is in a group, in one number.

use std::ops::Deref;

use super::plans::Slot;
use crate::lists::{ListId, Lists};

/// Mostly one subscription: then its number; else the number of a list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Takers(u32);

pub const NO_ONE: Takers = Takers(u32::MAX);

const IS_LIST: u32 = 1 << 31;
/// Someone has other plans too, which may give the same nodes.
const MAY_REPEAT: u32 = 1 << 30;
/// The list is among those that lie beside what was told.
const IS_NEAR: u32 = 1 << 29;

impl Takers {
    /// Those who are in `slots`; if they are several, that becomes one of the lists.
    pub fn of(slots: &[Slot], may_repeat: bool, lists: &mut Lists) -> Takers {
        Takers::with(slots, may_repeat, |slots| lists.add(slots))
    }

    /// The same; a short list becomes one of those that are `near`.
    pub fn told(slots: &[Slot], may_repeat: bool, near: &mut Vec<u32>, lists: &mut Lists) -> Takers {
        Takers::with(slots, may_repeat, |slots| {
            if Lists::refers_to(slots) {
                return lists.add(slots);
            }
            let place = near.len() as u32;
            near.push(slots.len() as u32);
            near.extend_from_slice(slots);
            place | IS_NEAR
        })
    }

    fn with(slots: &[Slot], may_repeat: bool, add: impl FnOnce(&[Slot]) -> ListId) -> Takers {
        let flag = if may_repeat { MAY_REPEAT } else { 0 };
        match *slots {
            [slot] if slot < IS_NEAR => Takers(slot | flag),
            _ => Takers(add(slots) | IS_LIST | flag),
        }
    }

    /// The place of their list among those that are near, if it is there.
    #[inline]
    pub fn near(self) -> Option<usize> {
        (self.0 & (IS_LIST | IS_NEAR) == IS_LIST | IS_NEAR).then_some(self.list() as usize)
    }

    /// The same with a list of `found`: it was one of those that are `near`, or of `lists`.
    #[inline]
    pub fn adopted<L: Deref<Target = Lists>>(
        self,
        near: &[u32],
        lists: impl FnOnce() -> L,
        found: &mut Lists,
    ) -> Takers {
        let list = match self.near() {
            Some(place) => found.add_short(&near[place..=place + near[place] as usize]),
            None if self.one().is_some() => return self,
            None => found.adopt(&lists(), self.list()),
        };
        Takers(list | self.0 & (IS_LIST | MAY_REPEAT))
    }

    #[inline]
    pub fn may_repeat(self) -> bool {
        self.0 & MAY_REPEAT != 0
    }

    /// The only one.
    #[inline]
    pub fn one(self) -> Option<Slot> {
        (self.0 & IS_LIST == 0).then_some(self.0 & !MAY_REPEAT)
    }

    /// Their list, if they are several.
    #[inline]
    pub fn list(self) -> ListId {
        self.0 & !(IS_LIST | MAY_REPEAT | IS_NEAR)
    }

    pub fn append_to(self, slots: &mut Vec<Slot>, lists: &Lists) {
        match self.one() {
            Some(slot) => slots.push(slot),
            None => slots.extend_from_slice(lists.get(self.list())),
        }
    }

    pub fn to_word(self) -> u32 {
        self.0
    }

    pub fn from_word(word: u32) -> Takers {
        Takers(word)
    }
}
