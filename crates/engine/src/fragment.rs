//! Fragments: pieces of the source made to stand alone.

use std::borrow::Cow;

use memchr::memmem;

use crate::events::TextKind;
use crate::names::{Names, NsId};
use crate::reader::decode_text;

/// Writes into `out` the element whose source is `raw` (`<p:a ...>...</p:a>`), with the namespace declarations
/// in scope at it (`namespaces` of the element itself) that it uses and does not make itself.
///
/// A prefix counts as used wherever something looks like a prefixed name, also in text and attribute values.
/// A declaration too many is harmless, one too few is not.
pub fn standalone(raw: &[u8], namespaces: NsId, names: &Names, out: &mut String) {
    within(raw, namespaces, names, |_| None, out);
}

/// Namespaces in scope, for fragments that are made to stand alone when someone asks for them.
#[derive(Debug)]
pub struct Scope(Box<[(Box<str>, Box<str>)]>);

impl Scope {
    pub fn of(namespaces: NsId, names: &Names) -> Scope {
        Scope(names.in_scope(namespaces).map(|(prefix, uri)| (prefix.into(), uri.into())).collect())
    }

    /// As [`standalone`].
    pub fn standalone(&self, raw: &[u8], out: &mut String) {
        let bindings: Vec<_> = self.0.iter().map(|(prefix, uri)| (&**prefix, &**uri)).collect();
        declared(raw, &bindings, |_| None, out);
    }
}

/// As [`standalone`], inside another element: `outer` gives the namespace that a prefix has there already.
pub(crate) fn within<'o>(
    raw: &[u8],
    namespaces: NsId,
    names: &Names,
    outer: impl Fn(&str) -> Option<&'o str>,
    out: &mut String,
) {
    declared(raw, &names.in_scope(namespaces).collect::<Vec<_>>(), outer, out);
}

/// The same with the namespaces in scope as (prefix, uri).
fn declared<'o>(raw: &[u8], bindings: &[(&str, &str)], outer: impl Fn(&str) -> Option<&'o str>, out: &mut String) {
    let text = as_text(raw);
    let inherited = bindings.iter().copied().filter(|(prefix, _)| *prefix != "xml");
    // Without a default namespace it must not get the one around it.
    let undeclared = outer("")
        .filter(|uri| !uri.is_empty() && !bindings.iter().any(|(prefix, _)| prefix.is_empty()))
        .map(|_| ("", ""));
    let mut rest = &*text;
    let mut tag = None;
    for (prefix, uri) in inherited.filter(|&(prefix, uri)| outer(prefix) != Some(uri)).chain(undeclared) {
        // Looked at only when there is a namespace at all: most documents have none.
        let root = tag.get_or_insert_with(|| RootTag::of(&text));
        let used = if prefix.is_empty() { uses_default(&text, root) } else { uses_prefix(&text, prefix) };
        if !used || root.declares(prefix) {
            continue;
        }
        if let Some(after_name) = rest.strip_prefix(root.opening) {
            out.push_str(root.opening);
            rest = after_name;
        }
        declare(prefix, uri, out);
    }
    out.push_str(rest);
}

/// The string value of the element whose source is `raw`.
pub fn string_value(raw: &[u8]) -> Cow<'_, [u8]> {
    let Some(start) = end_of_tag(raw, 0) else { return Cow::Borrowed(&[]) };
    let content = &raw[start..memchr::memrchr(b'<', raw).unwrap_or(start).max(start)];
    if memchr::memchr3(b'<', b'&', b'\r', content).is_none() {
        return Cow::Borrowed(content);
    }
    let mut value = Vec::with_capacity(content.len());
    let mut at = 0;
    while at < content.len() {
        let rest = &content[at..];
        let skip_to = |end: &[u8]| memmem::find(rest, end).map_or(content.len(), |place| at + place + end.len());
        at = if let Some(section) = rest.strip_prefix(b"<![CDATA[") {
            let length = memmem::find(section, b"]]>").unwrap_or(section.len());
            value.extend_from_slice(decode_text(&section[..length], TextKind::Cdata).as_bytes());
            skip_to(b"]]>")
        } else if rest.starts_with(b"<!--") {
            skip_to(b"-->")
        } else if rest.starts_with(b"<?") {
            skip_to(b"?>")
        } else if rest.starts_with(b"<") {
            end_of_tag(content, at).unwrap_or(content.len())
        } else {
            let length = memchr::memchr(b'<', rest).unwrap_or(rest.len());
            value.extend_from_slice(decode_text(&rest[..length], TextKind::Escaped).as_bytes());
            at + length
        };
    }
    Cow::Owned(value)
}

