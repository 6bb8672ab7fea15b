//! Which names are found below which in a document.
//!
//! In a large document nearly every name is found somewhere, and what was called for is dismissed by few names that are missing.
//! But few of them are found right below the one that a step is taken from.

use super::nodes::Nodes;
use super::pattern::Axis;
use super::plans::{PlanId, Route};
use super::shapes::{ConditionId, Link, PathId, Shape, Shapes, END};
use super::suffixes::way;
use super::tests::TestId;
use super::Index;
use crate::tape::{Node, NO_PARENT};

/// That a name is found, or found so far below another; as a number, which others may have too.
pub type Relation = u16;

/// What must be found in a document; the places that are left hold `ALWAYS`.
pub type Needed = [Relation; 8];

const BITS: usize = 8192;
const ALWAYS: Relation = 0;
pub const NOTHING_NEEDED: Needed = [ALWAYS; 8];

/// The relations of a document.
pub struct Relations([u64; BITS / 64]);

/// Those of a document that might have anything.
pub static EVERYTHING: Relations = Relations([u64::MAX; BITS / 64]);

/// In larger or deeper documents everything is taken to be there.
const MOST_NODES: usize = 2048;
const MOST_LEVELS: usize = 16;

/// From so many levels on a name is somewhere below another.
const FAR: u32 = 3;

fn relation(name: TestId, below: Option<Named>) -> Relation {
    let (above, levels) = below.map_or((TestId::MAX, 0), |below| (below.test, below.levels));
    let hash = (above ^ levels << 30).wrapping_mul(0x9E37_79B1).rotate_left(15) ^ name;
    (hash.wrapping_mul(0x85EB_CA6B) >> (u32::BITS - BITS.ilog2())) as Relation
}

/// The nearest name on the way to a node that is known, and how many levels above the node.
#[derive(Clone, Copy)]
pub struct Named {
    test: TestId,
    levels: u32,
}

impl Relations {
    pub fn of(nodes: Nodes<'_>) -> Relations {
        let mut relations = Relations([0; BITS / 64]);
        relations.add(ALWAYS);
        let is_small = nodes.of_node.len() <= MOST_NODES;
        if !is_small || !(1..nodes.of_node.len()).all(|node| relations.add_node(nodes, node as Node)) {
            relations.0.fill(u64::MAX);
        }
        relations
    }

    /// Adds those of a node; whether it is not too deep for that. No one asks for those of attributes.
    fn add_node(&mut self, nodes: Nodes<'_>, node: Node) -> bool {
        let names = nodes.names(node);
        if names.is_empty() || nodes.is_attribute(node) {
            return true;
        }
        names.iter().for_each(|&name| self.add(relation(name, None)));
        let parent = |node: Node| Some(nodes.parent(node)).filter(|&parent| parent != NO_PARENT);
        for (level, above) in (1..).zip(std::iter::successors(parent(node), |&above| parent(above))) {
            if level > MOST_LEVELS as u32 {
                return false;
            }
            for &test in nodes.names(above) {
                for &name in names {
                    self.add(relation(name, Some(Named { test, levels: FAR })));
                    if level < FAR {
                        self.add(relation(name, Some(Named { test, levels: level })));
                    }
                }
            }
        }
        true
    }

    fn add(&mut self, relation: Relation) {
        self.0[usize::from(relation) / 64] |= 1 << (relation % 64);
    }

    #[inline]
    pub fn have(&self, needed: &Needed) -> bool {
        needed.iter().all(|&relation| self.0[usize::from(relation) / 64 % self.0.len()] >> (relation % 64) & 1 != 0)
    }
}

/// The first ones of those that are needed, which are the least likely.
pub fn needed(relations: &[Relation]) -> Needed {
    let mut needed = NOTHING_NEEDED;
    needed.iter_mut().zip(relations).for_each(|(place, &relation)| *place = relation);
    needed
}

/// What all need.
pub fn common(each: impl Iterator<Item = Vec<Relation>>) -> Vec<Relation> {
    each.reduce(|mut common, other| {
        common.retain(|relation| other.contains(relation));
        common
    })
    .unwrap_or_default()
}

impl Index {
    /// The relations that a plan needs, the last ones of its suffix first; what its trigger proves not among them.
    pub fn plan_relations(&self, plan: PlanId) -> Vec<Relation> {
        let (Route { climb, above, condition, suffix }, shapes) = (self.plans.route(plan), &self.shapes);
        let climbed = climb.as_path().map_or(Vec::new(), |path| way(shapes, path));
        let mut needed = Vec::new();
        for link in climbed.iter().filter_map(|&path| shapes.link(path)) {
            let at = shapes.tests.is_local_name(link.test).then_some(Named { test: link.test, levels: 0 });
            shapes.condition_relations(link.condition, at, &mut needed);
        }
        let anchor = if above == END {
            let levels = climb.as_levels().map_or(climbed.len(), |levels| levels as usize);
            let trigger = self.triggers.key(self.plans.trigger(plan)).node;
            let steps: Vec<Link> = self.trie.way_up(trigger).skip(levels).collect();
            steps.into_iter().rev().fold(None, |from, step| shapes.step_relations(step, from, &mut Vec::new()))
        } else {
            shapes.path_relations(above, None, &mut needed)
        };
        shapes.condition_relations(condition, anchor, &mut needed);
        shapes.path_relations(suffix, anchor, &mut needed);
        needed.reverse();
        needed
    }
}

impl Shapes {
    /// The relations that a step needs which is taken from below a name, and the name on the way to what it leads to.
    pub fn step_relations(&self, step: Link, from: Option<Named>, needed: &mut Vec<Relation>) -> Option<Named> {
        let Link { axis, test, condition, .. } = step;
        let context = match axis {
            Axis::Child => from.map(|from| Named { levels: FAR.min(from.levels + 1), ..from }),
            Axis::Descendant => from.map(|from| Named { levels: FAR, ..from }),
            Axis::DescendantOrSelf => None,
            // Which attributes there are is not always kept.
            Axis::Attribute => return None,
        };
        let reached = if self.tests.is_local_name(test) {
            needed.push(relation(test, context));
            Some(Named { test, levels: 0 })
        } else {
            context
        };
        self.condition_relations(condition, reached, needed);
        reached
    }

    pub fn condition_relations(&self, condition: ConditionId, of: Option<Named>, needed: &mut Vec<Relation>) {
        match self.condition(condition) {
            Some(Shape::All(ids)) => ids.iter().for_each(|&id| self.condition_relations(id, of, needed)),
            Some(Shape::Any(ids)) => {
                needed.extend(common(ids.iter().map(|&id| {
                    let mut needed = Vec::new();
                    self.condition_relations(id, of, &mut needed);
                    needed
                })));
            }
            Some(&Shape::Exists(axis, test, condition)) => {
                self.step_relations(Link { axis, test, condition, rest: END }, of, needed);
            }
            _ => {}
        }
    }

    /// The same for a path; its steps were put together from the last one on.
    pub fn path_relations(&self, path: PathId, from: Option<Named>, needed: &mut Vec<Relation>) -> Option<Named> {
        let links = way(self, path).into_iter().filter_map(|path| self.link(path));
        links.fold(from, |from, link| self.step_relations(link, from, needed))
    }
}
