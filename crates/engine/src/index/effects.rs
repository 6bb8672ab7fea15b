//! What follows when nodes of the trie fire.

use super::found::Given;
use super::groups::GroupsId;
use super::hints::Hints;
use super::triggers::Kind;

/// Number of a set of trie nodes whose triggers fire together.
pub type FiredId = u32;

pub const NOTHING: FiredId = FiredId::MAX;

/// What follows when trie nodes fire together.
#[derive(Clone, Copy, Default)]
pub struct Fired {
    /// Version of the lists.
    pub version: u64,
    /// See [`super::trie::Trie::hints`].
    pub hints: Hints,
    /// A value has called for someone, or for no one.
    pub has_called: bool,
    pub effects: Effects,
}

/// What a node sets off by its being there.
#[derive(Clone, Copy, Default)]
pub struct Effects {
    /// Those who get it at once.
    pub accepted: Option<Given>,
    /// Who is called for.
    pub checks: Option<GroupsId>,
    /// Which values are asked for.
    pub kinds: Kind,
}

/// What a node may set off.
pub enum May {
    Nothing,
    /// No more than its value, which may be a constant, calls for.
    Call,
    /// Anything.
    Fire,
}
