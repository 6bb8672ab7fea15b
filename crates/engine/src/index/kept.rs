//! The groups that an automaton knows, by number: what is found in a document refers to them without counting.

use rustc_hash::FxHashSet;

use super::groups::{Groups, GroupsId};

#[derive(Default)]
pub struct Kept {
    groups: Vec<Groups>,
    free: Vec<GroupsId>,
}

impl Kept {
    #[inline]
    pub fn get(&self, number: GroupsId) -> &Groups {
        &self.groups[number as usize]
    }

    /// Keeps groups; None if they call for no one.
    pub fn keep(&mut self, groups: Groups) -> Option<GroupsId> {
        if groups.is_empty() {
            return None;
        }
        if let Some(number) = self.free.pop() {
            self.groups[number as usize] = groups;
            return Some(number);
        }
        self.groups.push(groups);
        Some(self.groups.len() as GroupsId - 1)
    }

    /// No one will ask for groups again.
    pub fn release(&mut self, number: Option<GroupsId>) {
        if let Some(number) = number {
            self.groups[number as usize] = Groups::default();
            self.free.push(number);
        }
    }

    /// No one will ask for groups by their numbers again, but for those in use.
    pub fn leave(&mut self, used: &FxHashSet<GroupsId>) {
        self.free.clear();
        for (number, groups) in (0..).zip(&mut self.groups) {
            if !used.contains(&number) {
                *groups = Groups::default();
            }
        }
    }

    pub fn clear(&mut self) {
        self.groups.clear();
        self.free.clear();
    }
}
