//! Where constants are looked for besides those that trigger.

use rustc_hash::FxHashMap;

use super::pattern::Axis;
use super::plans::Route;
use super::shapes::{ConditionId, Shape, Shapes, END};
use super::tests::TestId;
use super::values::{ConstantId, Operator};

/// Number of a place.
pub type PlaceId = u32;

/// Where a constant is looked for: from the node so many levels above an anchor by some steps to a value.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Place {
    pub levels: u32,
    pub steps: Box<[(Axis, TestId)]>,
}

/// Each distinct place once.
#[derive(Default)]
pub struct Places {
    places: Vec<Place>,
    by_place: FxHashMap<Place, PlaceId>,
}

impl Places {
    pub fn clear(&mut self) {
        self.places.clear();
        self.by_place.clear();
    }

    pub fn get(&self, place: PlaceId) -> &Place {
        &self.places[place as usize]
    }

    /// A constant that must be there for a route's conditions to hold, and where: at the anchor, or else at what is surely above it.
    pub fn selection(&mut self, shapes: &Shapes, route: Route) -> Option<(PlaceId, ConstantId)> {
        let mut found = at_node(shapes, route.condition, 0);
        let (mut levels, mut next) = (0, shapes.link(route.above).filter(|_| route.above != END));
        while let (None, Some(link)) = (&found, next) {
            found = at_node(shapes, link.condition, levels);
            let has_one_parent = matches!(link.axis, Axis::Child | Axis::Attribute);
            next = shapes.link(link.rest).filter(|_| has_one_parent && link.rest != END);
            levels += 1;
        }
        let (place, constant) = found?;
        Some((self.number(place), constant))
    }

    fn number(&mut self, place: Place) -> PlaceId {
        let next = self.places.len() as PlaceId;
        let number = *self.by_place.entry(place.clone()).or_insert(next);
        if number == next {
            self.places.push(place);
        }
        number
    }
}

/// The first constant that a condition of the node so many levels above an anchor asks for.
fn at_node(shapes: &Shapes, condition: ConditionId, levels: u32) -> Option<(Place, ConstantId)> {
    let selected = |id: &ConditionId| {
        let mut steps = Vec::new();
        let constant = equality(shapes, *id, &mut steps)?;
        Some((Place { levels, steps: steps.into() }, constant))
    };
    match shapes.condition(condition)? {
        Shape::All(ids) => ids.iter().find_map(selected),
        _ => selected(&condition),
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
