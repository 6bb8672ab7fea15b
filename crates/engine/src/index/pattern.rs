//! The subscriptions that an index can hold: paths downward whose predicates look downward.

use serde::{Deserialize, Serialize};

use super::tests::{TestId, Tests};
use super::values::Operator;
use crate::ir::{Comparison, Test};
use crate::machine::{value_test, CompiledOrigin, CompiledProgram, CompiledSink, Cond, Role, StepAxis};

/// Longer paths and deeper predicates stay with the streaming machine: the index follows them by recursion.
const MAX_SIZE: usize = 64;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Axis {
    Child,
    Descendant,
    DescendantOrSelf,
    Attribute,
}

/// An axis and a test, in one number.
pub type AxisAndTest = u32;

const AXIS_SHIFT: u32 = 30;

#[inline]
pub fn packed(axis: Axis, test: TestId) -> AxisAndTest {
    test | (axis as u32) << AXIS_SHIFT
}

#[inline]
pub fn unpacked(packed: AxisAndTest) -> (Axis, TestId) {
    let axis = match packed >> AXIS_SHIFT {
        0 => Axis::Child,
        1 => Axis::Descendant,
        2 => Axis::DescendantOrSelf,
        _ => Axis::Attribute,
    };
    (axis, packed & ((1 << AXIS_SHIFT) - 1))
}

/// One step of a path; all its conditions must hold.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Step {
    pub axis: Axis,
    pub test: TestId,
    /// The test asks for a name.
    pub is_named: bool,
    pub conditions: Vec<Condition>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Condition {
    Known(bool),
    All(Vec<Condition>),
    Any(Vec<Condition>),
    Not(Box<Condition>),
    /// Some node is found by the step.
    Exists(Box<Step>),
    Is(TestId),
    Value(Value),
    /// The node's place among its siblings that pass the test and the conditions.
    Position {
        comparison: Comparison,
        value: f64,
        test: TestId,
        among: Vec<Condition>,
    },
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Value {
    pub operator: Operator,
    pub constant: Constant,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Constant {
    Text(Box<[u8]>),
    Number(f64),
    /// To be filled in with the literal of this number.
    Hole(usize),
}

/// A path from the document; its last step selects.
pub type Path = Vec<Step>;

/// The paths whose nodes the program delivers; None if an index cannot hold it.
pub fn paths(program: &CompiledProgram, tests: &mut Tests) -> Option<Vec<Path>> {
    let CompiledSink::Nodes(origins) = &program.sink else { return None };
    let mut reader = Reader { program, tests };
    origins
        .iter()
        .map(|origin| match origin {
            CompiledOrigin::Step(step) => reader.path(*step),
            CompiledOrigin::Tail { .. } => None,
        })
        .collect()
}

struct Reader<'a> {
    program: &'a CompiledProgram,
    tests: &'a mut Tests,
}

impl Reader<'_> {
    fn path(&mut self, last: u32) -> Option<Path> {
        let mut path = Vec::new();
        let mut at = last;
        while at != 0 {
            if path.len() == MAX_SIZE {
                return None;
            }
            let step = self.program.steps.get(at as usize - 1)?;
            if step.role != Role::Trunk || step.axis == StepAxis::DescendantOrSelf {
                return None;
            }
            path.push(self.step(at, MAX_SIZE)?);
            at = step.from;
        }
        path.reverse();
        (!path.is_empty()).then_some(path)
    }

    fn step(&mut self, step: u32, depth: usize) -> Option<Step> {
        let step = self.program.steps.get(step as usize - 1)?;
        let axis = match step.axis {
            StepAxis::Child => Axis::Child,
            StepAxis::Descendant => Axis::Descendant,
            StepAxis::DescendantOrSelf => Axis::DescendantOrSelf,
            StepAxis::Attribute => Axis::Attribute,
            StepAxis::SelfAxis | StepAxis::FollowingSibling | StepAxis::Following => return None,
        };
        let counted = (axis != Axis::Attribute).then(|| self.tests.intern(&step.test));
        let mut conditions = Vec::new();
        let all = match step.condition.as_deref() {
            None => &[],
            Some(Cond::And(args)) => args.as_slice(),
            Some(one) => std::slice::from_ref(one),
        };
        for condition in all {
            conditions.push(match condition {
                Cond::Position { comparison, value, .. } => Condition::Position {
                    comparison: *comparison,
                    value: *value,
                    test: counted?,
                    among: conditions.clone(),
                },
                other => self.condition(other, depth.checked_sub(1)?)?,
            });
        }
        let is_named = matches!(step.test, Test::Name { local: Some(_), .. });
        Some(Step { axis, test: self.tests.intern(&step.test), is_named, conditions })
    }

    fn condition(&mut self, condition: &Cond, depth: usize) -> Option<Condition> {
        let inner = depth.checked_sub(1)?;
        let mut all = |args: &[Cond]| args.iter().map(|arg| self.condition(arg, inner)).collect::<Option<Vec<_>>>();
        Some(match condition {
            Cond::Known(value) => Condition::Known(*value),
            Cond::And(args) => Condition::All(all(args)?),
            Cond::Or(args) => Condition::Any(all(args)?),
            Cond::Not(arg) => Condition::Not(Box::new(self.condition(arg, inner)?)),
            Cond::Exists(step) => {
                // A branch of the document is asked of the document, not of this node.
                if self.program.steps.get(*step as usize - 1)?.from == 0 {
                    return None;
                }
                Condition::Exists(Box::new(self.step(*step, inner)?))
            }
            Cond::Is(test) => Condition::Is(self.tests.intern(test)),
            Cond::Value(test) => Condition::Value(value(test)),
            Cond::Up(..) | Cond::Before(..) | Cond::Position { .. } | Cond::Place { .. } | Cond::Eval { .. } => {
                return None
            }
        })
    }
}

fn value(test: &value_test::Test) -> Value {
    use value_test::Test;
    let text = |text: &[u8]| Constant::Text(text.into());
    let (operator, constant) = match test {
        Test::Text { equal: true, value } => (Operator::Is, text(value)),
        Test::Text { equal: false, value } => (Operator::IsNot, text(value)),
        Test::Contains(finder) => (Operator::Contains, text(finder.needle())),
        Test::StartsWith(value) => (Operator::StartsWith, text(value)),
        Test::EndsWith(value) => (Operator::EndsWith, text(value)),
        Test::Number { comparison, value } => (Operator::Number(*comparison), Constant::Number(*value)),
    };
    Value { operator, constant }
}
