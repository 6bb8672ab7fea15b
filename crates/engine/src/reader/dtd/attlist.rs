//! `<!ATTLIST element name type default ...>`.

use std::collections::HashMap;

use super::super::chars::is_nmtoken;
use super::super::failure::Outcome;
use super::super::text::{attribute_value, push_escaped};
use super::{Cursor, Dtd};
use crate::limits::Limits;

pub(in super::super) struct DeclaredAttribute {
    pub name: Box<[u8]>,
    pub tokenised: bool,
    pub is_id: bool,
    /// As it is written into a start tag, between quotes.
    pub default: Option<Vec<u8>>,
}

#[derive(Default)]
pub(in super::super) struct AttributeList {
    pub attributes: Vec<DeclaredAttribute>,
    by_name: HashMap<Box<[u8]>, usize>,
}

impl AttributeList {
    pub(in super::super) fn get(&self, name: &[u8]) -> Option<&DeclaredAttribute> {
        self.by_name.get(name).map(|&at| &self.attributes[at])
    }

    /// The first declaration of an attribute is the one that holds.
    fn add(&mut self, attribute: DeclaredAttribute) {
        if !self.by_name.contains_key(&attribute.name) {
            self.by_name.insert(attribute.name.clone(), self.attributes.len());
            self.attributes.push(attribute);
        }
    }
}

enum Type {
    Cdata,
    Id,
    Tokenised,
}

pub(super) fn read(cursor: &mut Cursor<'_>, dtd: &mut Dtd, limits: &Limits, spent: &mut u64) -> Outcome<()> {
    cursor.need_space()?;
    let element = cursor.qname()?;
    loop {
        let spaced = cursor.space();
        if !spaced || cursor.peek() == Some(b'>') {
            return cursor.close();
        }
        let name = cursor.qname()?;
        cursor.need_space()?;
        let kind = read_type(cursor)?;
        cursor.need_space()?;
        let default = read_default(cursor)?;
        if dtd.ignoring {
            continue;
        }
        let tokenised = !matches!(kind, Type::Cdata);
        let default = match default {
            None => None,
            Some((value, at)) => {
                let plain = dtd.expand_value(value, at, limits, spent)?;
                let mut written = Vec::with_capacity(plain.len());
                push_escaped(&mut written, &attribute_value(&plain, true, tokenised));
                Some(written)
            }
        };
        let attribute = DeclaredAttribute { name: name.into(), tokenised, is_id: matches!(kind, Type::Id), default };
        dtd.lists.entry(element.into()).or_default().add(attribute);
    }
}

fn read_type(cursor: &mut Cursor<'_>) -> Outcome<Type> {
    if cursor.eat(b'(') {
        alternatives(cursor, false)?;
        return Ok(Type::Tokenised);
    }
    match cursor.run() {
        b"CDATA" => Ok(Type::Cdata),
        b"ID" => Ok(Type::Id),
        b"IDREF" | b"IDREFS" | b"ENTITY" | b"ENTITIES" | b"NMTOKEN" | b"NMTOKENS" => Ok(Type::Tokenised),
        b"NOTATION" => {
            cursor.need_space()?;
            if !cursor.eat(b'(') {
                return Err(cursor.wrong("'(' is expected here"));
            }
            alternatives(cursor, true)?;
            Ok(Type::Tokenised)
        }
        _ => Err(cursor.wrong("an attribute type is expected here")),
    }
}

/// After `(`: names of notations, or tokens, up to `)`.
fn alternatives(cursor: &mut Cursor<'_>, notations: bool) -> Outcome<()> {
    loop {
        cursor.space();
        if notations {
            cursor.ncname()?;
        } else {
            cursor.checked(is_nmtoken)?;
        }
        cursor.space();
        if cursor.eat(b')') {
            return Ok(());
        }
        if !cursor.eat(b'|') {
            return Err(cursor.wrong("'|' or ')' is expected here"));
        }
    }
}

fn read_default<'a>(cursor: &mut Cursor<'a>) -> Outcome<Option<(&'a [u8], usize)>> {
    if cursor.eat(b'#') {
        match cursor.run() {
            b"IMPLIED" | b"REQUIRED" => return Ok(None),
            b"FIXED" => cursor.need_space()?,
            _ => return Err(cursor.wrong("REQUIRED, IMPLIED or FIXED is expected after '#'")),
        }
    }
    cursor.literal().map(Some)
}
