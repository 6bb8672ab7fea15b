//! The groups that an automaton knows, by number: what is found in a document refers to them without counting.

use std::cell::RefCell;

use rustc_hash::FxHashSet;

use super::groups::{Gathered, Groups, GroupsId};
use super::tests::Marks;
use super::told::Rows;

#[derive(Default)]
pub struct Kept {
    groups: Vec<Groups>,
    /// Of each of them: see [`Gathered`].
    fields: Vec<Marks>,
    free: Vec<GroupsId>,
    rows: RefCell<Rows>,
}

impl Kept {
    #[inline]
    pub fn get(&self, number: GroupsId) -> &Groups {
        &self.groups[number as usize]
    }

    #[inline]
    pub fn fields(&self, number: GroupsId) -> Marks {
        self.fields[number as usize]
    }

    /// Keeps groups; None if they call for no one.
    pub fn keep(&mut self, Gathered { groups, fields, .. }: Gathered) -> Option<GroupsId> {
        if groups.is_empty() {
            return None;
        }
        if let Some(number) = self.free.pop() {
            self.groups[number as usize] = groups;
            self.fields[number as usize] = fields;
            return Some(number);
        }
        self.groups.push(groups);
        self.fields.push(fields);
        Some(self.groups.len() as GroupsId - 1)
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

    /// No one will ask for groups again.
    pub fn release(&mut self, number: Option<GroupsId>) {
        if let Some(number) = number {
            self.forget(number);
            self.free.push(number);
        }
    }

    /// No one will ask for groups by their numbers again, but for those in use.
    pub fn leave(&mut self, used: &FxHashSet<GroupsId>) {
        self.free.clear();
        (0..self.groups.len() as GroupsId)
            .filter(|number| !used.contains(number))
            .for_each(|number| self.forget(number));
    }

    fn forget(&mut self, number: GroupsId) {
        let groups = std::mem::take(&mut self.groups[number as usize]);
        groups.take_rows().into_iter().for_each(|key| self.rows.get_mut().remove(key));
    }

    pub fn clear(&mut self) {
        *self = Kept::default();
    }
}
