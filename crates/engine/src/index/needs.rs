//! What must be found in a document for a path or a condition to hold, as far as names tell.
//!
//! Most of what is called for is dismissed by comparing this with the names that are there.

use super::pattern::Axis;
use super::shapes::{ConditionId, Link, PathId, Shape, Shapes};
use super::tests::{mark, Marks, NODE, TEXT};

impl Shapes {
    /// What a step and its condition need below the node that the step is taken from.
    pub fn step_needs(&self, link: Link) -> Marks {
        // A step that may stay where it is leads to nothing below for sure.
        let is_below = link.axis != Axis::DescendantOrSelf;
        let own = if is_below { mark(link.test) } else { 0 };
        own | self.condition_needs(link.condition, is_below)
    }

    /// What a path that starts at the document needs in it.
    pub fn path_needs(&self, path: PathId) -> Marks {
        let needs = |(_, link): (PathId, Link)| mark(link.test) | self.condition_needs(link.condition, true);
        self.links(path).map(needs).fold(0, |all, needs| all | needs)
    }

    /// What a condition needs below a certain node; `is_below`: the node that it is a condition of is itself below that.
    pub fn condition_needs(&self, condition: ConditionId, is_below: bool) -> Marks {
        let inner = |id: &ConditionId| self.condition_needs(*id, is_below);
        match self.condition(condition) {
            Some(Shape::All(ids)) => ids.iter().map(inner).fold(0, |all, needs| all | needs),
            Some(Shape::Any(ids)) => ids.iter().map(inner).reduce(|common, needs| common & needs).unwrap_or(0),
            Some(Shape::Is(test)) if is_below => mark(*test),
            // What conditions look at may be kept aside, where no one asks what is there.
            Some(Shape::Exists(Axis::Attribute, ..) | Shape::Exists(_, NODE | TEXT, _)) => 0,
            Some(Shape::Exists(axis, test, inner)) => {
                let is_below = is_below || *axis != Axis::DescendantOrSelf;
                let own = if is_below { mark(*test) } else { 0 };
                own | self.condition_needs(*inner, is_below)
            }
            _ => 0,
        }
    }
}
