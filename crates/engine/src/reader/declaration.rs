//! The XML declaration.

use super::chars::{is_space, space_end};
use super::failure::{malformed, Outcome};

pub(super) struct Declaration<'a> {
    pub encoding: Option<&'a [u8]>,
    pub standalone: bool,
}

/// Reads `<?xml ... ?>` (all of `bytes`); failures are placed from `at`.
pub(super) fn read_declaration(bytes: &[u8], at: usize) -> Outcome<Declaration<'_>> {
    let inner = &bytes[b"<?xml".len()..bytes.len() - b"?>".len()];
    let wrong = |message: &'static str| malformed(at, message);
    let mut rest = Some(inner);
    let mut next = || -> Outcome<Option<(&[u8], &[u8])>> {
        let Some(from) = rest else { return Ok(None) };
        match pseudo_attribute(from) {
            Some((name, value, after)) => {
                rest = Some(after);
                Ok(Some((name, value)))
            }
            None if space_end(from, 0) == from.len() => {
                rest = None;
                Ok(None)
            }
            None => Err(wrong("a malformed XML declaration")),
        }
    };
    match next()? {
        Some((b"version", _)) => {}
        _ => return Err(wrong("the XML declaration must begin with the version")),
    }
    let mut attribute = next()?;
    let encoding = match attribute {
        Some((b"encoding", value)) => {
            if !value.first().is_some_and(u8::is_ascii_alphabetic) {
                return Err(wrong("the XML declaration's encoding is not a name"));
            }
            attribute = next()?;
            Some(value)
        }
        _ => None,
    };
    let standalone = match attribute {
        Some((b"standalone", b"yes")) => true,
        Some((b"standalone", b"no")) | None => false,
        Some((b"standalone", _)) => return Err(wrong("standalone must be 'yes' or 'no'")),
        Some(_) => return Err(wrong("the XML declaration holds version, encoding and standalone, in this order")),
    };
    if attribute.is_some() && next()?.is_some() {
        return Err(wrong("nothing may follow standalone in the XML declaration"));
    }
    Ok(Declaration { encoding, standalone })
}

/// The encoding that the bytes at a document's start declare, whatever else is wrong with them.
pub(super) fn declared_encoding(first: &[u8]) -> Option<&[u8]> {
    let mut rest = first.strip_prefix(b"<?xml")?;
    while let Some((name, value, after)) = pseudo_attribute(rest) {
        if name == b"encoding" {
            return Some(value);
        }
        rest = after;
    }
    None
}

/// ` name = "value"`: name, value and what follows.
fn pseudo_attribute(bytes: &[u8]) -> Option<(&[u8], &[u8], &[u8])> {
    let start = space_end(bytes, 0);
    let name = &bytes[start..];
    let length = name.iter().position(|&byte| byte == b'=' || is_space(byte))?;
    let equals = space_end(name, length);
    let quote = space_end(name, equals + 1);
    let (&mark @ (b'"' | b'\''), true) = (name.get(quote)?, start > 0 && name[equals..].starts_with(b"=")) else {
        return None;
    };
    let value = &name[quote + 1..];
    let end = memchr::memchr(mark, value)?;
    let plain = value[..end].iter().all(|&byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_'));
    plain.then_some((&name[..length], &value[..end], &value[end + 1..]))
}
