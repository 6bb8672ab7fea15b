//! From bytes as written to the text they mean. The bytes were checked by the reader.

use std::borrow::Cow;

use memchr::{memchr, memchr2};

use super::references::{read_reference, Reference};
use crate::events::TextKind;

/// The characters of a piece of text: references replaced, line ends normalised.
pub fn decode_text(raw: &[u8], kind: TextKind) -> Cow<'_, str> {
    match kind {
        TextKind::Plain => as_text(raw),
        TextKind::Escaped => replace(raw, memchr2(b'&', b'\r', raw), |rest| memchr2(b'&', b'\r', rest), '\n'),
        TextKind::Cdata => replace(raw, memchr(b'\r', raw), |rest| memchr(b'\r', rest), '\n'),
    }
}

/// Appends the characters of a piece of text, or of its beginning if that alone has more than `limit` bytes.
pub fn decode_beginning(raw: &[u8], kind: TextKind, limit: usize, out: &mut Vec<u8>) {
    if kind == TextKind::Plain {
        out.extend_from_slice(&raw[..raw.len().min(limit.saturating_add(1))]);
        return;
    }
    let end = out.len().saturating_add(limit).saturating_add(1);
    let mut at = 0;
    while at < raw.len() && out.len() < end {
        // No more is searched than may be taken, to the end of a character.
        let most = at.saturating_add(end - out.len());
        let most = (most..raw.len()).find(|&most| raw[most] & 0xc0 != 0x80).unwrap_or(raw.len());
        let length = match kind {
            TextKind::Escaped => memchr2(b'&', b'\r', &raw[at..most]),
            _ => memchr(b'\r', &raw[at..most]),
        };
        let special = length.map_or(most, |length| at + length);
        out.extend_from_slice(&raw[at..special]);
        at = special;
        if length.is_some() {
            at = push_special(raw, at, '\n', out);
        }
    }
}

/// Appends what a reference or a line end at `at` stands for; where it ends.
fn push_special(raw: &[u8], at: usize, space: char, out: &mut Vec<u8>) -> usize {
    let (character, end) = match raw[at] {
        b'&' => match read_reference(raw, at) {
            Ok(Some((Reference::Character(character), end))) => (character, end),
            // The reader lets no other reference through.
            _ => ('&', at + 1),
        },
        b'\r' => (space, at + 1 + usize::from(raw.get(at + 1) == Some(&b'\n'))),
        _ => (space, at + 1),
    };
    out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
    end
}

/// The normalised value of an attribute: references replaced, each white space character a space, and with
/// `tokenised` no spaces at the ends and single ones between.
pub fn attribute_value(raw: &[u8], escaped: bool, tokenised: bool) -> Cow<'_, str> {
    let needs_work = |rest: &[u8]| rest.iter().position(|byte| matches!(byte, b'&' | b'\r' | b'\n' | b'\t'));
    let value = if escaped { replace(raw, needs_work(raw), needs_work, ' ') } else { as_text(raw) };
    if tokenised {
        collapse(value)
    } else {
        value
    }
}

/// Copies `raw`, with a look at each place that `next` finds: a reference, or a line end or tab that becomes
/// `space`.
fn replace(raw: &[u8], first: Option<usize>, next: impl Fn(&[u8]) -> Option<usize>, space: char) -> Cow<'_, str> {
    let Some(first) = first else { return as_text(raw) };
    let mut text = Vec::with_capacity(raw.len());
    let mut copied = 0;
    let mut found = Some(first);
    while let Some(at) = found {
        text.extend_from_slice(&raw[copied..at]);
        copied = push_special(raw, at, space, &mut text);
        found = next(&raw[copied..]).map(|length| copied + length);
    }
    text.extend_from_slice(&raw[copied..]);
    // The bytes were checked by the reader: so this is text.
    Cow::Owned(String::from_utf8(text).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()))
}

fn collapse(value: Cow<'_, str>) -> Cow<'_, str> {
    let clean = !value.starts_with(' ') && !value.ends_with(' ') && !value.contains("  ");
    if clean {
        return value;
    }
    let words: Vec<&str> = value.split(' ').filter(|word| !word.is_empty()).collect();
    Cow::Owned(words.join(" "))
}

pub(super) fn as_text(checked: &[u8]) -> Cow<'_, str> {
    match simdutf8::basic::from_utf8(checked) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => String::from_utf8_lossy(checked),
    }
}

/// Appends `text` so that, between either kind of quotes, it is read back as the same characters.
pub(super) fn push_escaped(out: &mut Vec<u8>, text: &str) {
    for c in text.bytes() {
        match c {
            b'&' => out.extend_from_slice(b"&amp;"),
            b'<' => out.extend_from_slice(b"&lt;"),
            b'>' => out.extend_from_slice(b"&gt;"),
            b'"' => out.extend_from_slice(b"&quot;"),
            b'\'' => out.extend_from_slice(b"&apos;"),
            b'\t' => out.extend_from_slice(b"&#9;"),
            b'\n' => out.extend_from_slice(b"&#10;"),
            b'\r' => out.extend_from_slice(b"&#13;"),
            other => out.push(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn beginning(raw: &str, kind: TextKind, limit: usize) -> String {
        let mut out = Vec::new();
        decode_beginning(raw.as_bytes(), kind, limit, &mut out);
        String::from_utf8_lossy(&out).into_owned()
    }

    #[test]
    fn a_beginning_is_whole_or_longer_than_the_limit() {
        for raw in ["", "a", "a&amp;b", "&#65;&#66;\r\nc", "\u{e9}\u{e9}\r", "&#00000000000000000000000000000065;b"] {
            let whole = decode_text(raw.as_bytes(), TextKind::Escaped).into_owned();
            for limit in 0..40 {
                let part = beginning(raw, TextKind::Escaped, limit);
                assert!(whole.starts_with(&part), "{raw:?} {limit} {part:?}");
                assert!(part == whole || part.len() > limit, "{raw:?} {limit} {part:?}");
            }
        }
    }

    #[test]
    fn nothing_is_cut_in_the_middle() {
        let raw = "&amp;\u{e9}\r\n".repeat(40);
        let whole = decode_text(raw.as_bytes(), TextKind::Escaped).into_owned();
        for limit in 0..30 {
            let part = beginning(&raw, TextKind::Escaped, limit);
            assert!(whole.starts_with(&part) && part.len() > limit && part.len() < whole.len(), "{limit} {part:?}");
        }
    }
}
