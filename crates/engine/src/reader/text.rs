//! From bytes as written to the text they mean. The bytes were checked by the reader.

use std::borrow::Cow;

use memchr::{memchr, memchr2, memrchr2};

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
    let before = out.len();
    // Most references stand for a byte by five or six.
    let part = &raw[..whole_before(raw, limit.saturating_mul(8).saturating_add(8))];
    out.extend_from_slice(decode_text(part, kind).as_bytes());
    if part.len() < raw.len() && out.len() - before <= limit {
        out.truncate(before);
        out.extend_from_slice(decode_text(raw, kind).as_bytes());
    }
}

/// A place at `most` or before it where no character, reference or line end is cut.
fn whole_before(raw: &[u8], most: usize) -> usize {
    if raw.len() <= most {
        return raw.len();
    }
    let mut place = most;
    while place > 0 && (raw[place] & 0xc0 == 0x80 || raw[place - 1] == b'\r') {
        place -= 1;
    }
    match memrchr2(b'&', b';', &raw[..place]) {
        Some(reference) if raw[reference] == b'&' => reference,
        _ => place,
    }
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
    let mut text = String::with_capacity(raw.len());
    let mut copied = 0;
    let mut found = Some(first);
    while let Some(at) = found {
        text.push_str(&as_text(&raw[copied..at]));
        copied = at + 1;
        match raw[at] {
            b'&' => match read_reference(raw, at) {
                Ok(Some((Reference::Character(c), end))) => {
                    text.push(c);
                    copied = end;
                }
                // The reader lets no other reference through.
                _ => text.push('&'),
            },
            b'\r' => {
                text.push(space);
                copied += usize::from(raw.get(copied) == Some(&b'\n'));
            }
            _ => text.push(space),
        }
        found = next(&raw[copied..]).map(|length| copied + length);
    }
    text.push_str(&as_text(&raw[copied..]));
    Cow::Owned(text)
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
