//! What a document's internal DTD subset declares. Nothing external is ever read.

mod attlist;
mod cursor;
mod doctype;
mod element;
mod entity;
mod value;

use std::collections::HashMap;

pub(super) use attlist::{AttributeList, DeclaredAttribute};
use cursor::Cursor;
pub(super) use doctype::read_header;
pub(super) use entity::Entity;

use super::failure::{malformed, Outcome};
use crate::limits::Limits;

#[derive(Default)]
pub(super) struct Dtd {
    /// By element name as written.
    lists: HashMap<Box<[u8]>, AttributeList>,
    general: HashMap<Box<[u8]>, Entity>,
    /// There is an external subset or a parameter entity reference: declarations exist that we do not see.
    pub incomplete: bool,
    /// A parameter entity was referred to and not read: what follows might be overridden by it and is only
    /// checked, not used (XML 1.0, 5.1).
    pub ignoring: bool,
    pub standalone: bool,
}

impl Dtd {
    pub(super) fn clear(&mut self) {
        // Most documents declare nothing, and new tables cost more than a look.
        if !self.lists.is_empty() || !self.general.is_empty() {
            *self = Dtd::default();
        }
        (self.incomplete, self.ignoring, self.standalone) = (false, false, false);
    }

    pub(super) fn declares_attributes(&self) -> bool {
        !self.lists.is_empty()
    }

    pub(super) fn attributes_of(&self, element: &[u8]) -> Option<&AttributeList> {
        self.lists.get(element)
    }

    /// What is declared of an attribute.
    #[inline]
    pub(super) fn attribute(&self, element: &[u8], name: &[u8]) -> Option<&DeclaredAttribute> {
        if self.lists.is_empty() {
            return None;
        }
        self.lists.get(element)?.get(name)
    }

    /// The entity, or `None` when it may be declared where we do not look: it then stands for nothing.
    pub(super) fn entity(&self, name: &[u8], at: usize) -> Outcome<Option<&Entity>> {
        match self.general.get(name) {
            Some(entity) => Ok(Some(entity)),
            None if self.incomplete && !self.standalone => Ok(None),
            None => Err(malformed(at, format!("entity '{}' is not declared", super::failure::shown(name)))),
        }
    }

    /// Reads one declaration, `<!` to `>`, which stands at index `at` of the window. `spent` grows by the bytes
    /// that entities add to default values.
    pub(super) fn declare(&mut self, declaration: &[u8], at: usize, limits: &Limits, spent: &mut u64) -> Outcome<()> {
        let mut cursor = Cursor::new(declaration, at);
        cursor.skip(b"<!");
        match cursor.run() {
            b"ELEMENT" => element::read(&mut cursor),
            b"ATTLIST" => attlist::read(&mut cursor, self, limits, spent),
            b"ENTITY" => entity::read(&mut cursor, self),
            b"NOTATION" => entity::read_notation(&mut cursor),
            _ => Err(malformed(at, "the internal subset holds only ELEMENT, ATTLIST, ENTITY and NOTATION")),
        }
    }
}
