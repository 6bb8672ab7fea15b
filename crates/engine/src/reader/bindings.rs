//! Which namespace each prefix is bound to, at the element that is being read.

use crate::names::{StringId, EMPTY, XML_PREFIX, XML_URI};

#[derive(Clone, Copy)]
struct Binding {
    /// `None` when the prefix is not bound.
    uri: Option<StringId>,
    /// The tag that declared it last, to find a prefix declared twice in one tag.
    tag: u64,
}

const UNBOUND: Binding = Binding { uri: None, tag: 0 };

#[derive(Default)]
pub(super) struct Bindings {
    /// By prefix.
    current: Vec<Binding>,
    /// What inner declarations hide, oldest first.
    hidden: Vec<(StringId, Option<StringId>)>,
}

impl Bindings {
    pub(super) fn of(&self, prefix: StringId) -> Option<StringId> {
        match prefix {
            XML_PREFIX => Some(XML_URI),
            EMPTY => Some(self.get(prefix).uri.unwrap_or(EMPTY)),
            _ => self.get(prefix).uri,
        }
    }

    /// Binds a prefix from tag number `tag` (from 1) on; false if that tag has bound it already.
    pub(super) fn bind(&mut self, prefix: StringId, uri: StringId, tag: u64) -> bool {
        let at = prefix.0 as usize;
        if self.current.len() <= at {
            self.current.resize(at + 1, UNBOUND);
        }
        let before = self.current[at];
        self.hidden.push((prefix, before.uri));
        self.current[at] = Binding { uri: Some(uri), tag };
        before.tag != tag
    }

    pub(super) fn mark(&self) -> u32 {
        self.hidden.len() as u32
    }

    /// What the prefixes are bound to that were bound since `mark`, in order.
    pub(super) fn since(&self, mark: u32) -> impl Iterator<Item = (StringId, StringId)> + '_ {
        let prefixes = self.hidden.iter().skip(mark as usize).map(|(prefix, _)| *prefix);
        prefixes.filter_map(|prefix| Some((prefix, self.get(prefix).uri?)))
    }

    /// Undoes all bindings since `mark`.
    pub(super) fn restore(&mut self, mark: u32) {
        while self.hidden.len() > mark as usize {
            if let Some((prefix, uri)) = self.hidden.pop() {
                self.current[prefix.0 as usize].uri = uri;
            }
        }
    }

    fn get(&self, prefix: StringId) -> Binding {
        self.current.get(prefix.0 as usize).copied().unwrap_or(UNBOUND)
    }
}
