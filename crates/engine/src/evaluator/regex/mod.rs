//! Regular expressions of `matches`: XML Schema's, with the anchors and flags of XPath's Functions and Operators,
//! translated for the `regex` crate. That one takes time linear in the text, which is why there are no
//! back-references.

mod blocks;
mod class;
mod escapes;
mod translate;

use ::regex::{Regex, RegexBuilder};

use translate::Translator;

/// What a pattern may grow to when compiled, in bytes.
const SIZE_LIMIT: usize = 4 << 20;

/// Compiles a pattern, or says what is wrong with it.
pub(crate) fn compile(pattern: &str, flags: &str) -> Result<Regex, String> {
    let flags = Flags::read(flags)?;
    let translated = Translator::new(pattern, &flags)
        .translate()
        .map_err(|problem| format!("FORX0002: {problem} in the pattern '{pattern}'"))?;
    RegexBuilder::new(&translated)
        .case_insensitive(flags.ignore_case)
        .size_limit(SIZE_LIMIT)
        .build()
        .map_err(|_| format!("FORX0002: the pattern '{pattern}' is not a regular expression, or too large"))
}

#[derive(Default)]
struct Flags {
    dot_all: bool,
    multi_line: bool,
    ignore_case: bool,
    ignore_space: bool,
}

impl Flags {
    fn read(text: &str) -> Result<Flags, String> {
        let mut flags = Flags::default();
        for flag in text.chars() {
            match flag {
                's' => flags.dot_all = true,
                'm' => flags.multi_line = true,
                'i' => flags.ignore_case = true,
                'x' => flags.ignore_space = true,
                other => return Err(format!("FORX0001: matches() has no flag '{other}'")),
            }
        }
        Ok(flags)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(text: &str, pattern: &str, flags: &str) -> Result<bool, String> {
        compile(pattern, flags).map(|regex| regex.is_match(text))
    }

    #[test]
    fn a_pattern_is_found_anywhere_unless_anchored() {
        assert_eq!(matches("abracadabra", "bra", ""), Ok(true));
        assert_eq!(matches("abracadabra", "^a.*a$", ""), Ok(true));
        assert_eq!(matches("abracadabra", "^bra", ""), Ok(false));
        assert_eq!(matches("a\nb", "^b", ""), Ok(false));
        assert_eq!(matches("a\nb", "^b$", "m"), Ok(true));
        assert_eq!(matches("b", "^?b${1,2}", ""), Ok(true));
    }

    #[test]
    fn flags_change_the_meaning() {
        assert_eq!(matches("a\nb", "a.b", ""), Ok(false));
        assert_eq!(matches("a\nb", "a.b", "s"), Ok(true));
        assert_eq!(matches("ABC", "b", "i"), Ok(true));
        assert_eq!(matches("b", r"\p{Lu}", "i"), Ok(false));
        assert_eq!(matches("helloworld", " hello [ ]* world ", "x"), Ok(true));
        assert_eq!(matches("hello world", "hello world", "x"), Ok(false));
        assert!(compile("a", "q").is_err());
    }

    #[test]
    fn classes_may_be_subtracted_and_negated() {
        assert_eq!(matches("x", "^[a-z-[aeiou]]$", ""), Ok(true));
        assert_eq!(matches("e", "^[a-z-[aeiou]]$", ""), Ok(false));
        assert_eq!(matches("5", "^[^a-z-[0-4]]$", ""), Ok(true));
        assert_eq!(matches("3", "^[^a-z-[0-4]]$", ""), Ok(false));
        assert_eq!(matches("-", "^[a-]$", ""), Ok(true));
        assert_eq!(matches("-", "^[-a]$", ""), Ok(true));
        assert_eq!(matches("&&", "^[&]+$", ""), Ok(true));
        assert_eq!(matches("a", "^[a-z-[b-y-[c]]]$", ""), Ok(true));
        assert_eq!(matches("c", "^[a-z-[b-y-[c]]]$", ""), Ok(true));
    }

    #[test]
    fn escapes_are_those_of_xml_schema() {
        assert_eq!(matches("_x:1", r"^\i\c*$", ""), Ok(true));
        assert_eq!(matches("1x", r"^\i\c*$", ""), Ok(false));
        assert_eq!(matches("\u{661}", r"^\d$", ""), Ok(true));
        assert_eq!(matches("+", r"^\w$", ""), Ok(true));
        assert_eq!(matches("_", r"^\w$", ""), Ok(false));
        assert_eq!(matches("\u{a0}", r"^\s$", ""), Ok(false));
        assert_eq!(matches("ä", r"^\p{Ll}$", ""), Ok(true));
        assert_eq!(matches("ä", r"^\p{IsLatin-1Supplement}$", ""), Ok(true));
        assert_eq!(matches("a", r"^[\P{Lu}\d]$", ""), Ok(true));
        assert_eq!(matches("a{2}", r"^a\{2\}$", ""), Ok(true));
    }

    #[test]
    fn what_is_no_pattern_is_refused() {
        for pattern in [
            "(", ")", "[", "[]", "a{", "a{,2}", "*", "a**", r"(a)\1", r"\q", "[b-a]", r"\p{Foo}", "(?=a)", "a]",
            "a{3,2}", "[+--]",
        ] {
            assert!(compile(pattern, "").is_err(), "{pattern}");
        }
        assert!(compile(r"(a)\1", "").is_err_and(|message| message.contains("back-reference")));
        assert!(compile("(a{1000}){1000}", "").is_err());
    }
}
