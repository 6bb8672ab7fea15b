//! Character classes.

use super::escapes::single_escape;
use super::translate::{Translated, Translator, DEPTH_LIMIT};

impl Translator<'_> {
    /// A character class after its bracket: `[^a-z-[aeiou]]`.
    pub(super) fn class(&mut self) -> Translated {
        self.class_depth += 1;
        if self.class_depth > DEPTH_LIMIT {
            return Err("classes nested too deeply".to_owned());
        }
        // Subtraction binds looser than negation, so what is negated gets brackets of its own.
        self.out.push_str(if self.rest.next_if_eq(&'^').is_some() { "[[^" } else { "[[" });
        let mut empty = true;
        loop {
            match self.rest.next() {
                None => return Err("a '[' without its ']'".to_owned()),
                Some(']') if !empty => {
                    self.out.push_str("]]");
                    break;
                }
                Some('-') if !empty && self.rest.next_if_eq(&'[').is_some() => {
                    self.out.push_str("]--");
                    self.class()?;
                    if self.rest.next() != Some(']') {
                        return Err("something after the subtracted class".to_owned());
                    }
                    self.out.push(']');
                    break;
                }
                Some(character) => self.class_item(character)?,
            }
            empty = false;
        }
        self.class_depth -= 1;
        Ok(())
    }

    /// A character, a range or an escape in a class.
    fn class_item(&mut self, first: char) -> Translated {
        let low = match first {
            '\\' => match self.rest.peek().copied().and_then(single_escape) {
                Some(character) => {
                    self.rest.next();
                    character
                }
                None => return self.escape(),
            },
            '[' | ']' => return Err(format!("a '{first}' that must be written '\\{first}'")),
            other => other,
        };
        self.literal(low);
        let mut ahead = self.rest.clone();
        if ahead.next() != Some('-') || matches!(ahead.peek(), None | Some(']' | '[')) {
            return Ok(());
        }
        self.rest.next();
        let high = match self.rest.next() {
            Some('\\') => match self.rest.next().and_then(single_escape) {
                Some(character) => character,
                None => return Err("a range that ends in a class".to_owned()),
            },
            Some('-') => return Err("a range that ends in '-', which must be written '\\-',".to_owned()),
            Some(other) => other,
            None => return Err("a '[' without its ']'".to_owned()),
        };
        if high < low {
            return Err("a range that ends before it begins".to_owned());
        }
        self.out.push('-');
        self.literal(high);
        Ok(())
    }
}
