//! Conditions and paths of all subscriptions, each distinct part stored once.

use serde::{Deserialize, Serialize};

use super::interner::Interner;
use super::pattern::{Axis, Condition, Constant, Step, Value};
use super::tests::{TestId, Tests};
use super::values::{ConstantId, Constants, Operator};
use crate::ir::Comparison;
use crate::near::bring_at;

pub type ConditionId = u32;
/// Number of a path: its last step and the path before it, so that paths which begin alike share that; `END` is the empty
/// one. (Of a climb the last step is the one next to the anchor.)
pub type PathId = u32;

pub const TRUE: ConditionId = 0;
pub const END: PathId = 0;

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Shape {
    Known(bool),
    /// In ascending order.
    All(Box<[ConditionId]>),
    Any(Box<[ConditionId]>),
    Not(ConditionId),
    Exists(Axis, TestId, ConditionId),
    Is(TestId),
    Value(Operator, ConstantId),
    /// Comparison, number (as bits), test and conditions of those that count.
    Position(Comparison, u64, TestId, ConditionId),
}

/// A step and the path that leads to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Link {
    pub axis: Axis,
    pub test: TestId,
    pub condition: ConditionId,
    pub rest: PathId,
}

#[derive(Serialize, Deserialize)]
pub struct Shapes {
    pub tests: Tests,
    pub constants: Constants,
    conditions: Interner<Shape>,
    links: Interner<Link>,
}

impl Default for Shapes {
    fn default() -> Shapes {
        let mut shapes = Shapes {
            tests: Tests::default(),
            constants: Constants::default(),
            conditions: Interner::default(),
            links: Interner::default(),
        };
        shapes.conditions.intern(Shape::Known(true));
        // Takes the number of the empty path: no step has such a test.
        shapes.links.intern(Link { axis: Axis::Child, test: TestId::MAX, condition: TRUE, rest: END });
        shapes
    }
}

impl Shapes {
    pub fn condition(&self, id: ConditionId) -> Option<&Shape> {
        self.conditions.get(id)
    }

    #[inline]
    pub fn link(&self, id: PathId) -> Option<Link> {
        self.links.get(id).copied()
    }

    /// The paths to each of a path's steps, the longest first, each with its last step.
    pub fn links(&self, path: PathId) -> impl Iterator<Item = (PathId, Link)> + '_ {
        let some =
            |path: PathId| Some(path).filter(|&path| path != END).and_then(|path| Some((path, self.link(path)?)));
        std::iter::successors(some(path), move |(_, link)| some(link.rest))
    }

    /// Brings near the last step of a path.
    #[inline]
    pub fn bring_link(&self, path: PathId) {
        self.links.bring(path);
    }

    /// Brings near a condition.
    #[inline]
    pub fn bring(&self, condition: ConditionId) {
        self.conditions.bring(condition);
    }

    /// Brings near the parts of a condition.
    #[inline]
    pub fn bring_parts(&self, condition: ConditionId) {
        if let Some(Shape::All(parts) | Shape::Any(parts)) = self.condition(condition) {
            bring_at(parts, 0);
        }
    }

    /// A path whose first step comes first when it is followed; used once more.
    pub fn intern_path(&mut self, steps: &[Step]) -> PathId {
        let mut rest = END;
        for step in steps.iter().rev() {
            let condition = self.intern_all(&step.conditions);
            let link = Link { axis: step.axis, test: step.test, condition, rest };
            let (id, is_new) = self.links.intern(link);
            if !is_new {
                self.release_parts(link);
            }
            rest = id;
        }
        rest
    }

    pub fn release_path(&mut self, path: PathId) {
        if path != END {
            if let Some(link) = self.links.release(path) {
                self.release_parts(link);
            }
        }
    }

    fn release_parts(&mut self, link: Link) {
        self.release_condition(link.condition);
        self.release_path(link.rest);
    }

    /// One condition for all of these; used once more.
    pub fn intern_all(&mut self, conditions: &[Condition]) -> ConditionId {
        let ids = conditions.iter().map(|condition| self.intern_condition(condition)).collect();
        self.combined(ids, Shape::All, TRUE)
    }

    /// One of several conditions, or `none` if there are none.
    fn combined(
        &mut self,
        mut ids: Vec<ConditionId>,
        combine: impl FnOnce(Box<[ConditionId]>) -> Shape,
        none: ConditionId,
    ) -> ConditionId {
        ids.sort_unstable();
        let mut kept: Vec<ConditionId> = Vec::with_capacity(ids.len());
        for id in ids {
            if id == none || kept.last() == Some(&id) {
                self.release_condition(id);
            } else {
                kept.push(id);
            }
        }
        match kept.as_slice() {
            [] => none,
            [one] => *one,
            _ => self.intern_shape(combine(kept.into_boxed_slice())),
        }
    }

    fn intern_condition(&mut self, condition: &Condition) -> ConditionId {
        let shape = match condition {
            Condition::Known(true) => return TRUE,
            Condition::Known(false) => Shape::Known(false),
            Condition::All(args) => return self.intern_all(args),
            Condition::Any(args) => {
                let ids: Vec<ConditionId> = args.iter().map(|arg| self.intern_condition(arg)).collect();
                let never = self.intern_shape(Shape::Known(false));
                return self.combined(ids, Shape::Any, never);
            }
            Condition::Not(arg) => Shape::Not(self.intern_condition(arg)),
            Condition::Exists(step) => {
                let inner = self.intern_all(&step.conditions);
                Shape::Exists(step.axis, step.test, inner)
            }
            Condition::Is(test) => Shape::Is(*test),
            Condition::Value(value) => Shape::Value(value.operator, self.intern_constant(value)),
            Condition::Position { comparison, value, test, among } => {
                Shape::Position(*comparison, value.to_bits(), *test, self.intern_all(among))
            }
        };
        self.intern_shape(shape)
    }

    pub fn intern_constant(&mut self, value: &Value) -> ConstantId {
        match &value.constant {
            Constant::Text(text) => self.constants.intern_text(text),
            Constant::Number(number) => self.constants.intern_number(*number),
            // Templates are filled in before they are entered.
            Constant::Hole(_) => self.constants.intern_text(b""),
        }
    }

    /// The shape's number; the shape's own uses of others are given up if it was known.
    fn intern_shape(&mut self, shape: Shape) -> ConditionId {
        let (id, is_new) = self.conditions.intern(shape.clone());
        if !is_new {
            self.release_inner(&shape);
        }
        id
    }

    pub fn release_condition(&mut self, id: ConditionId) {
        if id != TRUE {
            if let Some(shape) = self.conditions.release(id) {
                self.release_inner(&shape);
            }
        }
    }

    fn release_inner(&mut self, shape: &Shape) {
        match shape {
            Shape::All(ids) | Shape::Any(ids) => ids.iter().for_each(|&id| self.release_condition(id)),
            Shape::Not(id) | Shape::Exists(_, _, id) | Shape::Position(.., id) => self.release_condition(*id),
            Shape::Value(operator, constant) => self.constants.release(*operator, *constant),
            Shape::Known(_) | Shape::Is(_) => {}
        }
    }

    /// Makes anew what is not stored.
    pub fn restore(&mut self) {
        self.constants.restore();
        self.conditions.restore();
        self.links.restore();
    }

    /// Distinct conditions and steps of paths.
    pub fn len(&self) -> (usize, usize) {
        (self.conditions.len() - 1, self.links.len() - 1)
    }

    pub fn bytes(&self) -> usize {
        self.constants.bytes() + self.conditions.bytes() + self.links.bytes()
    }
}
