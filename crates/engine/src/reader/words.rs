//! Searches in the short stretches that markup consists of, where a loop over bytes would cost a mispredicted branch at
//! each end and a call to memchr more than it finds.

use wide::u8x16;

use crate::names::Key;

pub(super) const BLOCK: usize = 16;

/// The sixteen bytes from `at`, if there are so many.
#[inline(always)]
fn block(bytes: &[u8], at: usize) -> Option<u8x16> {
    bytes.get(at..)?.first_chunk().map(|chunk: &[u8; BLOCK]| u8x16::from(*chunk))
}

#[inline(always)]
pub(super) fn equal(block: u8x16, byte: u8) -> u8x16 {
    block.simd_eq(u8x16::splat(byte))
}

#[inline(always)]
fn at_most(block: u8x16, byte: u8) -> u8x16 {
    block.simd_le(u8x16::splat(byte))
}

/// The first byte that is marked.
#[inline(always)]
fn first(marks: u8x16) -> Option<usize> {
    let bits = marks.to_bitmask();
    (bits != 0).then_some(bits.trailing_zeros() as usize % BLOCK)
}

/// White space, `/` and `>`.
#[inline(always)]
fn tag_delimiters(block: u8x16) -> u8x16 {
    at_most(block, b' ') | equal(block, b'/') | equal(block, b'>')
}

/// The same and `=`.
#[inline(always)]
fn delimiters(block: u8x16) -> u8x16 {
    tag_delimiters(block) | equal(block, b'=')
}

/// What ends an attribute's value, or needs a look: a `quote`, `<`, `&`, white space other than a space.
#[inline(always)]
fn value_stops(block: u8x16, quote: u8) -> u8x16 {
    equal(block, quote) | equal(block, b'<') | equal(block, b'&') | at_most(block, b' ' - 1)
}

/// Where the name of the tag that starts at `from` ends, if that is near: in one of the next two blocks; and its key. What
/// lies between is checked when the name is looked up.
#[inline(always)]
pub(super) fn near_name(bytes: &[u8], from: usize) -> Option<(usize, Key)> {
    let head: &[u8; BLOCK] = bytes.get(from..)?.first_chunk()?;
    match first(tag_delimiters(u8x16::from(*head))) {
        Some(length) => Some((from + length, Key::within(head, length))),
        None => far_name(bytes, from, tag_delimiters),
    }
}

/// The name of an attribute, in the same manner, and where the value ends, if nothing in that needs a look.
#[inline(always)]
pub(super) fn near_attribute(bytes: &[u8], from: usize) -> Option<(usize, Key, usize)> {
    let head: &[u8; BLOCK] = bytes.get(from..)?.first_chunk()?;
    let block = u8x16::from(*head);
    let (equals, key) = match first(equal(block, b'=')) {
        Some(length) => {
            let key = Key::within(head, length);
            // Most are short: the same block tells all.
            let value = length + 2;
            let quotes = equal(block, b'"').to_bitmask();
            let stops = value_stops(block, b'"').to_bitmask() >> value;
            if stops != 0 {
                let end = value + stops.trailing_zeros() as usize;
                if quotes >> (value - 1) & quotes >> end & 1 == 1 {
                    return Some((from + length, key, from + end));
                }
            }
            (from + length, key)
        }
        None => far_name(bytes, from, |block| equal(block, b'='))?,
    };
    // Apart, so that the search need not wait for the quote.
    let end = match bytes.get(equals + 1) {
        Some(b'"') => value_end(bytes, equals + 2, b'"'),
        Some(b'\'') => value_end(bytes, equals + 2, b'\''),
        _ => None,
    };
    Some((equals, key, end?))
}

/// The name at `from`, of which the first block has no end but the second may.
#[inline(always)]
fn far_name(bytes: &[u8], from: usize, ends: impl Fn(u8x16) -> u8x16) -> Option<(usize, Key)> {
    let end = from + BLOCK + first(ends(block(bytes, from + BLOCK)?))?;
    Some((end, Key::of(bytes, from, end)))
}

/// The first of the next bytes that is marked: what lies between is often shorter than a call to memchr, `far`, is worth.
#[inline(always)]
fn soon(
    bytes: &[u8],
    from: usize,
    marks: impl Fn(u8x16) -> u8x16,
    far: impl Fn(&[u8]) -> Option<usize>,
) -> Option<usize> {
    const SHORT: usize = 4 * BLOCK;
    let rest = bytes.get(from..)?;
    let mut at = 0;
    if let Some(near) = rest.first_chunk::<SHORT>() {
        for block in near.as_chunks::<BLOCK>().0 {
            if let Some(length) = first(marks(u8x16::from(*block))) {
                return Some(from + at + length);
            }
            at += BLOCK;
        }
    }
    far(&rest[at..]).map(|length| from + at + length)
}

/// The next `byte`.
#[inline(always)]
pub(super) fn find(bytes: &[u8], from: usize, byte: u8) -> Option<usize> {
    soon(bytes, from, |block| equal(block, byte), |rest| memchr::memchr(byte, rest))
}

/// The next byte that is no plain text: markup, a reference, a carriage return.
#[inline(always)]
pub(crate) fn plain_end(bytes: &[u8], from: usize) -> Option<usize> {
    let marks = |block| equal(block, b'<') | equal(block, b'&') | equal(block, b'\r');
    soon(bytes, from, marks, |rest| memchr::memchr3(b'<', b'&', b'\r', rest))
}

/// Where the name that starts at `from` ends, however far that is.
pub(super) fn delimiter(bytes: &[u8], from: usize) -> usize {
    let is_delimiter = |byte: &u8| *byte <= b' ' || matches!(byte, b'/' | b'>' | b'=');
    let mut at = from;
    while let Some(block) = block(bytes, at) {
        if let Some(length) = first(delimiters(block)) {
            return at + length;
        }
        at += BLOCK;
    }
    bytes[at..].iter().position(is_delimiter).map_or(bytes.len(), |length| at + length)
}

/// The next byte of an attribute's value that is a `quote` or needs a look: `<`, `&`, white space other than a space.
#[inline(always)]
pub(super) fn value_stop(bytes: &[u8], from: usize, quote: u8) -> usize {
    let mut at = from;
    while let Some(block) = block(bytes, at) {
        if let Some(length) = first(value_stops(block, quote)) {
            return at + length;
        }
        at += BLOCK;
    }
    let is_stop = |byte: &u8| *byte < b' ' || *byte == quote || matches!(byte, b'<' | b'&');
    bytes[at..].iter().position(is_stop).map_or(bytes.len(), |length| at + length)
}

/// The `quote` that ends an attribute's value, if nothing in that needs a look.
#[inline(always)]
fn value_end(bytes: &[u8], from: usize, quote: u8) -> Option<usize> {
    let end = value_stop(bytes, from, quote);
    (bytes.get(end) == Some(&quote)).then_some(end)
}
