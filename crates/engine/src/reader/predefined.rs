//! References to the entities that need no declaration. Text that was escaped is full of them.

use super::at_once::at_once;
use super::occurrences::Occurrences;

/// Bytes that are looked at together.
const STRIDE: usize = 64;
/// `lt;` and `gt;` behind the last of them.
const BEHIND: usize = 3;

at_once!(pub(super) fn first_other(bytes: &[u8], start: usize, end: usize) -> Option<usize> = first_other_of_all);

/// The first reference that begins at these places and is not such.
#[inline(always)]
fn first_other_of_all(bytes: &[u8], start: usize, end: usize) -> Option<usize> {
    let mut at = start;
    while at + STRIDE <= end {
        let Some(stride) = bytes[at..].first_chunk() else { break };
        if has_others(stride) {
            let other = first_other_of_few(bytes, at, at + STRIDE);
            if other.is_some() {
                return other;
            }
        }
        at += STRIDE;
    }
    // What is left, with some of what was looked at already, if that makes as many.
    let last = end.checked_sub(STRIDE).filter(|&last| last >= start);
    match last.and_then(|last| bytes[last..].first_chunk()) {
        Some(stride) if !has_others(stride) => None,
        _ => first_other_of_few(bytes, at, end),
    }
}

/// Whether some begin that are neither `&lt;` nor `&gt;`, as most are.
#[inline(always)]
fn has_others(stride: &[u8; STRIDE + BEHIND]) -> bool {
    let mut others = [false; STRIDE];
    for (place, other) in others.iter_mut().enumerate() {
        let is_tag = (stride[place + 1] == b'l') | (stride[place + 1] == b'g');
        let is_common = is_tag & (stride[place + 2] == b't') & (stride[place + 3] == b';');
        *other = (stride[place] == b'&') & !is_common;
    }
    others != [false; STRIDE]
}

/// The same, looked at one after the other.
#[inline(always)]
fn first_other_of_few(bytes: &[u8], start: usize, end: usize) -> Option<usize> {
    Occurrences::of(b'&', bytes, start..end).find(|&at| predefined_reference(bytes, at).is_none())
}

/// The eight bytes from `at`, if there are so many.
#[inline(always)]
fn word(bytes: &[u8], at: usize) -> Option<u64> {
    bytes.get(at..)?.first_chunk().map(|chunk| u64::from_le_bytes(*chunk))
}

/// A predefined entity's reference as the beginning of eight bytes.
#[derive(Clone, Copy)]
struct Spelled {
    word: u64,
    mask: u64,
    length: usize,
}

/// The references by what tells them apart: which of them comes next is hard to foresee, so that to try one after the other
/// would cost a mispredicted branch each.
static PREDEFINED: [Spelled; 16] = {
    let mut table = [Spelled { word: 1, mask: 0, length: 0 }; 16];
    let all: [&[u8]; 5] = [b"&lt;", b"&gt;", b"&amp;", b"&quot;", b"&apos;"];
    let mut next = 0;
    while next < all.len() {
        let (text, mut word) = (all[next], 0);
        let mut at = text.len();
        while at > 0 {
            at -= 1;
            word = word << 8 | text[at] as u64;
        }
        assert!(table[which(word)].length == 0);
        table[which(word)] = Spelled { word, mask: u64::MAX >> (64 - 8 * text.len()), length: text.len() };
        next += 1;
    }
    table
};

#[inline(always)]
const fn which(word: u64) -> usize {
    (word >> 8 ^ word >> 16) as usize % 16
}

/// Bytes of the predefined entity's reference at `at`, if it is one and the text does not end right behind it.
#[inline(always)]
pub(super) fn predefined_reference(bytes: &[u8], at: usize) -> Option<usize> {
    let found = word(bytes, at)?;
    let Spelled { word, mask, length } = PREDEFINED[which(found)];
    (found & mask == word).then_some(length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_told_wherever_they_stand() {
        let others = ["&a;", "&lt", "&Gt;", "&#60;", "&amp", "&&lt;", "&ampl;"];
        for before in 0..80 {
            for reference in ["&lt;", "&gt;", "&amp;", "&quot;", "&apos;", "&lt;&gt;&amp;&lt;"].iter().chain(&others) {
                let text = format!("{}{reference}{}</a>     ", "-".repeat(before), "&gt;.".repeat(before % 7));
                let end = text.len() - "</a>     ".len();
                let other = others.contains(reference).then_some(before);
                assert_eq!(first_other(text.as_bytes(), 0, end), other, "{text}");
                assert_eq!(first_other(text.as_bytes(), 0, before), None);
            }
        }
    }
}
