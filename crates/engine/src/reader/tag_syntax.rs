//! The syntax of a start tag, without the meaning of its names.

use super::chars::space_end;
use super::failure::{limit, malformed, Outcome};
use super::predefined::predefined_reference;
use super::references::{read_reference, Reference};
use super::words::{delimiter, value_stop};
use crate::limits::Limits;

#[derive(Clone, Copy)]
pub(super) struct RawAttribute {
    pub name: (usize, usize),
    pub value: (usize, usize),
    /// The value has references or white space other than spaces.
    pub escaped: bool,
}

pub(super) struct Tag {
    pub name_end: usize,
    /// After `>`.
    pub end: usize,
    /// `<a/>`
    pub empty: bool,
    /// A value refers to an entity that is not predefined.
    pub has_entities: bool,
    /// There may be namespace declarations: an attribute's name begins with `xmlns`.
    pub has_declarations: bool,
}

/// Reads the tag at `start`; `None` when the text ends inside it.
#[inline]
pub(super) fn read_tag(
    text: &[u8],
    start: usize,
    attributes: &mut Vec<RawAttribute>,
    limits: &Limits,
) -> Outcome<Option<Tag>> {
    attributes.clear();
    let name_end = delimiter(text, start + 1);
    if name_end == start + 1 {
        return Err(malformed(start, "'<' must begin markup"));
    }
    let mut tag = Tag { name_end, end: 0, empty: false, has_entities: false, has_declarations: false };
    let mut at = name_end;
    loop {
        match text.get(at) {
            Some(b'>') => {
                tag.end = at + 1;
                return Ok(Some(tag));
            }
            Some(b'/') => match text.get(at + 1) {
                Some(b'>') => {
                    tag.end = at + 2;
                    tag.empty = true;
                    return Ok(Some(tag));
                }
                Some(_) => return Err(malformed(at, "'/' in a tag must be followed by '>'")),
                None => return Ok(None),
            },
            Some(_) => {}
            None => return Ok(None),
        }
        let from = space_end(text, at);
        match text.get(from) {
            Some(b'>' | b'/') => {
                at = from;
                continue;
            }
            Some(_) if from == at => return Err(malformed(at, "white space, '/' or '>' is expected here")),
            Some(_) => {}
            None => return Ok(None),
        }
        match read_attribute(text, from, limits, &mut tag.has_entities)? {
            Some((attribute, end)) => {
                if attributes.len() >= limits.attributes as usize {
                    return Err(limit(from, format!("more than {} attributes", limits.attributes)));
                }
                tag.has_declarations |= text[from..end].starts_with(b"xmlns");
                attributes.push(attribute);
                at = end;
            }
            None => return Ok(None),
        }
    }
}

/// `name="value"` and where it ends; `None` when the text ends inside it.
#[inline]
fn read_attribute(
    text: &[u8],
    start: usize,
    limits: &Limits,
    has_entities: &mut bool,
) -> Outcome<Option<(RawAttribute, usize)>> {
    let end = delimiter(text, start);
    if end == start {
        return Err(malformed(start, "an attribute's name, '/' or '>' is expected here"));
    }
    let mut at = end;
    if text.get(at) != Some(&b'=') {
        at = space_end(text, at);
        match text.get(at) {
            Some(b'=') => {}
            Some(_) => return Err(malformed(at, "'=' is expected after an attribute's name")),
            None => return Ok(None),
        }
    }
    at += 1;
    let quote = match text.get(at) {
        Some(&quote @ (b'"' | b'\'')) => quote,
        _ => {
            at = space_end(text, at);
            match text.get(at) {
                Some(&quote @ (b'"' | b'\'')) => quote,
                Some(_) => return Err(malformed(at, "an attribute's value must be quoted")),
                None => return Ok(None),
            }
        }
    };
    let from = at + 1;
    at = from;
    let mut escaped = false;
    loop {
        at = value_stop(text, at, quote);
        match text.get(at) {
            None => return Ok(None),
            Some(&byte) if byte == quote => break,
            Some(b'<') => return Err(malformed(at, "'<' in an attribute's value")),
            Some(b'&') => {
                escaped = true;
                if let Some(length) = predefined_reference(text, at) {
                    at += length;
                    continue;
                }
                match read_reference(text, at)? {
                    None => return Ok(None),
                    Some((reference, end)) => {
                        *has_entities |= matches!(reference, Reference::General(_));
                        at = end;
                    }
                }
            }
            Some(_) => {
                escaped = true;
                at += 1;
            }
        }
    }
    if (at - from) as u64 > limits.attribute_bytes {
        return Err(limit(start, format!("an attribute of more than {} bytes", limits.attribute_bytes)));
    }
    Ok(Some((RawAttribute { name: (start, end), value: (from, at), escaped }, at + 1)))
}
