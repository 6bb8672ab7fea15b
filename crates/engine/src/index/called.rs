//! Who is called for by a value.

use super::effects::FiredId;
use super::groups::GroupsId;
use super::table::Entry;
use super::tests::Marks;
use super::triggers::Kind;
use super::values::ConstantId;

/// Who is called for, and what must be found in a document for any of them to get anything: many are dismissed by that,
/// before they are looked at. (In halves, which lie closer together.)
#[derive(Clone, Copy)]
pub struct Called {
    needs: [u64; 2],
    groups: GroupsId,
    /// How far above what triggers the anchor is, if spots tell the rest.
    told_levels: u16,
    /// The number of their field (see [`super::groups::Gathered`]), if they have but one.
    field: Option<u8>,
}

const NO_ONE: GroupsId = GroupsId::MAX;
const UNKNOWN: GroupsId = GroupsId::MAX - 1;
const NOT_TOLD: u16 = u16::MAX;

impl Default for Called {
    fn default() -> Called {
        Called::UNKNOWN
    }
}

impl Called {
    pub const NO_ONE: Called = Called { groups: NO_ONE, ..Called::UNKNOWN };
    /// Who is called for must be found out.
    const UNKNOWN: Called = Called { needs: [0; 2], groups: UNKNOWN, told_levels: NOT_TOLD, field: None };

    pub fn new(groups: GroupsId, needs: Marks, fields: Marks, told_levels: Option<u32>) -> Called {
        let needs = [needs as u64, (needs >> 64) as u64];
        let told_levels = told_levels.and_then(|levels| u16::try_from(levels).ok()).unwrap_or(NOT_TOLD);
        let field = fields.is_power_of_two().then_some(fields.trailing_zeros() as u8);
        Called { needs, groups, told_levels, field }
    }

    #[inline]
    pub fn is_known(self) -> bool {
        self.groups != UNKNOWN
    }

    pub fn groups(self) -> Option<GroupsId> {
        Some(self.groups).filter(|&groups| groups < UNKNOWN)
    }

    #[inline]
    pub fn told_levels(self) -> Option<u16> {
        Some(self.told_levels).filter(|&levels| levels != NOT_TOLD)
    }

    #[inline]
    pub fn field(self) -> Option<u8> {
        self.field
    }

    /// Whether anyone may get anything where no more is found than `there`.
    #[inline]
    pub fn may_get(self, there: Marks) -> bool {
        let [low, high] = self.needs;
        low & !(there as u64) == 0 && high & !((there >> 64) as u64) == 0
    }
}

/// What is known of a call. (It does not lie across two lines of memory.)
#[derive(Clone, Copy)]
#[repr(align(32))]
pub struct Known {
    pub call: u64,
    pub called: Called,
}

impl Entry for Known {
    const FREE: u64 = u64::MAX;

    fn free() -> Known {
        Known { call: Self::FREE, called: Called::default() }
    }

    #[inline(always)]
    fn key(&self) -> u64 {
        self.call
    }
}

/// What fired, a kind of trigger and a constant, in one number.
#[inline]
pub fn call(fired: FiredId, kind: Kind, constant: ConstantId) -> u64 {
    // Kinds are single bits of 16, and what is learned is given up long before so much can fire.
    u64::from(fired) << 36 | u64::from(kind.trailing_zeros()) << 32 | u64::from(constant)
}
