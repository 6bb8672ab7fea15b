//! Functions that give a string, and those that measure one.

use std::borrow::Cow;

use super::functions::Function;
use super::nodes::{expanded_name, qualified_name};
use super::numbers::{is_space, round};
use super::operation::Operation;
use super::run::{Frame, Run};
use super::EvalError;

/// Going through a text counts as one step for so many bytes.
pub(crate) const BYTES_PER_STEP: u64 = 16;

type Text<'a> = Result<Cow<'a, str>, EvalError>;

impl<'a> Run<'a> {
    pub(super) fn string_call(&self, function: Function, args: &'a [Operation], frame: &Frame<'_>) -> Text<'a> {
        match function {
            Function::LocalName | Function::NamespaceUri | Function::Name => {
                let Some(node) = self.first(&args[0], frame)? else { return Ok(Cow::Borrowed("")) };
                let (uri, local) = expanded_name(self.tape, self.names, node);
                Ok(Cow::Borrowed(match function {
                    Function::LocalName => local,
                    Function::NamespaceUri => uri,
                    _ => qualified_name(self.tape, self.names, node),
                }))
            }
            Function::Concat => {
                let mut whole = String::new();
                for arg in args {
                    whole.push_str(&self.string(arg, frame)?);
                }
                self.charge(whole.len() as u64 / BYTES_PER_STEP)?;
                Ok(Cow::Owned(whole))
            }
            Function::SubstringBefore | Function::SubstringAfter => {
                let (text, separator) = (self.whole_string(&args[0], frame)?, self.string(&args[1], frame)?);
                let Some(at) = text.find(&*separator) else { return Ok(Cow::Borrowed("")) };
                let range = match function {
                    Function::SubstringBefore => 0..at,
                    _ => at + separator.len()..text.len(),
                };
                Ok(slice(text, range))
            }
            Function::Substring => {
                let text = self.whole_string(&args[0], frame)?;
                let start = round(self.number(&args[1], frame)?);
                let end = match args.get(2) {
                    Some(length) => start + round(self.number(length, frame)?),
                    None => f64::INFINITY,
                };
                let range = substring(&text, start, end);
                Ok(slice(text, range))
            }
            Function::NormalizeSpace => Ok(normalize_space(self.whole_string(&args[0], frame)?)),
            Function::Translate => {
                let text = self.string(&args[0], frame)?;
                let (from, to) = (self.string(&args[1], frame)?, self.string(&args[2], frame)?);
                self.charge(text.len() as u64 * (1 + from.len() as u64 / 8))?;
                Ok(Cow::Owned(translate(&text, &from, &to)))
            }
            Function::LowerCase => Ok(Cow::Owned(self.whole_string(&args[0], frame)?.to_lowercase())),
            Function::UpperCase => Ok(Cow::Owned(self.whole_string(&args[0], frame)?.to_uppercase())),
            _ => self.string(&args[0], frame),
        }
    }

    /// A string that is about to be gone through.
    pub(super) fn whole_string(&self, operation: &'a Operation, frame: &Frame<'_>) -> Text<'a> {
        let text = self.string(operation, frame)?;
        self.charge(text.len() as u64 / BYTES_PER_STEP)?;
        Ok(text)
    }
}

/// A part of a text, borrowed if the text is.
fn slice(text: Cow<'_, str>, range: std::ops::Range<usize>) -> Cow<'_, str> {
    match text {
        Cow::Borrowed(text) => Cow::Borrowed(&text[range]),
        Cow::Owned(text) => Cow::Owned(text[range].to_owned()),
    }
}

/// The bytes of the characters at positions `start <= p < end`, counted from 1. NaN takes none.
pub(crate) fn substring(text: &str, start: f64, end: f64) -> std::ops::Range<usize> {
    let mut range = None;
    for (position, (at, character)) in text.char_indices().enumerate() {
        let position = position as f64 + 1.0;
        if position >= start && position < end {
            let first = range.map_or(at, |(first, _)| first);
            range = Some((first, at + character.len_utf8()));
        } else if range.is_some() {
            break;
        }
    }
    range.map_or(0..0, |(first, after)| first..after)
}

pub(crate) fn normalize_space(text: Cow<'_, str>) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\n' | b'\r');
    let untouched = !bytes.first().is_some_and(is_blank)
        && !bytes.last().is_some_and(is_blank)
        && !bytes.iter().any(|byte| matches!(byte, b'\t' | b'\n' | b'\r'))
        && !bytes.windows(2).any(|pair| pair == b"  ");
    if untouched {
        return text;
    }
    let mut normal = String::with_capacity(text.len());
    for word in text.split(is_space).filter(|word| !word.is_empty()) {
        if !normal.is_empty() {
            normal.push(' ');
        }
        normal.push_str(word);
    }
    Cow::Owned(normal)
}

/// Each character of `from` becomes the one at its place in `to`, or nothing. The first of equal ones counts.
pub(crate) fn translate(text: &str, from: &str, to: &str) -> String {
    let from: Vec<char> = from.chars().collect();
    let to: Vec<char> = to.chars().collect();
    let replace = |character| match from.iter().position(|&known| known == character) {
        Some(place) => to.get(place).copied(),
        None => Some(character),
    };
    text.chars().filter_map(replace).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(text: &str, start: f64, length: f64) -> &str {
        let start = round(start);
        &text[substring(text, start, start + round(length))]
    }

    #[test]
    fn substring_follows_the_examples_of_the_recommendation() {
        assert_eq!(cut("12345", 1.5, 2.6), "234");
        assert_eq!(cut("12345", 0.0, 3.0), "12");
        assert_eq!(cut("12345", f64::NAN, 3.0), "");
        assert_eq!(cut("12345", 1.0, f64::NAN), "");
        assert_eq!(cut("12345", -42.0, f64::INFINITY), "12345");
        assert_eq!(cut("12345", f64::NEG_INFINITY, f64::INFINITY), "");
        assert_eq!(cut("äöü", 2.0, 1.0), "ö");
    }

    #[test]
    fn translate_replaces_and_removes() {
        assert_eq!(translate("bar", "abc", "ABC"), "BAr");
        assert_eq!(translate("--aaa--", "abc-", "ABC"), "AAA");
        assert_eq!(translate("aaa", "aa", "xy"), "xxx");
    }

    #[test]
    fn spaces_are_normalised() {
        assert_eq!(normalize_space(Cow::Borrowed("  a \n\t b  ")), "a b");
        assert!(matches!(normalize_space(Cow::Borrowed("a b")), Cow::Borrowed("a b")));
        assert_eq!(normalize_space(Cow::Borrowed("\u{a0}a")), "\u{a0}a");
        assert_eq!(normalize_space(Cow::Borrowed("   ")), "");
    }
}