/// Where the tag that begins at `start` ends; a `>` in an attribute's value does not end it.
fn end_of_tag(raw: &[u8], start: usize) -> Option<usize> {
    let mut at = start;
    loop {
        at += memchr::memchr3(b'>', b'"', b'\'', raw.get(at..)?)?;
        match raw[at] {
            b'>' => return Some(at + 1),
            quote => at += 2 + memchr::memchr(quote, &raw[at + 1..])?,
        }
    }
}

/// Writes the whole document: its source, without the XML declaration, which names an encoding no longer true.
pub fn document(raw: &[u8], out: &mut String) {
    let text = as_text(raw);
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let is_declaration = text.strip_prefix("<?xml").is_some_and(|rest| rest.starts_with([' ', '\t', '\r', '\n']));
    let body = match text.find("?>") {
        Some(end) if is_declaration => text[end + 2..].trim_start_matches([' ', '\t', '\r', '\n']),
        _ => text,
    };
    out.push_str(body);
}

/// Writes a comment in its XML form.
pub fn comment(text: &str, out: &mut String) {
    out.push_str("<!--");
    out.push_str(text);
    out.push_str("-->");
}

/// Writes a processing instruction in its XML form.
pub fn instruction(target: &str, data: &str, out: &mut String) {
    out.push_str("<?");
    out.push_str(target);
    if !data.is_empty() {
        out.push(' ');
        out.push_str(data);
    }
    out.push_str("?>");
}

/// The source is UTF-8: the reader has checked it.
pub(crate) fn as_text(raw: &[u8]) -> Cow<'_, str> {
    match simdutf8::basic::from_utf8(raw) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => String::from_utf8_lossy(raw),
    }
}

struct RootTag<'t> {
    /// `<` and the name.
    opening: &'t str,
    /// What follows the name, up to the tag's end.
    attributes: &'t str,
}

impl<'t> RootTag<'t> {
    fn of(text: &'t str) -> RootTag<'t> {
        let name_end = text.find(ends_name).unwrap_or(text.len());
        let (opening, rest) = text.split_at(name_end);
        let mut quote = None;
        let end = rest.bytes().position(|byte| match quote {
            Some(open) => {
                if byte == open {
                    quote = None;
                }
                false
            }
            None => {
                if byte == b'"' || byte == b'\'' {
                    quote = Some(byte);
                }
                byte == b'>'
            }
        });
        RootTag { opening, attributes: &rest[..end.unwrap_or(rest.len())] }
    }

    fn is_prefixed(&self) -> bool {
        self.opening.contains(':')
    }

    /// The tag itself binds the prefix. Names are found between the values, never inside one.
    fn declares(&self, prefix: &str) -> bool {
        let mut rest = self.attributes;
        while let Some((name, after)) = rest.split_once('=') {
            let declared = match name.trim_matches(is_space).strip_prefix("xmlns") {
                Some("") => Some(""),
                Some(other) => other.strip_prefix(':'),
                None => None,
            };
            if declared == Some(prefix) {
                return true;
            }
            let value = after.trim_start_matches(is_space);
            let Some(quote) = value.chars().next() else { return false };
            match value[quote.len_utf8()..].split_once(quote) {
                Some((_, next)) => rest = next,
                None => return false,
            }
        }
        false
    }
}

fn is_space(character: char) -> bool {
    matches!(character, ' ' | '\t' | '\r' | '\n')
}

/// Ends the name in a start tag.
fn ends_name(character: char) -> bool {
    is_space(character) || matches!(character, '/' | '>')
}

/// Some name in the text may have the prefix: `prefix:` and something that can go on.
fn uses_prefix(text: &str, prefix: &str) -> bool {
    let bytes = text.as_bytes();
    memmem::find_iter(bytes, prefix.as_bytes()).any(|at| {
        let after = at + prefix.len();
        let begins = at == 0 || !is_name_byte(bytes[at - 1]);
        let goes_on = bytes.get(after + 1).is_some_and(|&byte| is_name_byte(byte) || byte >= 0x80 || byte == b'&');
        begins && bytes.get(after) == Some(&b':') && goes_on
    })
}

fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.')
}

