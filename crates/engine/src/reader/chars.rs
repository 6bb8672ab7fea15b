//! Classes of characters: of bytes for scanning, of characters for checking names.

use std::sync::LazyLock;

use memchr::memmem::Finder;
use wide::u8x16;

use super::name_ranges::{OTHERS, STARTS};
use super::words::{forbidden_controls, BLOCK};

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

/// The first character of checked UTF-8 that XML forbids: a control character, U+FFFE or U+FFFF.
pub(super) fn first_forbidden(bytes: &[u8]) -> Option<usize> {
    const STRETCH: usize = 4096;
    let mut start = 0;
    while start < bytes.len() {
        let end = bytes.len().min(start + STRETCH);
        let found = match survey(&bytes[start..end]) {
            Survey { has_controls: false, has_high: false } => None,
            // A character may reach into the next stretch.
            survey => first_in_stretch(&bytes[start..bytes.len().min(end + 2)], survey),
        };
        if found.is_some() {
            return found.map(|at| start + at);
        }
        start = end;
    }
    None
}

pub(super) struct Survey {
    /// Control characters that XML forbids.
    pub has_controls: bool,
    /// Bytes of other than ASCII characters.
    pub has_high: bool,
}

pub(super) fn survey(stretch: &[u8]) -> Survey {
    let (blocks, rest) = stretch.as_chunks();
    let (mut controls, mut all) = (u8x16::ZERO, u8x16::ZERO);
    for block in blocks {
        let block = u8x16::from(*block);
        controls |= forbidden_controls(block);
        all |= block;
    }
    // The end comes last, when memory is near, and some of it is looked at twice: to copy the rest would take longer.
    let last = u8x16::from(stretch.last_chunk().copied().unwrap_or_else(|| {
        let mut padded = [b' '; BLOCK];
        padded[..rest.len()].copy_from_slice(rest);
        padded
    }));
    controls |= forbidden_controls(last);
    all |= last;
    Survey { has_controls: controls.to_bitmask() != 0, has_high: all.to_bitmask() != 0 }
}

fn first_in_stretch(stretch: &[u8], survey: Survey) -> Option<usize> {
    let is_forbidden = |byte: &u8| *byte < b' ' && !matches!(byte, b'\t' | b'\n' | b'\r');
    let control = if survey.has_controls { stretch.iter().position(is_forbidden) } else { None };
    let before = &stretch[..control.unwrap_or(stretch.len())];
    let noncharacter = if survey.has_high { first_noncharacter(before) } else { None };
    noncharacter.or(control)
}

pub(super) fn first_noncharacter(bytes: &[u8]) -> Option<usize> {
    /// How U+FFFE and U+FFFF begin, and few others.
    static BEGINNING: LazyLock<Finder<'_>> = LazyLock::new(|| Finder::new(b"\xef\xbf"));
    BEGINNING.find_iter(bytes).find(|&at| bytes.get(at + 2).is_some_and(|&last| last >= 0xbe))
}
