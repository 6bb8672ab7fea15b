//! Searches in the short stretches that markup consists of, where a loop over bytes would cost a mispredicted branch at
//! each end and a call to memchr more than it finds.

use wide::u8x16;

pub(super) const BLOCK: usize = 16;

/// The sixteen bytes from `at`, if there are so many.
#[inline(always)]
fn block(bytes: &[u8], at: usize) -> Option<u8x16> {
    bytes.get(at..)?.first_chunk().map(|chunk: &[u8; BLOCK]| u8x16::from(*chunk))
}

#[inline(always)]
fn equal(block: u8x16, byte: u8) -> u8x16 {
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
    (bits != 0).then_some(bits.trailing_zeros() as usize)
}

/// The eight bytes from `at`, if there are so many.
#[inline(always)]
fn word(bytes: &[u8], at: usize) -> Option<u64> {
    bytes.get(at..)?.first_chunk().map(|chunk| u64::from_le_bytes(*chunk))
}

/// Control characters other than white space.
#[inline(always)]
pub(super) fn forbidden_controls(block: u8x16) -> u8x16 {
    let space = equal(block, b'\t') | equal(block, b'\n') | equal(block, b'\r');
    at_most(block, b' ' - 1) & !space
}

/// White space, `/`, `>` and `=`.
#[inline(always)]
fn delimiters(block: u8x16) -> u8x16 {
    at_most(block, b' ') | equal(block, b'/') | equal(block, b'>') | equal(block, b'=')
}

/// The first of the next bytes that is marked, if it is near: in one of the two blocks from `from` on.
#[inline(always)]
fn near(bytes: &[u8], from: usize, marks: impl Fn(u8x16) -> u8x16) -> Option<usize> {
    match first(marks(block(bytes, from)?)) {
        Some(length) => Some(from + length),
        None => first(marks(block(bytes, from + BLOCK)?)).map(|length| from + BLOCK + length),
    }
}

/// Where the name that starts at `from` ends, if that is near. What lies between is checked when the name is looked up.
#[inline(always)]
pub(super) fn near_delimiter(bytes: &[u8], from: usize) -> Option<usize> {
    near(bytes, from, delimiters)
}

/// The next `byte`, if it is near.
#[inline(always)]
pub(super) fn find_near(bytes: &[u8], from: usize, byte: u8) -> Option<usize> {
    near(bytes, from, |block| equal(block, byte))
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
    let mut at = from;
    while let Some(block) = block(bytes, at).filter(|_| at < from + SHORT) {
        if let Some(length) = first(marks(block)) {
            return Some(at + length);
        }
        at += BLOCK;
    }
    far(&bytes[at..]).map(|length| at + length)
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
    let far = || bytes[from..].iter().position(is_delimiter).map_or(bytes.len(), |length| from + length);
    near_delimiter(bytes, from).unwrap_or_else(far)
}

/// The next byte of an attribute's value that is a `quote` or needs a look: `<`, `&`, white space other than a space.
#[inline(always)]
pub(super) fn value_stop(bytes: &[u8], from: usize, quote: u8) -> usize {
    let mut at = from;
    while let Some(block) = block(bytes, at) {
        let marks = equal(block, quote) | equal(block, b'<') | equal(block, b'&') | at_most(block, b' ' - 1);
        if let Some(length) = first(marks) {
            return at + length;
        }
        at += BLOCK;
    }
    let is_stop = |byte: &u8| *byte < b' ' || *byte == quote || matches!(byte, b'<' | b'&');
    bytes[at..].iter().position(is_stop).map_or(bytes.len(), |length| at + length)
}

/// Bytes of the predefined entity's reference at `at`, if it is one and the text does not end right behind it.
#[inline(always)]
pub(super) fn predefined_reference(bytes: &[u8], at: usize) -> Option<usize> {
    const fn spelled(text: &[u8]) -> u64 {
        let (mut word, mut at) = (0, 0);
        while at < text.len() {
            word |= (text[at] as u64) << (8 * at);
            at += 1;
        }
        word
    }
    const LT: u64 = spelled(b"&lt;");
    const GT: u64 = spelled(b"&gt;");
    const AMP: u64 = spelled(b"&amp;");
    const QUOT: u64 = spelled(b"&quot;");
    const APOS: u64 = spelled(b"&apos;");
    let word = word(bytes, at)?;
    let first = |length: u32| word & (u64::MAX >> (64 - 8 * length));
    if first(4) == LT || first(4) == GT {
        Some(4)
    } else if first(5) == AMP {
        Some(5)
    } else if first(6) == QUOT || first(6) == APOS {
        Some(6)
    } else {
        None
    }
}
