//! Where constants are looked for besides those that trigger.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::pattern::Axis;
use super::shapes::{ConditionId, Shape, Shapes};
use super::tests::TestId;
use super::values::{ConstantId, Operator};

/// Number of some steps that lead from an anchor to a value.
pub type PlaceId = u32;

type Steps = Arc<[(Axis, TestId)]>;

/// Each distinct place once.
#[derive(Default)]
pub struct Places {
    steps: Vec<Steps>,
    by_steps: FxHashMap<Steps, PlaceId>,
}

impl Places {
    pub fn clear(&mut self) {
        self.steps.clear();
        self.by_steps.clear();
    }

    pub fn steps(&self, place: PlaceId) -> &[(Axis, TestId)] {
        &self.steps[place as usize]
    }

    /// A constant that must be there for a condition to hold, and where.
    pub fn selection(&mut self, shapes: &Shapes, condition: ConditionId) -> Option<(PlaceId, ConstantId)> {
        let equality = |id: &ConditionId| {
            let mut steps = Vec::new();
            let constant = equality(shapes, *id, &mut steps)?;
            Some((steps, constant))
        };
        let (steps, constant) = match shapes.condition(condition)? {
            Shape::All(ids) => ids.iter().find_map(equality)?,
            _ => equality(&condition)?,
        };
        Some((self.place(steps.into()), constant))
    }

    fn place(&mut self, steps: Steps) -> PlaceId {
        let next = self.steps.len() as PlaceId;
        let place = *self.by_steps.entry(Arc::clone(&steps)).or_insert(next);
        if place == next {
            self.steps.push(steps);
        }
        place
    }
}

/// The constant that a condition asks for at the end of some steps, if that is all it asks.
fn equality(shapes: &Shapes, condition: ConditionId, steps: &mut Vec<(Axis, TestId)>) -> Option<ConstantId> {
    match shapes.condition(condition)? {
        Shape::Exists(axis, test, inner) => {
            steps.push((*axis, *test));
            equality(shapes, *inner, steps)
        }
        Shape::Value(Operator::Is, constant) => Some(*constant).filter(|_| !steps.is_empty()),
        _ => None,
    }
}
