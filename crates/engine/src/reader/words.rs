//! Eight bytes at a time, in plain integers: names and texts are short, and a byte-wise loop over them costs a
//! mispredicted branch at each end.

const ONES: u64 = 0x0101_0101_0101_0101;
const HIGHS: u64 = 0x8080_8080_8080_8080;

/// The eight bytes from `at`, if there are so many.
#[inline(always)]
pub(super) fn word(bytes: &[u8], at: usize) -> Option<u64> {
    bytes.get(at..)?.first_chunk().map(|chunk| u64::from_le_bytes(*chunk))
}

/// High bits whose lowest marks the first byte equal to `byte`; bits above the lowest mean nothing.
#[inline(always)]
fn equal(word: u64, byte: u8) -> u64 {
    let difference = word ^ (ONES * byte as u64);
    difference.wrapping_sub(ONES) & !difference & HIGHS
}

/// The same for the first byte that is at most `byte` (which is less than 0x7f).
#[inline(always)]
fn at_most(word: u64, byte: u8) -> u64 {
    word.wrapping_sub(ONES * (byte as u64 + 1)) & !word & HIGHS
}

#[inline(always)]
fn first(marks: u64) -> usize {
    (marks.trailing_zeros() / 8) as usize
}

/// Where the name that starts at `from` ends: at white space, `/`, `>` or `=`. What lies between is checked when
/// the name is looked up.
#[inline(always)]
pub(super) fn delimiter(bytes: &[u8], from: usize) -> usize {
    let mut at = from;
    while let Some(word) = word(bytes, at) {
        let marks = at_most(word, b' ') | equal(word, b'/') | equal(word, b'>') | equal(word, b'=');
        if marks != 0 {
            return at + first(marks);
        }
        at += 8;
    }
    let is_delimiter = |byte: &u8| *byte <= b' ' || matches!(byte, b'/' | b'>' | b'=');
    bytes[at..].iter().position(is_delimiter).map_or(bytes.len(), |length| at + length)
}

/// The first `byte` among the next 16; `None` if there is none or there are fewer bytes.
#[inline(always)]
pub(super) fn find_near(bytes: &[u8], from: usize, byte: u8) -> Option<usize> {
    let chunk: &[u8; 16] = bytes.get(from..)?.first_chunk()?;
    let (low, high) = (chunk.first_chunk()?, chunk.last_chunk()?);
    let marks = equal(u64::from_le_bytes(*low), byte);
    if marks != 0 {
        return Some(from + first(marks));
    }
    let marks = equal(u64::from_le_bytes(*high), byte);
    (marks != 0).then(|| from + 8 + first(marks))
}

/// The next `byte`: what lies between is often shorter than a call to memchr is worth.
#[inline(always)]
pub(super) fn find(bytes: &[u8], from: usize, byte: u8) -> Option<usize> {
    match find_near(bytes, from, byte) {
        None => memchr::memchr(byte, &bytes[from..]).map(|length| from + length),
        found => found,
    }
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
