//! Comparisons: true of node sets if true of some node, without comparing each with each.

use std::borrow::Cow;
use std::cell::OnceCell;

use std::collections::HashSet;

use crate::ir::Comparison;

use super::compile::mirrored;
use super::numbers::string_to_number;
use super::operation::{Operation, Type};
use super::run::{Frame, Run};
use super::strings::BYTES_PER_STEP;
use super::value::{boolean_to_number, number_to_boolean, NodeRef, Value};
use super::EvalError;

/// A value that is computed once, with what comparisons with it need.
pub(super) struct Kept<'a> {
    pub(super) value: Value,
    digest: OnceCell<Digest<'a>>,
}

impl Kept<'_> {
    pub(super) fn new(value: Value) -> Self {
        Kept { value, digest: OnceCell::new() }
    }
}

/// What there is to know of a set of nodes to compare others with it.
struct Digest<'a> {
    strings: HashSet<&'a str>,
    /// Of those that are numbers; NaN if none is.
    least: f64,
    greatest: f64,
}

/// One side of a comparison.
enum Side<'a> {
    /// Nodes that are looked for only as far as needed.
    Sought(&'a Operation),
    Nodes(Vec<NodeRef>),
    Boolean(bool),
    Number(f64),
    String(Cow<'a, str>),
}

impl<'a> Run<'a> {
    pub(super) fn compare(
        &self,
        comparison: Comparison,
        left: &'a Operation,
        right: &'a Operation,
        frame: &Frame<'_>,
    ) -> Result<bool, EvalError> {
        let (left, right) = (self.side(left, frame)?, self.side(right, frame)?);
        match (left.is_nodes(), right.is_nodes()) {
            (true, true) => self.compare_sets(comparison, left, right, frame),
            (true, false) => self.compare_set(comparison, &left, &right, frame),
            (false, true) => self.compare_set(mirrored(comparison), &right, &left, frame),
            (false, false) => Ok(compare_atoms(comparison, &left, &right)),
        }
    }

    fn side(&self, operation: &'a Operation, frame: &Frame<'_>) -> Result<Side<'a>, EvalError> {
        Ok(match operation.static_type() {
            Type::Nodes => Side::Sought(operation),
            Type::Boolean => Side::Boolean(self.boolean(operation, frame)?),
            Type::Number => Side::Number(self.number(operation, frame)?),
            Type::String => Side::String(self.string(operation, frame)?),
            Type::Any => match self.value(operation, frame)? {
                Value::Nodes(nodes) => Side::Nodes(nodes),
                Value::Boolean(value) => Side::Boolean(value),
                Value::Number(value) => Side::Number(value),
                Value::String(value) => Side::String(Cow::Owned(value)),
            },
        })
    }

    /// Nodes with what is no node.
    fn compare_set(
        &self,
        comparison: Comparison,
        set: &Side<'a>,
        atom: &Side<'a>,
        frame: &Frame<'_>,
    ) -> Result<bool, EvalError> {
        match (atom, comparison) {
            (Side::Boolean(value), _) => {
                let exists = self.any_of(set, frame, &mut |_| true)?;
                Ok(compare_atoms(comparison, &Side::Boolean(exists), &Side::Boolean(*value)))
            }
            (Side::String(value), Comparison::Eq) => self.any_of(set, frame, &mut |text| text == value),
            (Side::String(value), Comparison::Ne) => self.any_of(set, frame, &mut |text| text != value),
            _ => {
                let number = atom.to_number();
                self.any_of(set, frame, &mut |text| compare_numbers(comparison, string_to_number(text), number))
            }
        }
    }

    fn compare_sets(
        &self,
        comparison: Comparison,
        left: Side<'a>,
        right: Side<'a>,
        frame: &Frame<'_>,
    ) -> Result<bool, EvalError> {
        if let Side::Sought(Operation::Once(slot, inner)) = right {
            let kept = self.kept(*slot, inner, frame)?;
            return self.compare_with_digest(comparison, &left, self.digest_of_kept(kept)?, frame);
        }
        if let Side::Sought(Operation::Once(slot, inner)) = left {
            let kept = self.kept(*slot, inner, frame)?;
            return self.compare_with_digest(mirrored(comparison), &right, self.digest_of_kept(kept)?, frame);
        }
        let nodes = match right {
            Side::Sought(operation) => self.nodes(operation, frame)?,
            Side::Nodes(nodes) => nodes,
            _ => Vec::new(),
        };
        match (nodes.as_slice(), comparison) {
            ([], _) => Ok(false),
            ([one], Comparison::Eq | Comparison::Ne) => {
                let atom = Side::String(Cow::Borrowed(self.string_value(*one)));
                self.compare_set(comparison, &left, &atom, frame)
            }
            _ => self.compare_with_digest(comparison, &left, &self.digest(&nodes)?, frame),
        }
    }

    fn compare_with_digest(
        &self,
        comparison: Comparison,
        set: &Side<'a>,
        digest: &Digest<'a>,
        frame: &Frame<'_>,
    ) -> Result<bool, EvalError> {
        let Digest { strings, least, greatest } = digest;
        match comparison {
            Comparison::Eq => self.any_of(set, frame, &mut |text| strings.contains(text)),
            // Some other string is there unless the only one is the same.
            Comparison::Ne => self.any_of(set, frame, &mut |text| strings.len() > usize::from(strings.contains(text))),
            Comparison::Lt | Comparison::Le => {
                self.any_of(set, frame, &mut |text| compare_numbers(comparison, string_to_number(text), *greatest))
            }
            Comparison::Gt | Comparison::Ge => {
                self.any_of(set, frame, &mut |text| compare_numbers(comparison, string_to_number(text), *least))
            }
        }
    }

    fn digest_of_kept<'k>(&self, kept: &'k Kept<'a>) -> Result<&'k Digest<'a>, EvalError> {
        if let Some(digest) = kept.digest.get() {
            return Ok(digest);
        }
        let digest = match &kept.value {
            Value::Nodes(nodes) => self.digest(nodes)?,
            _ => self.digest(&[])?,
        };
        Ok(kept.digest.get_or_init(|| digest))
    }

    fn digest(&self, nodes: &[NodeRef]) -> Result<Digest<'a>, EvalError> {
        let mut digest = Digest { strings: HashSet::default(), least: f64::NAN, greatest: f64::NAN };
        for &node in nodes {
            let text = self.string_value(node);
            self.charge(1 + text.len() as u64 / BYTES_PER_STEP)?;
            let number = string_to_number(text);
            // min and max prefer what is a number; with no number at all every comparison is false.
            digest.least = digest.least.min(number);
            digest.greatest = digest.greatest.max(number);
            digest.strings.insert(text);
        }
        Ok(digest)
    }

    /// Whether the test is true of the string value of some node.
    fn any_of(&self, set: &Side<'a>, frame: &Frame<'_>, test: &mut dyn FnMut(&str) -> bool) -> Result<bool, EvalError> {
        let mut found = |node| Ok(test(self.string_value(node)));
        match set {
            Side::Sought(operation) => self.any_node(operation, frame, &mut found),
            Side::Nodes(nodes) => Ok(nodes.iter().any(|&node| test(self.string_value(node)))),
            _ => Ok(false),
        }
    }
}

