//! The structure of a pattern: alternatives, groups, quantifiers.

use std::fmt::Write;
use std::iter::Peekable;
use std::str::Chars;

use super::super::numbers::is_space;
use super::Flags;

/// Groups, or classes, within each other.
pub(super) const DEPTH_LIMIT: usize = 100;

pub(super) struct Translator<'p> {
    pub(super) rest: Peekable<Chars<'p>>,
    pub(super) out: String,
    pub(super) class_depth: usize,
    flags: &'p Flags,
}

pub(super) type Translated = Result<(), String>;

impl<'p> Translator<'p> {
    pub(super) fn new(pattern: &'p str, flags: &'p Flags) -> Translator<'p> {
        Translator { rest: pattern.chars().peekable(), out: String::new(), class_depth: 0, flags }
    }

    /// The whole pattern in the other syntax, or what is wrong with it.
    pub(super) fn translate(mut self) -> Result<String, String> {
        // An open group is counted, not recursed into.
        let mut groups = 0_usize;
        while let Some(character) = self.rest.next() {
            match character {
                '|' => self.out.push('|'),
                '(' => {
                    groups += 1;
                    if groups > DEPTH_LIMIT {
                        return Err("groups nested too deeply".to_owned());
                    }
                    self.group()?;
                    continue;
                }
                ')' if groups == 0 => return Err("a ')' without its '('".to_owned()),
                ')' => {
                    groups -= 1;
                    self.out.push(')');
                    self.quantifier()?;
                }
                space if self.flags.ignore_space && is_space(space) => {}
                other => {
                    self.atom(other)?;
                    self.quantifier()?;
                }
            }
        }
        if groups > 0 {
            return Err("a '(' without its ')'".to_owned());
        }
        Ok(self.out)
    }

    fn group(&mut self) -> Translated {
        if self.rest.next_if_eq(&'?').is_some() {
            return match self.rest.next() {
                Some(':') => {
                    self.out.push_str("(?:");
                    Ok(())
                }
                _ => Err("'(?' is not followed by ':'".to_owned()),
            };
        }
        // A group that `replace` may ask for; `matches` pays nothing for it.
        self.out.push('(');
        Ok(())
    }

    fn atom(&mut self, first: char) -> Translated {
        match first {
            '^' => self.out.push_str(if self.flags.multi_line { "(?m:^)" } else { r"(?:\A)" }),
            '$' => self.out.push_str(if self.flags.multi_line { "(?m:$)" } else { r"(?:\z)" }),
            '.' => self.out.push_str(if self.flags.dot_all { "(?s:.)" } else { r"[^\n\r]" }),
            '[' => self.class()?,
            '\\' => self.escape()?,
            '?' | '*' | '+' | '{' => return Err(format!("a quantifier '{first}' with nothing before it")),
            '}' | ']' => return Err(format!("a '{first}' that must be written '\\{first}'")),
            other => self.literal(other),
        }
        Ok(())
    }

    fn quantifier(&mut self) -> Translated {
        self.skip_space();
        match self.rest.peek() {
            Some(&sign @ ('?' | '*' | '+')) => {
                self.rest.next();
                self.out.push(sign);
            }
            Some('{') => {
                self.rest.next();
                self.counts()?;
            }
            _ => return Ok(()),
        }
        self.skip_space();
        if self.rest.next_if_eq(&'?').is_some() {
            self.out.push('?');
        }
        Ok(())
    }

    /// `{n}`, `{n,}` or `{n,m}` after its brace.
    fn counts(&mut self) -> Translated {
        let mut text = String::new();
        loop {
            match self.rest.next() {
                Some('}') => break,
                Some(character @ ('0'..='9' | ',')) => text.push(character),
                Some(space) if self.flags.ignore_space && is_space(space) => {}
                _ => return Err("a malformed quantity".to_owned()),
            }
        }
        let (least, most) = text.split_once(',').unwrap_or((&text, ""));
        if least.is_empty() || most.contains(',') {
            return Err("a malformed quantity".to_owned());
        }
        let _ = write!(self.out, "{{{text}}}");
        Ok(())
    }

    /// A character that stands for itself.
    pub(super) fn literal(&mut self, character: char) {
        if character.is_ascii_alphanumeric() || !character.is_ascii() {
            self.out.push(character);
        } else {
            let _ = write!(self.out, r"\x{{{:X}}}", u32::from(character));
        }
    }

    fn skip_space(&mut self) {
        while self.flags.ignore_space && self.rest.next_if(|&next| is_space(next)).is_some() {}
    }
}
