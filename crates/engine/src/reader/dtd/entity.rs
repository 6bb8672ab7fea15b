//! `<!ENTITY ...>` and `<!NOTATION ...>`.

use super::super::failure::{malformed, Outcome};
use super::super::references::{read_reference, Reference};
use super::{Cursor, Dtd};

pub(in super::super) enum Entity {
    /// The replacement text: character references replaced, others left.
    Internal(Vec<u8>),
    /// Never fetched: stands for nothing.
    External,
    Unparsed,
}

pub(super) fn read(cursor: &mut Cursor<'_>, dtd: &mut Dtd) -> Outcome<()> {
    cursor.need_space()?;
    let parameter = cursor.eat(b'%');
    if parameter {
        cursor.need_space()?;
    }
    let name = cursor.ncname()?;
    cursor.need_space()?;
    let entity = if matches!(cursor.peek(), Some(b'"' | b'\'')) {
        let (value, at) = cursor.literal()?;
        Entity::Internal(if dtd.ignoring { Vec::new() } else { replacement_text(value, at)? })
    } else {
        external_id(cursor)?;
        cursor.literal()?;
        let spaced = cursor.space();
        if spaced && !parameter && cursor.peek() != Some(b'>') {
            if cursor.run() != b"NDATA" {
                return Err(cursor.wrong("NDATA or '>' is expected here"));
            }
            cursor.need_space()?;
            cursor.ncname()?;
            Entity::Unparsed
        } else {
            Entity::External
        }
    };
    cursor.close()?;
    // Parameter entities are never expanded; the first declaration of a general entity holds.
    if !parameter && !dtd.ignoring {
        dtd.general.entry(name.into()).or_insert(entity);
    }
    Ok(())
}

/// `SYSTEM` or `PUBLIC "id"`, with the white space before the system identifier.
fn external_id(cursor: &mut Cursor<'_>) -> Outcome<()> {
    match cursor.run() {
        b"SYSTEM" => {}
        b"PUBLIC" => {
            cursor.need_space()?;
            cursor.public_id()?;
        }
        _ => return Err(cursor.wrong("SYSTEM, PUBLIC or a quoted value is expected here")),
    }
    cursor.need_space()
}

pub(super) fn read_notation(cursor: &mut Cursor<'_>) -> Outcome<()> {
    cursor.need_space()?;
    cursor.ncname()?;
    cursor.need_space()?;
    match cursor.run() {
        b"SYSTEM" => {
            cursor.need_space()?;
            cursor.literal()?;
        }
        b"PUBLIC" => {
            cursor.need_space()?;
            cursor.public_id()?;
            cursor.space();
            if cursor.peek() != Some(b'>') {
                cursor.literal()?;
            }
        }
        _ => return Err(cursor.wrong("SYSTEM or PUBLIC is expected here")),
    }
    cursor.close()
}

/// The replacement text of an entity value: character references replaced, line ends normalised.
fn replacement_text(value: &[u8], at: usize) -> Outcome<Vec<u8>> {
    let mut text = Vec::with_capacity(value.len());
    let mut from = 0;
    while let Some(&byte) = value.get(from) {
        match byte {
            b'%' => return Err(malformed(at + from, "a parameter entity reference inside a declaration")),
            b'&' => {
                let Ok(Some((reference, end))) = read_reference(value, from) else {
                    return Err(malformed(at + from, "a malformed reference in an entity's value"));
                };
                match reference {
                    Reference::Character(c) if value.get(from + 1) == Some(&b'#') => {
                        text.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
                    }
                    _ => text.extend_from_slice(&value[from..end]),
                }
                from = end;
                continue;
            }
            b'\r' if value.get(from + 1) == Some(&b'\n') => {}
            b'\r' => text.push(b'\n'),
            other => text.push(other),
        }
        from += 1;
    }
    Ok(text)
}
