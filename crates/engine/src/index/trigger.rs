//! What makes it worth looking at a subscription: the part of it that is rarest in documents, as far as can be told.
//!
//! A path is cut where its trigger hangs. For `/a[b]/c[d/e = 'x']/f` that is the value of `e`: the *trigger path*
//! `/a/c/d/e` leads to it, the *climb* `e`, `d` leads back up to the *anchor* `c`; the *prefix* `/a[b]/c` must hold for the
//! anchor, and the *suffix* `f` gives the results below it.

use std::cmp::Reverse;

use super::pattern::{Axis, Condition, Constant, Path, Step, Value};
use super::tests::TestId;
use super::values::Operator;
use crate::ir::Comparison;

#[derive(Debug, PartialEq)]
pub struct Cut {
    /// From the document to the node that triggers.
    pub trigger_path: Vec<(Axis, TestId)>,
    /// What the value of that node must be; None if its being there is enough.
    pub value: Option<Value>,
    /// From the node that triggers up to, not including, the anchor; without what the trigger proves.
    pub climb: Path,
    /// From the document to the anchor; without what the trigger proves.
    pub prefix: Path,
    /// From below the anchor to the results.
    pub suffix: Path,
}

/// Cuts a path at its best trigger; `users` tells how many have a constant already.
pub fn cut(path: Path, users: impl Fn(&Constant) -> u32) -> Cut {
    let mut best: Option<(Rank, usize, Route)> = None;
    for (place, step) in path.iter().enumerate() {
        let named = path[..=place].iter().filter(|step| step.is_named).count();
        let way = Way { named, climbs_straight: true };
        let mut routes = Vec::new();
        if place + 1 == path.len() {
            routes.push((Rank::structure(way), Route::default()));
        }
        find_routes(step, way, &users, &mut Vec::new(), &mut routes);
        for (rank, route) in routes {
            if best.as_ref().is_none_or(|(known, ..)| rank > *known) {
                best = Some((rank, place, route));
            }
        }
    }
    match best {
        Some((_, place, route)) => cut_at(path, place, route),
        None => Cut { trigger_path: Vec::new(), value: None, climb: Vec::new(), prefix: path, suffix: Vec::new() },
    }
}

/// What is left to check of a prefix if the trigger proves that there is a path to the anchor: conditions, and that they are on it.
pub fn unproven(mut prefix: Path) -> Path {
    let Some(first) = prefix.iter().position(|step| !step.conditions.is_empty()) else { return Vec::new() };
    // From a child or an attribute there is one way back, which is the one that is proven.
    if prefix[first + 1..].iter().all(|step| matches!(step.axis, Axis::Child | Axis::Attribute)) {
        prefix.drain(..first);
        prefix[0].axis = Axis::Descendant;
    }
    prefix
}

/// Where a trigger hangs on a step: through which conditions it is reached, and at last which one tests a value.
#[derive(Clone, Debug, Default)]
struct Route {
    branches: Vec<usize>,
    value: Option<usize>,
}

/// How selective a trigger is likely to be: the kind of its test, a constant that few others have (twice as many are no
/// more), a way up that needs no search, the names on its path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    kind: u8,
    users: Reverse<u32>,
    climbs_straight: bool,
    named: usize,
}

impl Rank {
    fn structure(way: Way) -> Rank {
        Rank { kind: 1, users: Reverse(0), climbs_straight: false, named: way.named }
    }

    fn of(value: &Value, way: Way, users: &impl Fn(&Constant) -> u32) -> Option<Rank> {
        let kind = match (value.operator, &value.constant) {
            // What every value passes, or none, is no trigger.
            (Operator::Contains | Operator::StartsWith | Operator::EndsWith, Constant::Text(text))
                if text.is_empty() =>
            {
                return None
            }
            (_, Constant::Number(number)) if number.is_nan() => return None,
            (Operator::Is, _) => 6,
            (Operator::Number(Comparison::Eq), _) => 5,
            (Operator::StartsWith | Operator::EndsWith, _) => 4,
            (Operator::Contains, _) => 3,
            (Operator::Number(Comparison::Ne), _) | (Operator::IsNot, _) => return None,
            (Operator::Number(_), _) => 2,
        };
        let magnitude = users(&value.constant).checked_ilog2().map_or(0, |log| log + 1);
        Some(Rank { kind, users: Reverse(magnitude), climbs_straight: way.climbs_straight, named: way.named })
    }
}

/// The way from the document to where a trigger hangs.
#[derive(Clone, Copy)]
struct Way {
    named: usize,
    /// From the anchor on it has no descendant steps.
    climbs_straight: bool,
}