impl Side<'_> {
    fn is_nodes(&self) -> bool {
        matches!(self, Side::Sought(_) | Side::Nodes(_))
    }

    fn to_number(&self) -> f64 {
        match self {
            Side::Boolean(value) => boolean_to_number(*value),
            Side::Number(value) => *value,
            Side::String(value) => string_to_number(value),
            Side::Sought(_) | Side::Nodes(_) => f64::NAN,
        }
    }

    fn to_boolean(&self) -> bool {
        match self {
            Side::Boolean(value) => *value,
            Side::Number(value) => number_to_boolean(*value),
            Side::String(value) => !value.is_empty(),
            Side::Sought(_) | Side::Nodes(_) => false,
        }
    }
}

/// Both sides are no nodes.
fn compare_atoms(comparison: Comparison, left: &Side<'_>, right: &Side<'_>) -> bool {
    let equality = matches!(comparison, Comparison::Eq | Comparison::Ne);
    match (left, right) {
        (Side::Boolean(_), _) | (_, Side::Boolean(_)) if equality => {
            (left.to_boolean() == right.to_boolean()) == (comparison == Comparison::Eq)
        }
        (Side::String(left), Side::String(right)) if equality => (left == right) == (comparison == Comparison::Eq),
        _ => compare_numbers(comparison, left.to_number(), right.to_number()),
    }
}

fn compare_numbers(comparison: Comparison, left: f64, right: f64) -> bool {
    match comparison {
        Comparison::Eq => left == right,
        Comparison::Ne => left != right,
        Comparison::Lt => left < right,
        Comparison::Le => left <= right,
        Comparison::Gt => left > right,
        Comparison::Ge => left >= right,
    }
}
