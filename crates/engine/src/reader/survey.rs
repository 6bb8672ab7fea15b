//! Whether all characters of a document may be in one.

use std::sync::LazyLock;

use memchr::memmem::Finder;

use super::at_once::at_once;

/// Bytes that are looked at together.
const STRIDE: usize = 64;

/// What there is among some bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Survey {
    /// Control characters that XML forbids.
    pub has_controls: bool,
    /// Bytes of other than ASCII characters.
    pub has_high: bool,
    /// CR or `]`, which make text more than plain.
    pub has_rare: bool,
    /// How U+FFFE and U+FFFF begin, which XML forbids too.
    may_have_noncharacters: bool,
}

/// Whether UTF-8 that was surveyed has no character that XML forbids.
pub(super) fn is_free_of_noncharacters(checked: &[u8], survey: Survey) -> bool {
    !survey.may_have_noncharacters || first_noncharacter(checked).is_none()
}

/// The first character of checked UTF-8 that XML forbids: a control character, U+FFFE or U+FFFF.
pub(super) fn first_forbidden(bytes: &[u8]) -> Option<usize> {
    const STRETCH: usize = 4096;
    let mut start = 0;
    while start < bytes.len() {
        let end = bytes.len().min(start + STRETCH);
        let survey = survey(&bytes[start..end]);
        if survey.has_controls || survey.may_have_noncharacters {
            // A character may reach into the next stretch.
            let found = first_in_stretch(&bytes[start..bytes.len().min(end + 2)]);
            if found.is_some() {
                return found.map(|at| start + at);
            }
        }
        start = end;
    }
    None
}

fn first_in_stretch(stretch: &[u8]) -> Option<usize> {
    let control = stretch.iter().position(|&byte| is_forbidden(byte));
    first_noncharacter(&stretch[..control.unwrap_or(stretch.len())]).or(control)
}

fn first_noncharacter(bytes: &[u8]) -> Option<usize> {
    /// How U+FFFE and U+FFFF begin, and few others.
    static BEGINNING: LazyLock<Finder<'_>> = LazyLock::new(|| Finder::new(b"\xef\xbf"));
    BEGINNING.find_iter(bytes).find(|&at| bytes.get(at + 2).is_some_and(|&last| last >= 0xbe))
}

#[inline(always)]
fn is_forbidden(byte: u8) -> bool {
    (byte < b' ') & (byte != b'\t') & (byte != b'\n') & (byte != b'\r')
}

/// Where the first bytes end that are surely ASCII.
pub(super) fn ascii_end(bytes: &[u8]) -> usize {
    let (strides, _) = bytes.as_chunks::<STRIDE>();
    STRIDE * strides.iter().take_while(|stride| stride.is_ascii()).count()
}

at_once!(pub(super) fn survey(bytes: &[u8]) -> Survey = survey_all);

#[inline(always)]
fn survey_all(bytes: &[u8]) -> Survey {
    let (strides, rest) = bytes.as_chunks::<STRIDE>();
    let mut seen = Seen { controls: [0; STRIDE], all: [0; STRIDE], rare: [0; STRIDE], beginnings: [0; STRIDE] };
    strides.iter().for_each(|stride| seen.look(stride));
    // The end comes last, when memory is near, and some of it is looked at twice: to copy the rest would take longer.
    seen.look(&bytes.last_chunk().copied().unwrap_or_else(|| {
        let mut padded = [b' '; STRIDE];
        padded[..rest.len()].copy_from_slice(rest);
        padded
    }));
    Survey {
        has_controls: seen.controls.iter().any(|&byte| byte != 0),
        has_high: seen.all.iter().any(|byte| !byte.is_ascii()),
        has_rare: seen.rare.iter().any(|&byte| byte != 0),
        may_have_noncharacters: seen.beginnings.iter().any(|&byte| byte != 0),
    }
}

struct Seen {
    controls: [u8; STRIDE],
    all: [u8; STRIDE],
    rare: [u8; STRIDE],
    beginnings: [u8; STRIDE],
}

impl Seen {
    #[inline(always)]
    fn look(&mut self, stride: &[u8; STRIDE]) {
        let mark = |is_marked: bool| if is_marked { u8::MAX } else { 0 };
        for (place, &byte) in stride.iter().enumerate() {
            self.controls[place] |= mark(is_forbidden(byte));
            self.all[place] |= byte;
            self.rare[place] |= mark((byte == b'\r') | (byte == b']'));
            self.beginnings[place] |= mark(byte == 0xef);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_is_seen_wherever_it_stands() {
        for length in 1..100 {
            for at in 0..length {
                for byte in 0..=u8::MAX {
                    let mut bytes = vec![b'a'; length];
                    bytes[at] = byte;
                    let wanted = Survey {
                        has_controls: byte < b' ' && !b"\t\n\r".contains(&byte),
                        has_high: byte >= 0x80,
                        has_rare: b"\r]".contains(&byte),
                        may_have_noncharacters: byte == 0xef,
                    };
                    assert_eq!((survey(&bytes), survey_all(&bytes)), (wanted, wanted), "{byte} at {at} of {length}");
                }
            }
        }
    }

    #[test]
    fn forbidden_characters_are_found_across_stretches() {
        for at in 4090..4100 {
            for bad in ["\u{1}", "\u{fffe}", "\u{ffff}"] {
                let text = format!("{}{bad}\u{fffd}", "a".repeat(at));
                assert_eq!(first_forbidden(text.as_bytes()), Some(at));
                assert_eq!(first_forbidden(text.replace(bad, "\u{ff5e}").as_bytes()), None);
            }
        }
    }
}
