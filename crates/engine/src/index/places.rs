//! Where constants are looked for besides those that trigger.

use rustc_hash::FxHashMap;

use super::pattern::Axis;
use super::plans::Route;
use super::shapes::{ConditionId, Link, Shape, Shapes, END, TRUE};
use super::tests::TestId;
use super::values::{ConstantId, Operator};

/// Number of a place.
pub type PlaceId = u32;

/// Where a constant is looked for: from a node on the way to an anchor by some steps to a value.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Place {
    pub from: From,
    pub steps: Box<[(Axis, TestId)]>,
}

/// A node on the way to an anchor.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub enum From {
    /// So many levels above the anchor.
    Above(u32),
    /// So many levels below the document.
    Depth(u32),
}

/// A route, without what is proven if only those are looked at that have a constant at a place.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Selected {
    pub place: Option<PlaceId>,
    /// 0 if there is none.
    pub constant: ConstantId,
    pub route: Route,
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

    /// Finds a constant that must be at some place for the conditions of a route to hold: at the anchor, or else above it.
    pub fn select(&mut self, shapes: &Shapes, route: Route) -> Selected {
        if let Some(Equality { steps, constant, is_all }) = equality_of(shapes, route.condition) {
            let condition = if is_all { TRUE } else { route.condition };
            let place = Some(self.number(Place { from: From::Above(0), steps }));
            return Selected { place, constant, route: Route { condition, ..route } };
        }
        let links: Vec<Link> = shapes.links(route.above).map(|(_, link)| link).collect();
        let found = surely_above(&links).find_map(|(from, link)| Some((from, equality_of(shapes, link.condition)?)));
        let Some((from, Equality { steps, constant, is_all })) = found else {
            return Selected { place: None, constant: 0, route };
        };
        // If that was all the path asks for besides names, a trigger from which a straight way leads up proves the rest.
        let is_only = links.iter().filter(|link| link.condition != TRUE).count() == 1;
        let is_proven = is_all && is_only && route.climb.as_levels().is_some();
        let above = if is_proven { END } else { route.above };
        Selected { place: Some(self.number(Place { from, steps })), constant, route: Route { above, ..route } }
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

/// Those of the links of a path, the anchor's first, of which it is certain which node above an anchor they lead to: nodes have one parent,
/// and one ancestor at each depth.
fn surely_above(links: &[Link]) -> impl Iterator<Item = (From, &Link)> {
    let is_child = |link: &&Link| matches!(link.axis, Axis::Child | Axis::Attribute);
    let near = links.iter().take_while(is_child).count() + 1;
    let deep = links.iter().rev().take_while(is_child);
    (0..).map(From::Above).zip(links.iter().take(near)).chain((1..).map(From::Depth).zip(deep))
}

/// That a value at the end of some steps is a constant.
struct Equality {
    steps: Box<[(Axis, TestId)]>,
    constant: ConstantId,
    /// The condition asks for nothing else.
    is_all: bool,
}

/// The first equality without which a condition does not hold.
fn equality_of(shapes: &Shapes, condition: ConditionId) -> Option<Equality> {
    let one = |id: &ConditionId| {
        let mut steps = Vec::new();
        let constant = equality(shapes, *id, &mut steps)?;
        Some(Equality { steps: steps.into(), constant, is_all: *id == condition })
    };
    match shapes.condition(condition)? {
        Shape::All(ids) => ids.iter().find_map(one),
        _ => one(&condition),
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
