//! Escapes: single characters, classes of characters, categories and blocks.

use std::fmt::Write;

use super::blocks;
use super::translate::{Translated, Translator};

const NAME_START: &str = r":A-Z_a-z\x{C0}-\x{D6}\x{D8}-\x{F6}\x{F8}-\x{2FF}\x{370}-\x{37D}\x{37F}-\x{1FFF}\x{200C}-\x{200D}\x{2070}-\x{218F}\x{2C00}-\x{2FEF}\x{3001}-\x{D7FF}\x{F900}-\x{FDCF}\x{FDF0}-\x{FFFD}\x{10000}-\x{EFFFF}";
const NAME_MORE: &str = r"\-.0-9\x{B7}\x{300}-\x{36F}\x{203F}-\x{2040}";

const CATEGORIES: [&str; 37] = [
    "L", "Lu", "Ll", "Lt", "Lm", "Lo", "M", "Mn", "Mc", "Me", "N", "Nd", "Nl", "No", "P", "Pc", "Pd", "Ps", "Pe", "Pi",
    "Pf", "Po", "Z", "Zs", "Zl", "Zp", "S", "Sm", "Sc", "Sk", "So", "C", "Cc", "Cf", "Co", "Cn", "Cs",
];

impl Translator<'_> {
    /// An escape after its backslash, in a class or outside.
    pub(super) fn escape(&mut self) -> Translated {
        let Some(letter) = self.rest.next() else { return Err("a '\\' at the end".to_owned()) };
        if let Some(character) = single_escape(letter) {
            self.literal(character);
            return Ok(());
        }
        match letter {
            's' => self.out.push_str(r"[ \t\n\r]"),
            'S' => self.out.push_str(r"[^ \t\n\r]"),
            'd' => self.out.push_str(r"\p{Nd}"),
            'D' => self.out.push_str(r"\P{Nd}"),
            'w' => self.out.push_str(r"[^\p{P}\p{Z}\p{C}]"),
            'W' => self.out.push_str(r"[\p{P}\p{Z}\p{C}]"),
            'i' => self.push_class("", NAME_START, ""),
            'I' => self.push_class("^", NAME_START, ""),
            'c' => self.push_class("", NAME_START, NAME_MORE),
            'C' => self.push_class("^", NAME_START, NAME_MORE),
            'p' | 'P' => self.property(letter == 'P')?,
            '0'..='9' => return Err("a back-reference, which is not supported,".to_owned()),
            other => return Err(format!("an unknown escape '\\{other}'")),
        }
        Ok(())
    }

    /// `\p{..}` after its letter: a general category, or a block as `Is` and its name.
    fn property(&mut self, negated: bool) -> Translated {
        if self.rest.next() != Some('{') {
            return Err("a '\\p' without '{'".to_owned());
        }
        let mut name = String::new();
        loop {
            match self.rest.next() {
                Some('}') => break,
                Some(character) if character.is_ascii_alphanumeric() || character == '-' => name.push(character),
                _ => return Err("a malformed '\\p{..}'".to_owned()),
            }
        }
        let negation = if negated { "^" } else { "" };
        if let Some(block) = name.strip_prefix("Is") {
            let (first, last) = blocks::range(block).ok_or_else(|| format!("an unknown block '{name}'"))?;
            let _ = write!(self.out, r"[{negation}\x{{{first:X}}}-\x{{{last:X}}}]");
            return Ok(());
        }
        if !CATEGORIES.contains(&name.as_str()) {
            return Err(format!("an unknown category '{name}'"));
        }
        // A category means its members whatever the flag `i` says; inside a class there is no way to say so.
        let _ = match self.class_depth {
            0 => write!(self.out, r"(?-i:[{negation}\p{{{name}}}])"),
            _ => write!(self.out, r"[{negation}\p{{{name}}}]"),
        };
        Ok(())
    }

    fn push_class(&mut self, negation: &str, first: &str, more: &str) {
        let _ = write!(self.out, "[{negation}{first}{more}]");
    }
}

/// The character that a single character escape stands for.
pub(super) fn single_escape(letter: char) -> Option<char> {
    match letter {
        'n' => Some('\n'),
        'r' => Some('\r'),
        't' => Some('\t'),
        '\\' | '|' | '.' | '?' | '*' | '+' | '(' | ')' | '{' | '}' | '-' | '[' | ']' | '^' | '$' => Some(letter),
        _ => None,
    }
}