fn find_routes(
    step: &Step,
    way: Way,
    users: &impl Fn(&Constant) -> u32,
    branches: &mut Vec<usize>,
    routes: &mut Vec<(Rank, Route)>,
) {
    for (index, condition) in step.conditions.iter().enumerate() {
        match condition {
            Condition::Value(value) => {
                if let Some(rank) = Rank::of(value, way, users) {
                    routes.push((rank, Route { branches: branches.clone(), value: Some(index) }));
                }
            }
            Condition::Exists(branch) if branch.axis != Axis::DescendantOrSelf => {
                branches.push(index);
                let way = Way {
                    named: way.named + usize::from(branch.is_named),
                    climbs_straight: way.climbs_straight && branch.axis != Axis::Descendant,
                };
                routes.push((Rank::structure(way), Route { branches: branches.clone(), value: None }));
                find_routes(branch, way, users, branches, routes);
                branches.pop();
            }
            _ => {}
        }
    }
}

fn cut_at(mut path: Path, place: usize, route: Route) -> Cut {
    let suffix = path.split_off(place + 1);
    let mut trigger_path: Vec<(Axis, TestId)> = path.iter().map(|step| (step.axis, step.test)).collect();
    let mut chain = Vec::new();
    let mut at = path.pop();
    for index in route.branches {
        let Some(mut step) = at else { break };
        at = match step.conditions.remove(index) {
            Condition::Exists(branch) => {
                trigger_path.push((branch.axis, branch.test));
                Some(*branch)
            }
            _ => None,
        };
        chain.push(step);
    }
    let mut value = None;
    if let Some(mut step) = at {
        if let Some(index) = route.value {
            if let Condition::Value(found) = step.conditions.remove(index) {
                value = Some(found);
            }
        }
        chain.push(step);
    }
    let mut climb = chain.split_off(1.min(chain.len()));
    climb.reverse();
    path.append(&mut chain);
    Cut { trigger_path, value, climb, prefix: path, suffix }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(test: TestId, conditions: Vec<Condition>) -> Step {
        Step { axis: Axis::Child, test, is_named: true, conditions }
    }

    fn exists(step: Step) -> Condition {
        Condition::Exists(Box::new(step))
    }

    fn is(text: &str) -> Condition {
        Condition::Value(Value { operator: Operator::Is, constant: Constant::Text(text.as_bytes().into()) })
    }

    fn tests(path: &[Step]) -> Vec<TestId> {
        path.iter().map(|step| step.test).collect()
    }

    /// `/a[b]/c[d/e = 'x']/f`, the example at the top of this file.
    #[test]
    fn a_path_is_cut_at_its_constant() {
        let [a, b, c, d, e, f] = [10, 11, 12, 13, 14, 15];
        let branch = exists(step(d, vec![exists(step(e, vec![is("x")]))]));
        let path = vec![step(a, vec![exists(step(b, vec![]))]), step(c, vec![branch]), step(f, vec![])];
        let cut = cut(path, |_| 0);
        assert_eq!(cut.trigger_path.iter().map(|(_, test)| *test).collect::<Vec<_>>(), [a, c, d, e]);
        assert_eq!(cut.value.map(|value| value.operator), Some(Operator::Is));
        assert_eq!((tests(&cut.climb), tests(&cut.prefix), tests(&cut.suffix)), (vec![e, d], vec![a, c], vec![f]));
        // What the trigger proves is not asked for again; the rest is.
        assert!(cut.climb.iter().all(|step| step.conditions.is_empty()));
        assert_eq!(cut.prefix.iter().map(|step| step.conditions.len()).collect::<Vec<_>>(), [1, 0]);
    }

    #[test]
    fn of_two_constants_the_rarer_one_triggers() {
        let path = vec![step(10, vec![exists(step(11, vec![is("often")])), exists(step(12, vec![is("seldom")]))])];
        let users = |constant: &Constant| u32::from(*constant == Constant::Text(b"often".as_slice().into()));
        let cut = cut(path, users);
        assert_eq!(cut.trigger_path.last().map(|(_, test)| *test), Some(12));
        assert_eq!(cut.prefix[0].conditions.len(), 1);
    }

    #[test]
    fn without_constants_the_path_with_most_names_triggers() {
        let path = vec![step(10, vec![exists(step(11, vec![exists(step(12, vec![]))]))]), step(13, vec![])];
        let cut = cut(path, |_| 0);
        assert_eq!(cut.trigger_path.len(), 3);
        assert_eq!((cut.value, tests(&cut.suffix)), (None, vec![13]));
    }
}
