//! Which names are found below which in a document.
//!
//! In a large document nearly every name is found somewhere, and what was called for is dismissed by few names that are missing.
//! But few of them are found right below the one that a step is taken from.

use super::nodes::{Nodes, DOCUMENT};
use super::pattern::Axis;
use super::plans::{PlanId, Route};
use super::shapes::{ConditionId, Link, PathId, Shape, Shapes, END};
use super::suffixes::way;
use super::tests::{Marks, TestId, NODE};
use super::Index;
use crate::tape::Node;

/// That a name is found, or found so far below another; as a number, which others may have too.
pub type Relation = u16;

/// What must be found in a document; the places that are left hold `ALWAYS`.
pub type Needed = [Relation; 8];

/// `node()`, which whatever is found passes.
const ALWAYS: Relation = NODE as Relation;
pub const NOTHING_NEEDED: Needed = [ALWAYS; 8];

/// Of each name, of which some are taken for one, the marks of what is one level below, two, and so many that they do not count; before
/// them those of all that is found.
pub struct Relations([u64; ROWS * WORDS]);

const NAMES: usize = 64;
const ROWS: usize = (FAR as usize + 1) * NAMES;
const WORDS: usize = (Marks::BITS / u64::BITS) as usize;

/// Those of a document that might have anything.
pub static EVERYTHING: Relations = Relations([u64::MAX; ROWS * WORDS]);

/// In larger documents everything is taken to be there.
const MOST_NODES: usize = 2048;

/// From so many levels on a name is somewhere below another.
const FAR: u32 = 3;

fn relation(name: TestId, below: Option<Named>) -> Relation {
    let row = below.map_or(0, |below| row(below.test, below.levels));
    (row as u32 * Marks::BITS + name % Marks::BITS) as Relation
}

fn row(above: TestId, levels: u32) -> usize {
    levels as usize * NAMES + above as usize % NAMES
}

/// The nearest name on the way to a node that is known, and how many levels above the node.
#[derive(Clone, Copy)]
pub struct Named {
    test: TestId,
    levels: u32,
}

impl Relations {
    pub fn of(nodes: Nodes<'_>) -> Relations {
        if nodes.of_node.len() > MOST_NODES {
            return Relations(EVERYTHING.0);
        }
        let mut relations = Relations([0; ROWS * WORDS]);
        // What is below a node is known faster when that is known for all that it has.
        for node in (1..nodes.of_node.len() as Node).rev().filter(|&node| !nodes.is_attribute(node)) {
            relations.add_node(nodes, node);
        }
        relations.add(0, nodes.below(DOCUMENT));
        relations
    }

    fn add_node(&mut self, nodes: Nodes<'_>, node: Node) {
        let (parent, own) = (nodes.parent(node), nodes.symbols.marks(nodes.of_node[node as usize]));
        nodes.names(node).iter().for_each(|&name| self.add(row(name, FAR), nodes.below(node)));
        nodes.names(parent).iter().for_each(|&name| self.add(row(name, 1), own));
        if parent != DOCUMENT {
            nodes.names(nodes.parent(parent)).iter().for_each(|&name| self.add(row(name, 2), own));
        }
    }

    #[inline]
    fn add(&mut self, row: usize, marks: Marks) {
        self.0[row * WORDS] |= marks as u64;
        self.0[row * WORDS + 1] |= (marks >> u64::BITS) as u64;
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
