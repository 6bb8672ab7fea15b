//! Who is in a group, in one number.

use super::plans::Slot;
use crate::lists::{ListId, Lists};

/// Mostly one subscription: then its number; else the number of a list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Takers(u32);

pub const NO_ONE: Takers = Takers(u32::MAX);

const IS_LIST: u32 = 1 << 31;
/// Someone has other plans too, which may give the same nodes.
const MAY_REPEAT: u32 = 1 << 30;
/// A list that was put together from several.
const IS_UNION: u32 = 1 << 29;

impl Takers {
    /// Those who are in `slots`; if they are several, that becomes one of the lists.
    pub fn of(slots: &[Slot], may_repeat: bool, lists: &mut Lists) -> Takers {
        let flag = if may_repeat { MAY_REPEAT } else { 0 };
        match *slots {
            [slot] if slot < MAY_REPEAT => Takers(slot | flag),
            _ => Takers(lists.add(slots) | IS_LIST | flag),
        }
    }

    /// All of several, who become one of the lists.
    pub fn union(all: &[Takers], lists: &mut Lists) -> Takers {
        let mut slots = Vec::new();
        all.iter().for_each(|one| one.append_to(&mut slots, lists));
        slots.sort_unstable();
        slots.dedup();
        let flags = all.iter().fold(IS_LIST | IS_UNION, |flags, one| flags | one.0 & MAY_REPEAT);
        Takers(lists.add(&slots) | flags)
    }

    /// Whether some of them may be among other takers of the same groups.
    #[inline]
    pub fn is_union(self) -> bool {
        self.0 & (IS_UNION | IS_LIST) == IS_UNION | IS_LIST
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
        self.0 & !(IS_LIST | MAY_REPEAT | IS_UNION)
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
