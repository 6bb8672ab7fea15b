//! Functions that give a boolean.

use super::functions::Function;
use super::operation::{Operation, Type};
use super::regex;
use super::run::{Frame, Run};
use super::value::Value;
use super::EvalError;

impl<'a> Run<'a> {
    pub(super) fn boolean_call(
        &self,
        function: Function,
        args: &'a [Operation],
        frame: &Frame<'_>,
    ) -> Result<bool, EvalError> {
        match function {
            Function::True => Ok(true),
            Function::False => Ok(false),
            Function::Not => Ok(!self.boolean(&args[0], frame)?),
            Function::Exists => self.exists(&args[0], frame),
            Function::Empty => Ok(!self.exists(&args[0], frame)?),
            Function::Contains => self.of_two_strings(args, frame, |text, part| {
                memchr::memmem::find(text.as_bytes(), part.as_bytes()).is_some()
            }),
            Function::StartsWith => self.of_two_strings(args, frame, |text, part| text.starts_with(part)),
            Function::EndsWith => self.of_two_strings(args, frame, |text, part| text.ends_with(part)),
            Function::Matches => self.matches(args, frame),
            Function::Lang => self.lang(args, frame),
            _ => self.boolean(&args[0], frame),
        }
    }

    /// An atomic value is a sequence of one.
    fn exists(&self, operation: &'a Operation, frame: &Frame<'_>) -> Result<bool, EvalError> {
        match operation.static_type() {
            Type::Nodes => self.boolean(operation, frame),
            Type::Any => Ok(match self.value(operation, frame)? {
                Value::Nodes(nodes) => !nodes.is_empty(),
                _ => true,
            }),
            _ => Ok(true),
        }
    }

    fn of_two_strings(
        &self,
        args: &'a [Operation],
        frame: &Frame<'_>,
        test: impl Fn(&str, &str) -> bool,
    ) -> Result<bool, EvalError> {
        let (text, part) = (self.whole_string(&args[0], frame)?, self.string(&args[1], frame)?);
        Ok(test(&text, &part))
    }

    /// `matches` with a pattern that is not a constant.
    fn matches(&self, args: &'a [Operation], frame: &Frame<'_>) -> Result<bool, EvalError> {
        let input = self.string(&args[0], frame)?;
        let pattern = self.string(&args[1], frame)?.into_owned();
        let flags = match args.get(2) {
            Some(flags) => self.string(flags, frame)?.into_owned(),
            None => String::new(),
        };
        self.charge(input.len() as u64)?;
        let key = (pattern, flags);
        if let Some(known) = self.patterns.borrow().get(&key) {
            return Ok(known.is_match(&input));
        }
        let compiled = regex::compile(&key.0, &key.1).map_err(EvalError::Invalid)?;
        let found = compiled.is_match(&input);
        self.patterns.borrow_mut().insert(key, compiled);
        Ok(found)
    }
}
