//! Function calls: dispatch, and the functions of truth and of sequences.

use ::regex::Regex;

use super::compare::same;
use super::error::{error, wrong_type, Result};
use super::functions::Function;
use super::ir::AtomicType;
use super::operation::Operation;
use super::run::{Focus, Run};
use super::value::{Atomic, Item, Value};

impl<'a> Run<'a> {
    /// `regex` is the pattern where it is known beforehand.
    pub(super) fn call(
        &self,
        function: Function,
        args: &'a [Operation],
        regex: Option<&Regex>,
        focus: &Focus<'_>,
    ) -> Result<Value> {
        let value = |place: usize| self.value(&args[place], focus);
        Ok(match function {
            Function::Position => Value::integer(focus.position),
            Function::Last => Value::integer(focus.size),
            Function::True => Value::boolean(true),
            Function::False => Value::boolean(false),
            Function::Boolean => Value::boolean(self.boolean(&args[0], focus)?),
            Function::Not => Value::boolean(!self.boolean(&args[0], focus)?),
            Function::Exists | Function::Empty => {
                let found = match &args[0] {
                    Operation::Path(start, steps) => self.any_on_path(start, steps, focus)?,
                    other => !self.value(other, focus)?.is_empty(),
                };
                Value::boolean(found == (function == Function::Exists))
            }
            Function::Count => Value::integer(value(0)?.len()),
            Function::Unordered => value(0)?,
            Function::Data => self.atomics(&args[0], focus)?.into_iter().map(Item::Atomic).collect::<Vec<_>>().into(),
            Function::DistinctValues => self.distinct_values(&args[0], focus)?,
            Function::ExactlyOne | Function::ZeroOrOne | Function::OneOrMore => self.counted(function, value(0)?)?,
            Function::Reverse => value(0)?.into_items().into_iter().rev().collect::<Vec<_>>().into(),
            Function::Head => value(0)?.items().first().cloned().map_or(Value::Empty, Value::One),
            Function::Tail => value(0)?.into_items().into_iter().skip(1).collect::<Vec<_>>().into(),
            Function::Subsequence => self.subsequence(args, focus)?,
            Function::InsertBefore | Function::Remove => self.edited(args, focus)?,
            Function::IndexOf => self.index_of(args, focus)?,
            Function::DeepEqual => Value::boolean(self.deep_equal(&value(0)?, &value(1)?)?),
            Function::Sum | Function::Average | Function::Least | Function::Greatest => {
                self.aggregate(function, args, focus)?
            }
            Function::Number
            | Function::Abs
            | Function::Floor
            | Function::Ceiling
            | Function::Round
            | Function::RoundHalfToEven => self.number_call(function, args, focus)?,
            Function::LocalName
            | Function::NamespaceUri
            | Function::Name
            | Function::Root
            | Function::Id
            | Function::Lang
            | Function::Innermost
            | Function::Outermost => self.node_call(function, args, focus)?,
            Function::Matches | Function::Replace | Function::Tokenize => {
                self.regex_call(function, args, regex, focus)?
            }
            _ => self.string_call(function, args, focus)?,
        })
    }

    /// Each value once, at its first occurrence.
    fn distinct_values(&self, arg: &'a Operation, focus: &Focus<'_>) -> Result<Value> {
        let mut kept: Vec<Atomic> = Vec::new();
        let mut texts = rustc_hash::FxHashSet::default();
        for atomic in self.atomics(arg, focus)? {
            let is_new = match atomic.as_text() {
                Some(text) => texts.insert(std::sync::Arc::<str>::from(text)),
                None => {
                    self.charge(kept.len() as u64)?;
                    !kept.iter().any(|known| same(known, &atomic))
                }
            };
            if is_new {
                kept.push(atomic);
            }
        }
        Ok(kept.into_iter().map(Item::Atomic).collect::<Vec<_>>().into())
    }

    fn counted(&self, function: Function, value: Value) -> Result<Value> {
        let (fits, code) = match function {
            Function::ExactlyOne => (value.len() == 1, "FORG0005"),
            Function::ZeroOrOne => (value.len() <= 1, "FORG0003"),
            _ => (!value.is_empty(), "FORG0004"),
        };
        if fits {
            return Ok(value);
        }
        Err(error(code, format!("{}() was given {} items", function.name(), value.len())))
    }

    fn subsequence(&self, args: &'a [Operation], focus: &Focus<'_>) -> Result<Value> {
        let items = self.value(&args[0], focus)?.into_items();
        let start = crate::evaluator::round(self.needed_double(&args[1], "subsequence()", focus)?);
        let end = match args.get(2) {
            Some(length) => start + crate::evaluator::round(self.needed_double(length, "subsequence()", focus)?),
            None => f64::INFINITY,
        };
        let within = |place: usize| {
            let place = place as f64 + 1.0;
            place >= start && place < end
        };
        let kept = items.into_iter().enumerate().filter(|(place, _)| within(*place)).map(|(_, item)| item);
        Ok(kept.collect::<Vec<_>>().into())
    }

    /// `insert-before($items, $place, $new)` and `remove($items, $place)`.
    fn edited(&self, args: &'a [Operation], focus: &Focus<'_>) -> Result<Value> {
        let mut items = self.value(&args[0], focus)?.into_items();
        let place = self.needed_integer(&args[1], focus)?;
        match args.get(2) {
            Some(new) => {
                let at = usize::try_from(place.saturating_sub(1)).unwrap_or(0).min(items.len());
                items.splice(at..at, self.value(new, focus)?.into_items());
            }
            None => {
                let at = usize::try_from(place.saturating_sub(1)).ok().filter(|at| *at < items.len());
                if let Some(at) = at {
                    items.remove(at);
                }
            }
        }
        Ok(items.into())
    }

    fn index_of(&self, args: &'a [Operation], focus: &Focus<'_>) -> Result<Value> {
        let items = self.atomics(&args[0], focus)?;
        let Some(wanted) = self.optional_atomic(&args[1], "the second argument of index-of()", focus)? else {
            return Err(error("XPTY0004", "index-of() needs a value to look for"));
        };
        let found = items.iter().enumerate().filter(|(_, item)| same(item, &wanted) && !super::compare::is_nan(item));
        let places = found.map(|(place, _)| Item::Atomic(Atomic::Integer(place as i64 + 1)));
        Ok(places.collect::<Vec<_>>().into())
    }

    /// An argument that must be one integer.
    pub(super) fn needed_integer(&self, arg: &'a Operation, focus: &Focus<'_>) -> Result<i64> {
        match self.optional_atomic(arg, "an argument", focus)? {
            Some(Atomic::Integer(value)) => Ok(value),
            Some(untyped @ Atomic::Untyped(_)) => match untyped.cast(AtomicType::Integer)? {
                Atomic::Integer(value) => Ok(value),
                other => Err(wrong_type("an argument that is an integer", other.type_name())),
            },
            Some(other) => Err(wrong_type("an argument that is an integer", other.type_name())),
            None => Err(error("XPTY0004", "an argument that is an integer is missing")),
        }
    }
}
