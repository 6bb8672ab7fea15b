//! Predicates: over candidates as they come, or over a list when it matters how many there are.

use super::operation::Predicate;
use super::run::{Frame, Locals, Run};
use super::value::{NodeRef, Value};
use super::EvalError;

/// What a predicate says of a candidate, and of those that would come after it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    Yes,
    No,
    /// Yes, and no later one.
    YesLast,
    /// No, and no later one.
    NoneLeft,
}

impl<'a> Run<'a> {
    /// Judges the candidate at a position; `size` counts only for predicates that ask for it.
    pub(super) fn judge(
        &self,
        predicate: &'a Predicate,
        node: NodeRef,
        position: usize,
        size: usize,
        locals: Locals<'_>,
    ) -> Result<Verdict, EvalError> {
        let frame = Frame { node, position, size, locals };
        let passes = match predicate {
            Predicate::At(wanted) if position == *wanted => return Ok(Verdict::YesLast),
            Predicate::At(wanted) if position > *wanted => return Ok(Verdict::NoneLeft),
            Predicate::At(_) => false,
            Predicate::UpTo(limit) if position == *limit => return Ok(Verdict::YesLast),
            Predicate::UpTo(limit) if position > *limit => return Ok(Verdict::NoneLeft),
            Predicate::UpTo(_) => true,
            Predicate::Last => position == size,
            Predicate::Position(operation) => self.number(operation, &frame)? == position as f64,
            Predicate::True(operation) => self.boolean(operation, &frame)?,
            Predicate::Any(operation) => match self.value(operation, &frame)? {
                Value::Number(number) => number == position as f64,
                other => other.to_boolean(),
            },
        };
        Ok(if passes { Verdict::Yes } else { Verdict::No })
    }

    /// What is left of a list after one predicate after the other.
    pub(super) fn filter(
        &self,
        mut nodes: Vec<NodeRef>,
        predicates: &'a [Predicate],
        locals: Locals<'_>,
    ) -> Result<Vec<NodeRef>, EvalError> {
        for predicate in predicates {
            let size = nodes.len();
            let mut kept = 0;
            let first = if matches!(predicate, Predicate::Last) { size.saturating_sub(1) } else { 0 };
            for index in first..size {
                let verdict = self.judge(predicate, nodes[index], index + 1, size, locals)?;
                if matches!(verdict, Verdict::Yes | Verdict::YesLast) {
                    nodes[kept] = nodes[index];
                    kept += 1;
                }
                if matches!(verdict, Verdict::YesLast | Verdict::NoneLeft) {
                    break;
                }
            }
            nodes.truncate(kept);
        }
        Ok(nodes)
    }
}