/// Some element has no prefix, or some value may be a name of the kind of `xsi:type`'s.
fn uses_default(text: &str, root: &RootTag<'_>) -> bool {
    !root.is_prefixed() || has_unprefixed_element(text) || memmem::find(text.as_bytes(), b":type").is_some()
}

/// Takes what only looks like a tag, in comments and CDATA sections, for one.
fn has_unprefixed_element(text: &str) -> bool {
    memchr::memchr_iter(b'<', text.as_bytes()).any(|at| {
        let name = &text[at + 1..];
        if name.starts_with(['/', '!', '?']) {
            return false;
        }
        name.chars().take_while(|&next| !ends_name(next)).all(|next| next != ':')
    })
}

/// Writes a namespace declaration as an attribute, with a space before it.
pub(crate) fn declare(prefix: &str, uri: &str, out: &mut String) {
    out.push_str(" xmlns");
    if !prefix.is_empty() {
        out.push(':');
        out.push_str(prefix);
    }
    out.push_str("=\"");
    escape_attribute(uri, out);
    out.push('"');
}

/// Writes the value of an attribute, for double quotes.
pub(crate) fn escape_attribute(value: &str, out: &mut String) {
    escape(value, out, |character| match character {
        '&' => Some("&amp;"),
        '<' => Some("&lt;"),
        '"' => Some("&quot;"),
        '\t' => Some("&#9;"),
        '\n' => Some("&#10;"),
        '\r' => Some("&#13;"),
        _ => None,
    });
}

/// Writes text between tags.
pub(crate) fn escape_text(text: &str, out: &mut String) {
    escape(text, out, |character| match character {
        '&' => Some("&amp;"),
        '<' => Some("&lt;"),
        '>' => Some("&gt;"),
        '\r' => Some("&#13;"),
        _ => None,
    });
}

fn escape(text: &str, out: &mut String, special: impl Fn(char) -> Option<&'static str>) {
    let mut plain = 0;
    for (at, character) in text.char_indices() {
        if let Some(reference) = special(character) {
            out.push_str(&text[plain..at]);
            out.push_str(reference);
            plain = at + character.len_utf8();
        }
    }
    out.push_str(&text[plain..]);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn declared(raw: &str, root: RootTag<'_>, prefix: &str) -> (bool, bool) {
        (root.declares(prefix), if prefix.is_empty() { uses_default(raw, &root) } else { uses_prefix(raw, prefix) })
    }

    #[test]
    fn declarations_on_the_tag_are_seen_and_values_are_not_taken_for_them() {
        let raw = "<a x='xmlns:p=\"u\"' xmlns:q = 'u>' xmlns=\"d\"><p:b/></a>";
        assert_eq!(declared(raw, RootTag::of(raw), "p"), (false, true));
        assert_eq!(declared(raw, RootTag::of(raw), "q"), (true, false));
        assert_eq!(declared(raw, RootTag::of(raw), ""), (true, true));
    }

    #[test]
    fn prefixes_are_found_in_names_and_in_values() {
        assert!(uses_prefix("<a t='p:x'/>", "p"));
        assert!(uses_prefix("<a>p:x</a>", "p"));
        assert!(uses_prefix("<a p:b=''/>", "p"));
        assert!(uses_prefix("<a>\u{bb}p:\u{e4}</a>", "p"));
        assert!(!uses_prefix("<a>http://x up:x p: x</a>", "p"));
    }

    #[test]
    fn the_default_namespace_is_needed_by_unprefixed_names_only() {
        let needs = |raw: &str| uses_default(raw, &RootTag::of(raw));
        assert!(needs("<a/>"));
        assert!(needs("<p:a><b/></p:a>"));
        assert!(!needs("<p:a b='c'><!-- --><p:b/>x</p:a>"));
        assert!(needs("<p:a xsi:type='t'/>"));
    }

    #[test]
    fn comments_instructions_and_documents_have_their_xml_form() {
        let mut out = String::new();
        comment(" c ", &mut out);
        instruction("t", "", &mut out);
        instruction("t", "d d", &mut out);
        document(b"\xef\xbb\xbf<?xml version='1.0' encoding='latin1'?>\n<a/>", &mut out);
        document(b"<?xml-stylesheet x?><a/>", &mut out);
        assert_eq!(out, "<!-- c --><?t?><?t d d?><a/><?xml-stylesheet x?><a/>");
    }
}
