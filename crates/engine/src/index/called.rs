//! Who is called for by a value.

use super::effects::FiredId;
use super::groups::GroupsId;
use super::tests::Marks;
use super::triggers::Kind;
use super::values::ConstantId;

/// Who is called for, and what must be found in a document for any of them to get anything: many are dismissed by that,
/// before they are looked at. (In halves, which lie closer together.)
#[derive(Clone, Copy)]
pub struct Called {
    needs: [u64; 2],
    groups: GroupsId,
}

const NO_ONE: GroupsId = GroupsId::MAX;
const UNKNOWN: GroupsId = GroupsId::MAX - 1;

impl Default for Called {
    /// Who is called for must be found out.
    fn default() -> Called {
        Called { needs: [0; 2], groups: UNKNOWN }
    }
}

impl Called {
    pub fn new(groups: Option<GroupsId>, needs: Marks) -> Called {
        Called { needs: [needs as u64, (needs >> 64) as u64], groups: groups.unwrap_or(NO_ONE) }
    }

    #[inline]
    pub fn is_known(self) -> bool {
        self.groups != UNKNOWN
    }

    pub fn groups(self) -> Option<GroupsId> {
        Some(self.groups).filter(|&groups| groups < UNKNOWN)
    }

    #[inline]
    pub fn in_document(self, there: Marks) -> Option<GroupsId> {
        let [low, high] = self.needs;
        self.groups().filter(|_| low & !(there as u64) == 0 && high & !((there >> 64) as u64) == 0)
    }
}

/// What fired, a kind of trigger and a constant, in one number.
#[inline]
pub fn call(fired: FiredId, kind: Kind, constant: ConstantId) -> u64 {
    // Kinds are single bits of 16, and what is learned is given up long before so much can fire.
    u64::from(fired) << 36 | u64::from(kind.trailing_zeros()) << 32 | u64::from(constant)
}
