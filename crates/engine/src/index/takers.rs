//! Who is in a group, in one number.

use super::groups::Slots;
use super::plans::Slot;

/// Mostly one subscription: then its number; else the number of a list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Takers(u32);

pub const NO_ONE: Takers = Takers(u32::MAX);

const IS_LIST: u32 = 1 << 31;
/// Someone has other plans too, which may give the same nodes.
const MAY_REPEAT: u32 = 1 << 30;

impl Takers {
    /// Those who are in `slots`; if they are several, that becomes one of the lists.
    pub fn of(slots: Slots, may_repeat: bool, lists: &mut Vec<Slots>) -> Takers {
        let flag = if may_repeat { MAY_REPEAT } else { 0 };
        match slots {
            Slots::One(slot) if slot < MAY_REPEAT => Takers(slot | flag),
            several => {
                lists.push(several);
                Takers((lists.len() as u32 - 1) | IS_LIST | flag)
            }
        }
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

    #[inline]
    pub fn slots(self, lists: &[Slots]) -> Slots {
        match self.one() {
            Some(slot) => Slots::One(slot),
            None => lists[(self.0 & !(IS_LIST | MAY_REPEAT)) as usize].clone(),
        }
    }

    pub fn to_word(self) -> u32 {
        self.0
    }

    pub fn from_word(word: u32) -> Takers {
        Takers(word)
    }
}
