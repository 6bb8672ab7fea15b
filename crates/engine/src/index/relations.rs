//! Which names are found below which in a document.
//!
//! In a large document nearly every name is found somewhere, and what was called for is dismissed by few names that are missing.
//! But few of them are found right below the one that a step is taken from.

use super::nodes::{Nodes, DOCUMENT};
use super::pattern::Axis;
use super::plans::{PlanId, Route};
use super::shapes::{ConditionId, Link, PathId, Shape, Shapes, END, TRUE};
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

/// Of the relations that something needs, the last ones: they are the least likely.
#[derive(Clone, Copy)]
pub struct Several {
    /// The last one first.
    relations: [Relation; MOST],
    count: usize,
}

/// So many are told apart: more than are needed, since those that others need too are left out.
const MOST: usize = 16;

impl Several {
    pub fn last_of(all: &[Relation]) -> Several {
        all.iter().rev().take(MOST).copied().collect()
    }

    fn iter(&self) -> impl DoubleEndedIterator<Item = Relation> + '_ {
        self.relations[..self.count].iter().copied()
    }

    /// What all need.
    pub fn common(each: impl Iterator<Item = Several>) -> Several {
        let both =
            |left: Several, right: Several| left.iter().filter(|one| right.iter().any(|other| *one == other)).collect();
        each.reduce(both).unwrap_or_else(|| Several::last_of(&[]))
    }

    pub fn without(&self, others: &Several) -> Several {
        self.iter().filter(|one| others.iter().all(|other| *one != other)).collect()
    }

    pub fn needed(&self) -> Needed {
        let mut needed = NOTHING_NEEDED;
        needed.iter_mut().zip(self.iter()).for_each(|(place, relation)| *place = relation);
        needed
    }
}

impl FromIterator<Relation> for Several {
    fn from_iter<I: IntoIterator<Item = Relation>>(all: I) -> Several {
        let mut several = Several { relations: [ALWAYS; MOST], count: 0 };
        for (place, relation) in several.relations.iter_mut().zip(all) {
            *place = relation;
            several.count += 1;
        }
        several
    }
}

impl Index {
    /// The relations that a plan needs; what its trigger proves not among them. `needed` is a list to work with.
    pub fn plan_relations(&self, plan: PlanId, needed: &mut Vec<Relation>) -> Several {
        let (Route { climb, above, condition, suffix }, shapes) = (self.plans.route(plan), &self.shapes);
        needed.clear();
        let mut levels = climb.as_levels().unwrap_or(0) as usize;
        for (_, link) in climb.as_path().into_iter().flat_map(|path| shapes.links(path)) {
            levels += 1;
            if link.condition != TRUE {
                let at = shapes.tests.is_local_name(link.test).then_some(Named { test: link.test, levels: 0 });
                shapes.condition_relations(link.condition, at, needed);
            }
        }
        let anchor = if above == END {
            let trigger = self.triggers.key(self.plans.trigger(plan)).node;
            shapes.nearest_name(self.trie.way_up(trigger).skip(levels))
        } else {
            shapes.path_relations(above, None, needed)
        };
        shapes.condition_relations(condition, anchor, needed);
        shapes.path_relations(suffix, anchor, needed);
        Several::last_of(needed)
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
                let of_each = ids.iter().map(|&id| {
                    let mut needed = Vec::new();
                    self.condition_relations(id, of, &mut needed);
                    Several::last_of(&needed)
                });
                needed.extend(Several::common(of_each).iter().rev());
            }
            Some(&Shape::Exists(axis, test, condition)) => {
                self.step_relations(Link { axis, test, condition, rest: END }, of, needed);
            }
            _ => {}
        }
    }

    /// The same for a path; its steps were put together from the last one on.
    pub fn path_relations(&self, path: PathId, from: Option<Named>, needed: &mut Vec<Relation>) -> Option<Named> {
        let Some(link) = self.link(path).filter(|_| path != END) else { return from };
        let from = self.path_relations(link.rest, from, needed);
        self.step_relations(link, from, needed)
    }

    /// The nearest name on the way to where steps lead, the last of which comes first.
    fn nearest_name(&self, steps: impl Iterator<Item = Link>) -> Option<Named> {
        let mut levels = 0;
        for Link { axis, test, .. } in steps {
            match axis {
                Axis::Attribute => return None,
                _ if self.tests.is_local_name(test) => return Some(Named { test, levels: FAR.min(levels) }),
                Axis::Child => levels += 1,
                Axis::Descendant => levels = FAR,
                Axis::DescendantOrSelf => return None,
            }
        }
        None
    }
}
