//! Which elements are records.

use crate::names::{NameId, Names};

/// `item` is any element of that local name, `p:item` only one that is written so.
pub(super) struct RowTag {
    name: String,
    is_prefixed: bool,
    /// By name id.
    known: Vec<Option<bool>>,
}

impl RowTag {
    pub(super) fn new(name: &str) -> RowTag {
        RowTag { name: name.to_owned(), is_prefixed: name.contains(':'), known: Vec::new() }
    }

    pub(super) fn matches(&mut self, names: &Names, id: NameId) -> bool {
        let place = id.0 as usize;
        if place >= self.known.len() {
            self.known.resize(names.len().max(place + 1), None);
        }
        let written = if self.is_prefixed { Names::qualified } else { Names::local };
        *self.known[place].get_or_insert_with(|| written(names, id) == self.name)
    }
}
