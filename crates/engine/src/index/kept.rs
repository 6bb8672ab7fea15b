//! The groups that an automaton knows, by number: what is found in a document refers to them without counting.

use std::cell::RefCell;
use std::hash::BuildHasher;

use hashbrown::HashTable;
use rustc_hash::{FxBuildHasher, FxHashSet};

use super::called::Called;
use super::groups::{Gathered, Groups, GroupsId};
use super::places::Places;
use super::plans::TriggerId;
use super::tests::Marks;
use super::told::Rows;
use super::Index;

#[derive(Default)]
pub struct Kept {
    groups: Vec<Groups>,
    origins: Vec<Origin>,
    by_triggers: HashTable<GroupsId>,
    free: Vec<GroupsId>,
    rows: RefCell<Rows>,
}

/// What groups are of, and what is to be known of them before they are looked at.
#[derive(Default)]
struct Origin {
    triggers: Triggers,
    /// How many refer to them: wherever the same triggers fire together, their groups are the same.
    users: u32,
    called: Called,
    /// See [`Gathered`].
    fields: Marks,
}

/// Triggers that fire together.
#[derive(Default, PartialEq, Eq, Hash)]
pub struct Triggers {
    pub triggers: Box<[TriggerId]>,
    /// Of the lists of those who ask for no value, if these are such triggers: they may have changed.
    pub version: u64,
}

impl Triggers {
    fn hash(&self) -> u64 {
        FxBuildHasher.hash_one(self)
    }
}

impl Kept {
    #[inline]
    pub fn get(&self, number: GroupsId) -> &Groups {
        &self.groups[number as usize]
    }

    #[inline]
    pub fn fields(&self, number: GroupsId) -> Marks {
        self.origins[number as usize].fields
    }

    /// What is to be known of groups before they are looked at.
    pub fn called(&self, number: GroupsId) -> Called {
        self.origins[number as usize].called
    }

    /// The groups that triggers call for, for one more who refers to them; None if they call for no one. And the bytes that this takes if
    /// they were not known.
    pub fn keep(&mut self, index: &Index, triggers: Triggers, places: &mut Places) -> (Option<GroupsId>, usize) {
        if triggers.triggers.is_empty() {
            return (None, 0);
        }
        let hash = triggers.hash();
        let Kept { origins, by_triggers, .. } = self;
        if let Some(&known) = by_triggers.find(hash, |&known| origins[known as usize].triggers == triggers) {
            origins[known as usize].users += 1;
            return (Some(known), 0);
        }
        let Gathered { groups, fields, needs } = Groups::of(index, &triggers.triggers, places);
        let bytes = groups.bytes() + size_of::<Origin>() + 4 * triggers.triggers.len();
        let number = self.free.pop().unwrap_or(self.groups.len() as GroupsId);
        let called = Called::new(number, needs, fields, groups.told_levels());
        let origin = Origin { triggers, users: 1, called, fields };
        if number as usize == self.groups.len() {
            self.groups.push(groups);
            self.origins.push(origin);
        } else {
            self.groups[number as usize] = groups;
            self.origins[number as usize] = origin;
        }
        let origins = &self.origins;
        self.by_triggers.insert_unique(hash, number, |&known| origins[known as usize].triggers.hash());
        (Some(number), bytes)
    }

    /// What spots have told.
    pub fn rows(&self) -> &RefCell<Rows> {
        &self.rows
    }

    /// Forgets what spots of another generation have told.
    #[inline]
    pub fn follow_spots(&mut self, generation: u32) {
        if self.rows.get_mut().follow(generation) {
            self.groups.iter().for_each(|groups| drop(groups.take_rows()));
        }
    }

    /// One who refers to groups will not ask for them again.
    pub fn release(&mut self, number: Option<GroupsId>) {
        let Some(number) = number else { return };
        let origin = &mut self.origins[number as usize];
        origin.users -= 1;
        if origin.users == 0 {
            if let Ok(entry) = self.by_triggers.find_entry(origin.triggers.hash(), |&known| known == number) {
                entry.remove();
            }
            self.forget(number);
            self.free.push(number);
        }
    }

    /// No one will ask for groups by their numbers again, but for those in use.
    pub fn leave(&mut self, used: &FxHashSet<GroupsId>) {
        self.free.clear();
        self.by_triggers.clear();
        (0..self.groups.len() as GroupsId)
            .filter(|number| !used.contains(number))
            .for_each(|number| self.forget(number));
    }

    fn forget(&mut self, number: GroupsId) {
        self.origins[number as usize] = Origin::default();
        let groups = std::mem::take(&mut self.groups[number as usize]);
        groups.take_rows().into_iter().for_each(|key| self.rows.get_mut().remove(key));
    }

    pub fn clear(&mut self) {
        *self = Kept::default();
    }
}
