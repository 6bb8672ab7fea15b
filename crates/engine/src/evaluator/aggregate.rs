//! Aggregates over nodes, as numbers. What is not a number makes the whole not a number.

use super::functions::Function;
use super::operation::Operation;
use super::run::{Frame, Run};
use super::value::{node_number, Value};
use super::EvalError;

impl<'a> Run<'a> {
    /// `avg`, `min` or `max`; nothing of nothing.
    pub(super) fn aggregate(
        &self,
        function: Function,
        args: &'a [Operation],
        frame: &Frame<'_>,
    ) -> Result<Value, EvalError> {
        let numbers = self.numbers(&args[0], frame)?;
        if numbers.is_empty() {
            return Ok(Value::Nodes(Vec::new()));
        }
        let has_nan = numbers.iter().any(|number| number.is_nan());
        Ok(Value::Number(match function {
            Function::Average => numbers.iter().sum::<f64>() / numbers.len() as f64,
            _ if has_nan => f64::NAN,
            Function::Least => numbers.iter().copied().fold(f64::INFINITY, f64::min),
            _ => numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max),
        }))
    }

    pub(super) fn sum(&self, arg: &'a Operation, frame: &Frame<'_>) -> Result<f64, EvalError> {
        // Not Iterator::sum: that of nothing is -0.
        Ok(self.numbers(arg, frame)?.into_iter().fold(0.0, |sum, number| sum + number))
    }

    /// The items of a value as numbers.
    fn numbers(&self, operation: &'a Operation, frame: &Frame<'_>) -> Result<Vec<f64>, EvalError> {
        Ok(match self.value(operation, frame)? {
            Value::Nodes(nodes) => nodes.iter().map(|&node| node_number(self.tape, self.names, node)).collect(),
            atom => vec![atom.to_number(self.tape, self.names)],
        })
    }
}
