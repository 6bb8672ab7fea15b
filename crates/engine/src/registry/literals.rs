//! The literals of a query, cut out of its text: what is left is its shape.
//!
//! Knows just enough of the language to find literals, and gives up on what it does not know: that only costs time.

use crate::index::Constant;
use crate::sharing::{number_mark, text_mark};

/// Longer queries are left to the parser, which may refuse them.
const LONGEST: usize = 4096;

#[derive(Debug, PartialEq)]
pub struct Cut {
    /// The text with a mark for each literal.
    pub shape: String,
    pub literals: Vec<Constant>,
}

/// Marks that stand for literals; no query has these characters.
const TEXT: char = '\u{1}';
const NUMBER: char = '\u{2}';

pub fn cut(query: &str) -> Option<Cut> {
    if query.len() > LONGEST || !is_plain(query) {
        return None;
    }
    let bytes = query.as_bytes();
    let mut cut = Cut { shape: String::with_capacity(query.len()), literals: Vec::new() };
    let mut copied = 0;
    let mut at = 0;
    while at < bytes.len() {
        let end = match bytes[at] {
            quote @ (b'\'' | b'"') => {
                let length = memchr::memchr(quote, &bytes[at + 1..])?;
                let end = at + 1 + length + 1;
                // A doubled quote stands for itself within a literal.
                if length == 0 || bytes.get(end) == Some(&quote) {
                    return None;
                }
                cut.shape.push_str(&query[copied..at]);
                cut.shape.push(TEXT);
                cut.literals.push(Constant::Text(bytes[at + 1..end - 1].into()));
                copied = end;
                end
            }
            b'0'..=b'9' => {
                let end = at + bytes[at..].iter().take_while(|byte| byte.is_ascii_digit() || **byte == b'.').count();
                if is_position(bytes, at, end) {
                    at = end;
                    continue;
                }
                cut.shape.push_str(&query[copied..at]);
                cut.shape.push(NUMBER);
                cut.literals.push(Constant::Number(query[at..end].parse().ok()?));
                copied = end;
                // What follows a number at once belongs to it in ways that are not looked into here.
                if bytes.get(end).is_some_and(|&byte| is_name_byte(byte)) {
                    return None;
                }
                end
            }
            byte if is_name_byte(byte) => at + bytes[at..].iter().take_while(|byte| is_name_byte(**byte)).count(),
            _ => at + 1,
        };
        at = end;
    }
    cut.shape.push_str(&query[copied..]);
    Some(cut)
}

/// Whether a number stands alone between brackets: it is a position, and few different ones are asked for.
fn is_position(bytes: &[u8], start: usize, end: usize) -> bool {
    bytes[..start].trim_ascii_end().ends_with(b"[") && bytes[end..].trim_ascii_start().starts_with(b"]")
}

/// Whether a text has none of the characters that XML has not, nor some others that are looked into elsewhere.
pub fn is_plain(text: &str) -> bool {
    text.chars().all(|c| (c >= ' ' || matches!(c, '\t' | '\n' | '\r')) && !matches!(c, '\u{fffe}' | '\u{ffff}'))
}

fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b':') || byte >= 0x80
}

/// A query of the same shape with literals that no query has, and these literals.
pub fn probe(shape: &str) -> (String, Vec<Constant>) {
    let mut query = String::with_capacity(shape.len() + 16);
    let mut literals = Vec::new();
    for character in shape.chars() {
        let number = literals.len();
        match character {
            TEXT => {
                let text = text_mark(number);
                query.push_str(&format!("'{text}'"));
                literals.push(Constant::Text(text.into_bytes().into()));
            }
            NUMBER => {
                let mark = number_mark(number);
                query.push_str(&mark.to_string());
                literals.push(Constant::Number(mark));
            }
            other => query.push(other),
        }
    }
    (query, literals)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Constant {
        Constant::Text(text.as_bytes().into())
    }

    #[test]
    fn literals_are_cut_out() {
        let found = cut("//h1[@id-2 = 'a' and b:c3 > 4.5]/x").map(|cut| (cut.shape, cut.literals));
        let shape = "//h1[@id-2 = \u{1} and b:c3 > \u{2}]/x".to_owned();
        assert_eq!(found, Some((shape, vec![text("a"), Constant::Number(4.5)])));
    }

    #[test]
    fn positions_are_part_of_the_shape() {
        let found = cut("//a[ 2 ]/b[. = 3]").map(|cut| (cut.shape, cut.literals));
        assert_eq!(found, Some(("//a[ 2 ]/b[. = \u{2}]".to_owned(), vec![Constant::Number(3.0)])));
    }

    #[test]
    fn what_is_not_known_is_left_alone() {
        for query in ["//a[. = 'x", "//a[. = '']", "//a[. = 'it''s']", "//a[. = \"\u{7}\"]", "//a[1and 2]"] {
            assert_eq!(cut(query), None, "{query}");
        }
    }

    #[test]
    fn a_probe_has_the_same_shape() {
        let shape = "//a[. = \u{1} or . > \u{2}]";
        let (query, literals) = probe(shape);
        assert_eq!(cut(&query), Some(Cut { shape: shape.to_owned(), literals }));
    }
}
