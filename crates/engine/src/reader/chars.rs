//! Classes of characters: of bytes for scanning, of characters for checking names.

use super::name_ranges::{OTHERS, STARTS};

const NAME: u8 = 1;
const SPACE: u8 = 2;

/// Bytes from 0x80 count as name bytes while scanning: names are checked when they are first seen.
static CLASS: [u8; 256] = {
    let mut class = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let b = byte as u8;
        if b.is_ascii_alphanumeric() || matches!(b, b'_' | b':' | b'-' | b'.' | 0x80..) {
            class[byte] |= NAME;
        }
        if matches!(b, b' ' | b'\t' | b'\n' | b'\r') {
            class[byte] |= SPACE;
        }
        byte += 1;
    }
    class
};

#[inline]
pub(super) fn is_space(byte: u8) -> bool {
    CLASS[byte as usize] & SPACE != 0
}

/// Where the name that starts at `from` ends.
#[inline]
pub(super) fn name_end(bytes: &[u8], from: usize) -> usize {
    end_of(bytes, from, |class| class & NAME != 0)
}

#[inline]
pub(super) fn space_end(bytes: &[u8], from: usize) -> usize {
    end_of(bytes, from, |class| class & SPACE != 0)
}

#[inline(always)]
fn end_of(bytes: &[u8], from: usize, inside: impl Fn(u8) -> bool) -> usize {
    let Some(rest) = bytes.get(from..) else { return bytes.len() };
    rest.iter().position(|&byte| !inside(CLASS[byte as usize])).map_or(bytes.len(), |length| from + length)
}

/// `Char` of XML 1.0 (a Rust `char` is never a surrogate).
pub(crate) fn is_char(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r' | ' '..='\u{fffd}' | '\u{10000}'..)
}

fn is_name_start(c: char) -> bool {
    c.is_ascii_alphabetic() || c == '_' || (!c.is_ascii() && is_in(&STARTS, c))
}

fn is_name_char(c: char) -> bool {
    is_name_start(c) || is_in(&OTHERS, c)
}

fn is_in(ranges: &[(u16, u16)], c: char) -> bool {
    let Ok(code) = u16::try_from(u32::from(c)) else { return false };
    let after = ranges.partition_point(|&(first, _)| first <= code);
    after > 0 && ranges[after - 1].1 >= code
}

/// A name without a colon.
pub(crate) fn is_ncname(name: &str) -> bool {
    name.chars().next().is_some_and(is_name_start) && name.chars().all(is_name_char)
}

/// A name with at most one colon, which is neither first nor last. Gives the prefix's length, 0 without one.
pub(super) fn qname_prefix(name: &str) -> Option<usize> {
    match name.split_once(':') {
        None => is_ncname(name).then_some(0),
        Some((prefix, local)) => (is_ncname(prefix) && is_ncname(local)).then_some(prefix.len()),
    }
}

/// Any run of name characters, colons included.
pub(super) fn is_nmtoken(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c == ':' || is_name_char(c))
}

/// `PubidChar`.
pub(super) fn is_public_id_char(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b" \r\n-'()+,./:=?;!*#@$_%".contains(&byte)
}
