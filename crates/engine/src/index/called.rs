//! Who is called for by a value.

use super::automaton::FiredId;
use super::groups::GroupsId;
use super::tests::Marks;
use super::triggers::Kind;
use super::values::ConstantId;

/// Who is called for, and what must be found in a document for any of them to get anything: many are dismissed by that,
/// before they are looked at.
#[derive(Clone, Copy)]
pub struct Called {
    pub groups: Option<GroupsId>,
    pub needs: Marks,
}

impl Called {
    #[inline]
    pub fn in_document(self, there: Marks) -> Option<GroupsId> {
        self.groups.filter(|_| self.needs & !there == 0)
    }
}

/// What fired, a kind of trigger and a constant.
pub type Call = u64;

#[inline]
pub fn call(fired: FiredId, kind: Kind, constant: ConstantId) -> Call {
    // Kinds are single bits of 16, and what is learned is given up long before so much can fire.
    u64::from(fired) << 36 | u64::from(kind.trailing_zeros()) << 32 | u64::from(constant)
}
