//! Functions of strings.

use std::borrow::Cow;
use std::rc::Rc;
use std::sync::Arc;

use ::regex::Regex;

use crate::evaluator::{is_space, normalize_space, round, substring, translate, EvalError, BYTES_PER_STEP};

use super::compile;
use super::error::{error, too_many, wrong_type, Result};
use super::functions::Function;
use super::operation::Operation;
use super::run::{Focus, Run};
use super::value::{Atomic, Item, Value};

impl<'a> Run<'a> {
    /// An argument that is a string; an empty sequence is an empty string.
    pub(super) fn text(&self, arg: &'a Operation, what: &str, focus: &Focus<'_>) -> Result<Arc<str>> {
        Ok(self.optional_text(arg, what, focus)?.unwrap_or_else(|| Arc::from("")))
    }

    fn optional_text(&self, arg: &'a Operation, what: &str, focus: &Focus<'_>) -> Result<Option<Arc<str>>> {
        let text = match self.optional_atomic(arg, what, focus)? {
            None => return Ok(None),
            Some(Atomic::String(text) | Atomic::Untyped(text)) => text,
            Some(other) => return Err(wrong_type(what, other.type_name())),
        };
        self.charge(text.len() as u64 / BYTES_PER_STEP)?;
        Ok(Some(text))
    }

    pub(super) fn string_call(&self, function: Function, args: &'a [Operation], focus: &Focus<'_>) -> Result<Value> {
        let what = || format!("an argument of {}()", function.name());
        let text = |place: usize| self.text(&args[place], &what(), focus);
        Ok(match function {
            Function::String => match self.value(&args[0], focus)?.items() {
                [] => Value::string(""),
                [Item::Node(node)] => Value::atomic(Atomic::String(self.string_value(*node))),
                [Item::Atomic(atomic)] => Value::atomic(Atomic::String(atomic.to_arc())),
                _ => return Err(too_many("the argument of string()")),
            },
            Function::Concat => {
                let mut whole = String::new();
                for arg in args {
                    if let Some(part) = self.optional_atomic(arg, "an argument of concat()", focus)? {
                        whole.push_str(&part.to_text());
                    }
                }
                self.made(&whole)?
            }
            Function::StringJoin => {
                let separator = if args.len() > 1 { text(1)? } else { Arc::from("") };
                let parts = self.atomics(&args[0], focus)?;
                let whole = parts.iter().map(Atomic::to_text).collect::<Vec<_>>().join(&separator);
                self.made(&whole)?
            }
            Function::StringLength => Value::integer(text(0)?.chars().count()),
            Function::Substring => self.substring(args, focus)?,
            Function::SubstringBefore | Function::SubstringAfter => {
                let (whole, part) = (text(0)?, text(1)?);
                Value::string(match (whole.find(&*part), function) {
                    (None, _) => "",
                    (Some(at), Function::SubstringBefore) => &whole[..at],
                    (Some(at), _) => &whole[at + part.len()..],
                })
            }
            Function::StartsWith => Value::boolean(text(0)?.starts_with(&*text(1)?)),
            Function::EndsWith => Value::boolean(text(0)?.ends_with(&*text(1)?)),
            Function::Contains => Value::boolean(text(0)?.contains(&*text(1)?)),
            Function::NormalizeSpace => Value::string(&normalize_space(Cow::Borrowed(&text(0)?))),
            Function::Translate => {
                let (whole, from, to) = (text(0)?, text(1)?, text(2)?);
                self.charge(whole.len() as u64 * (1 + from.len() as u64 / 8))?;
                self.made(&translate(&whole, &from, &to))?
            }
            Function::LowerCase => self.made(&text(0)?.to_lowercase())?,
            Function::UpperCase => self.made(&text(0)?.to_uppercase())?,
            Function::Compare => {
                let left = self.optional_text(&args[0], &what(), focus)?;
                let right = self.optional_text(&args[1], &what(), focus)?;
                left.zip(right).map(|(left, right)| Atomic::Integer(left.cmp(&right) as i64)).into()
            }
            Function::StringToCodepoints => {
                let codes = text(0)?.chars().map(|one| Item::Atomic(Atomic::Integer(one as i64))).collect::<Vec<_>>();
                codes.into()
            }
            _ => self.codepoints_to_string(&args[0], focus)?,
        })
    }

    /// A new string; it counts by its size, so that the budget bounds memory as well.
    fn made(&self, text: &str) -> Result<Value> {
        self.charge(text.len() as u64)?;
        Ok(Value::string(text))
    }

    fn substring(&self, args: &'a [Operation], focus: &Focus<'_>) -> Result<Value> {
        let text = self.text(&args[0], "an argument of substring()", focus)?;
        let start = round(self.needed_double(&args[1], "substring()", focus)?);
        let end = match args.get(2) {
            Some(length) => start + round(self.needed_double(length, "substring()", focus)?),
            None => f64::INFINITY,
        };
        Ok(Value::string(&text[substring(&text, start, end)]))
    }

    fn codepoints_to_string(&self, arg: &'a Operation, focus: &Focus<'_>) -> Result<Value> {
        let character = |code: &Atomic| match code {
            Atomic::Integer(code) => {
                let character = u32::try_from(*code).ok().and_then(char::from_u32);
                character.filter(|&one| crate::reader::is_char(one)).ok_or_else(|| no_character(*code))
            }
            other => Err(wrong_type("an argument of codepoints-to-string()", other.type_name())),
        };
        let text = self.atomics(arg, focus)?.iter().map(character).collect::<Result<String>>()?;
        Ok(Value::string(&text))
    }

    pub(super) fn regex_call(
        &self,
        function: Function,
        args: &'a [Operation],
        regex: Option<&Regex>,
        focus: &Focus<'_>,
    ) -> Result<Value> {
        let what = format!("an argument of {}()", function.name());
        let text = self.text(&args[0], &what, focus)?;
        if args.len() == 1 {
            return Ok(strings(text.split(is_space).filter(|word| !word.is_empty())));
        }
        let made;
        let regex = match regex {
            Some(regex) => regex,
            None => {
                made = self.pattern(function, args, focus)?;
                &*made
            }
        };
        self.charge(text.len() as u64)?;
        if function == Function::Matches {
            return Ok(Value::boolean(regex.is_match(&text)));
        }
        if regex.is_match("") {
            return Err(error("FORX0003", format!("the pattern of {}() matches an empty string", function.name())));
        }
        if function == Function::Tokenize {
            return Ok(if text.is_empty() { Value::Empty } else { strings(regex.split(&text)) });
        }
        let replacement = self.text(&args[2], &what, focus)?;
        let literal = match args.get(3) {
            Some(flags) => self.text(flags, &what, focus)?.contains('q'),
            None => false,
        };
        let replacement =
            if literal { replacement.replace('$', "$$") } else { expansion(&replacement, regex.captures_len() - 1)? };
        self.made(&regex.replace_all(&text, replacement.as_str()))
    }

    /// A pattern that is not known before the document is.
    fn pattern(&self, function: Function, args: &'a [Operation], focus: &Focus<'_>) -> Result<Rc<Regex>> {
        let what = format!("an argument of {}()", function.name());
        let flags = args.get(if function == Function::Replace { 3 } else { 2 });
        let flags = flags.map(|arg| self.text(arg, &what, focus)).transpose()?;
        let key =
            (self.text(&args[1], &what, focus)?.to_string(), flags.map(|text| text.to_string()).unwrap_or_default());
        if let Some(known) = self.patterns.borrow().get(&key) {
            return Ok(Rc::clone(known));
        }
        let made = Rc::new(compile::regex(&key.0, &key.1).map_err(EvalError::Invalid)?);
        self.patterns.borrow_mut().insert(key, Rc::clone(&made));
        Ok(made)
    }
}

fn strings<'s>(parts: impl Iterator<Item = &'s str>) -> Value {
    parts.map(|part| Item::Atomic(Atomic::String(part.into()))).collect::<Vec<_>>().into()
}

fn no_character(code: i64) -> EvalError {
    error("FOCH0001", format!("{code} is no character of XML"))
}

/// XPath's replacement (`$1`, `\$`, `\\`) as the `regex` crate writes it (`${1}`, `$$`). A number has as many digits as
/// make a group of the pattern's.
fn expansion(replacement: &str, groups: usize) -> Result<String> {
    let wrong = || error("FORX0004", format!("'{replacement}' is no replacement"));
    let mut made = String::new();
    let mut rest = replacement.chars().peekable();
    while let Some(character) = rest.next() {
        match character {
            '\\' => match rest.next() {
                Some('$') => made.push_str("$$"),
                Some('\\') => made.push('\\'),
                _ => return Err(wrong()),
            },
            '$' => {
                let Some(first) = rest.next().and_then(|digit| digit.to_digit(10)) else { return Err(wrong()) };
                let mut number = first as usize;
                while let Some(digit) = rest.peek().and_then(|digit| digit.to_digit(10)) {
                    let longer = number * 10 + digit as usize;
                    if longer > groups {
                        break;
                    }
                    number = longer;
                    rest.next();
                }
                made.push_str(&format!("${{{number}}}"));
            }
            other => made.push(other),
        }
    }
    Ok(made)
}
