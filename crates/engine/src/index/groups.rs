//! Subscriptions that a trigger calls for together and that are checked alike.

use std::cell::{Ref, RefCell};

use super::block::{Block, Gate, Kin, Stem, Up};
use super::pattern::Axis;
use super::places::{PlaceId, Places, Selected};
use super::plans::{Climb, PlanId, Route, TriggerId};
use super::reached;
use super::relations::Several;
use super::shapes::{ConditionId, PathId, Shapes, END, TRUE};
use super::spots::{SpotId, Spots};
use super::suffixes::{Branch, Step, Suffixes, Way};
use super::takers::{Takers, NO_ONE};
use super::tests::{mark, Marks, Symbols};
use super::told::{Key, Row, Rows};
use super::values::ConstantId;
use super::Index;
use crate::lists::Lists;

/// Number of what a trigger calls for, among all that an automaton knows.
pub type GroupsId = u32;

/// All that one trigger calls for. A document looks at a few of very many: what most are dismissed by is near to that of others.
#[derive(Default)]
pub struct Groups {
    pub block: Block,
    given: Box<Given>,
}

/// Groups, and what is to be known of them before they are looked at.
pub struct Gathered {
    pub groups: Groups,
    /// The last tests of the paths that trigger them: groups that have none of these in common have no one in common.
    pub fields: Marks,
    /// What must be found in a document for any of them to get anything.
    pub needs: Marks,
}

/// Who gets what groups lead to.
#[derive(Default)]
struct Given {
    /// Those of the block; after them long ones that rows refer to.
    lists: RefCell<Lists>,
    /// How many are the block's.
    own_lists: (u32, u32),
    /// The rows that tell who gets the nodes at spots, or that were asked for.
    rows: RefCell<Vec<Key>>,
}

/// A group while it is put in order: its kin, the constant that selects it, its route and who is in it.
struct Keyed {
    kin: (Climb, Option<PlaceId>),
    constant: ConstantId,
    route: Route,
    takers: Takers,
    relations: Several,
}

impl Keyed {
    /// Groups that are alike in this have a stem in common.
    fn stem(&self) -> ((Climb, Option<PlaceId>), ConstantId, PathId, ConditionId) {
        (self.kin, self.constant, self.route.above, self.route.condition)
    }
}

impl Groups {
    /// The groups that triggers call for.
    pub fn of(index: &Index, triggers: &[TriggerId], places: &mut Places) -> Gathered {
        let plans = index.plans_of(triggers);
        index.bring_plans(&plans);
        let select = |&plan: &PlanId| (places.select(&index.shapes, index.plans.route(plan)), plan);
        let mut selected: Vec<(Selected, PlanId)> = plans.iter().map(select).collect();
        selected.sort_unstable();
        let last_test = |&trigger: &TriggerId| index.trie.test(index.triggers.key(trigger).node);
        let fields = triggers.iter().map(last_test).fold(0, |fields, test| fields | mark(test));
        let (mut lists, mut keyed) = (Lists::default(), Vec::with_capacity(selected.len()));
        let (mut slots, mut needed) = (Vec::new(), Vec::new());
        for alike in selected.chunk_by(|left, right| left.0 == right.0) {
            let Selected { place, constant, route } = alike[0].0;
            slots.clear();
            slots.extend(alike.iter().flat_map(|&(_, plan)| index.plans.slots(plan)));
            slots.sort_unstable();
            slots.dedup();
            let may_repeat = slots.iter().any(|&slot| index.plans.of_slot(slot).len() > 1);
            let takers = Takers::of(&slots, may_repeat, &mut lists);
            let relations = Several::common(alike.iter().map(|&(_, plan)| index.plan_relations(plan, &mut needed)));
            keyed.push(Keyed { kin: (route.climb, place), constant, route, takers, relations });
        }
        keyed.sort_by_key(Keyed::stem);
        let (mut kin, mut stems, mut suffixes) = (Vec::new(), Vec::new(), Suffixes::default());
        for same_kin in keyed.chunk_by(|left, right| left.kin == right.kin) {
            let from = stems.len() as u32;
            let same_stem = same_kin.chunk_by(|left, right| left.stem() == right.stem());
            stems.extend(same_stem.map(|same| stem(index, same, &mut suffixes)));
            let (climb, place) = same_kin[0].kin;
            kin.push(Kin { climb, place, stems: from..stems.len() as u32 });
        }
        let block = Block::of(&index.shapes, &kin, &stems, &suffixes);
        let given = Given { own_lists: lists.extent(), lists: RefCell::new(lists), rows: RefCell::default() };
        let all_need = |(_, gate, stem): &Stemmed| gate.needs | index.shapes.path_needs(stem.above);
        let needs = stems.iter().fold(Marks::MAX, |needs, stem| needs & all_need(stem));
        Gathered { groups: Groups { block, given: Box::new(given) }, fields, needs }
    }

    /// How many levels above what triggers the anchor is, if that and what needs be found below it is all there is to check: spots
    /// tell who gets what.
    pub fn told_levels(&self) -> Option<u32> {
        let mut all = self.block.kin();
        let (Some(kin), None) = (all.next(), all.next()) else { return None };
        let stem = self.block.stem(kin.stems.start);
        let is_only = kin.stems.len() == 1 && kin.place.is_none();
        let is_told = is_only && stem.above.is_empty() && stem.condition == TRUE && stem.told_branches.is_some();
        match kin.climb {
            Up::Levels(levels) if is_told => Some(levels),
            _ => None,
        }
    }

    /// Finds out who gets the nodes at spots within an anchor's that the row for it does not know; the bytes that takes.
    #[cold]
    pub fn complete(&self, rows: &mut Rows, (key, anchor): (Key, SpotId), ways: Ways<'_>) -> usize {
        let (stem, known) = (self.block.stem(key.stem()), ways.spots.len() as SpotId);
        let before = rows.get(key).map(Row::known);
        let new = ways.spots.within(anchor, before.unwrap_or(0));
        let ends = self.block.ends(stem.fork);
        let may_end = |&spot: &SpotId| ways.spots.label(spot).marks(ways.symbols) & ends != 0;
        if before.is_some() && !new.iter().any(may_end) {
            rows.note_known(key, known);
            return 0;
        }
        let told = reached::takers(&self.block, &stem, anchor, new, ways);
        rows.learn(key, known, told, &mut self.given.lists.borrow_mut())
    }

    /// Whether it is worth while to learn a row whose anchor has so many spots within its own; the bytes that it takes to remember that
    /// it was asked for.
    pub fn is_worth_it(&self, rows: &mut Rows, key: Key, spots: usize) -> (bool, usize) {
        let mut learned = 0;
        let is_worth_it = rows.is_worth_it(key, spots, || {
            self.given.rows.borrow_mut().push(key);
            learned = Rows::BYTES;
        });
        (is_worth_it, learned)
    }

    /// The rows that have told of it, which no longer do so.
    pub fn take_rows(&self) -> Vec<Key> {
        self.given.lists.borrow_mut().restore(self.given.own_lists);
        self.given.rows.take()
    }

    #[inline]
    pub fn lists(&self) -> Ref<'_, Lists> {
        self.given.lists.borrow()
    }

    pub fn bytes(&self) -> usize {
        size_of::<(Groups, Given, Marks)>() + self.block.bytes() + self.lists().bytes()
    }
}

/// A stem, what must be found for it, and the constant that selects it; 0 if none does.
type Stemmed = (ConstantId, Gate, Stem<PathId>);

/// What spots tell.
#[derive(Clone, Copy)]
pub struct Ways<'a> {
    pub spots: &'a Spots,
    pub symbols: &'a Symbols,
}

/// Adds the paths that lead to each step of a path, the shortest first; how many there are now.
fn add_way(shapes: &Shapes, path: PathId, paths: &mut Vec<PathId>) -> usize {
    let start = paths.len();
    paths.extend(shapes.links(path).map(|(path, _)| path));
    paths[start..].reverse();
    paths.len()
}

/// The stem of groups that have it in common, with the branches that it carries.
fn stem(index: &Index, same: &[Keyed], suffixes: &mut Suffixes) -> Stemmed {
    let shapes = &index.shapes;
    let Route { above, condition, .. } = same[0].route;
    let takers = same.iter().find(|one| one.route.suffix == END).map_or(NO_ONE, |one| one.takers);
    let below = same.iter().filter(|one| one.route.suffix != END);
    let relations = Several::common(same.iter().map(|one| one.relations));
    let mut paths = Vec::new();
    let ends: Vec<usize> = below.clone().map(|one| add_way(shapes, one.route.suffix, &mut paths)).collect();
    let starts = std::iter::once(0).chain(ends.iter().copied());
    let way = |(one, (start, &end)): (&Keyed, (usize, &usize))| {
        let relations = one.relations.without(&relations);
        Way { paths: &paths[start..end], takers: one.takers, relations }
    };
    let mut ways: Vec<Way<'_>> = below.zip(starts.zip(&ends)).map(way).collect();
    ways.sort_unstable_by_key(|way| way.paths);
    let forks = suffixes.forks.len();
    let (fork, below) = suffixes.add(shapes, &ways, 0);
    let is_plain = |step: &Step| step.condition == TRUE && step.axis != Axis::DescendantOrSelf;
    let branches: Vec<&Branch> = suffixes.forks[forks..].iter().flatten().collect();
    let is_told_by_names = branches.iter().flat_map(|branch| &branch.steps).all(is_plain);
    let told_branches = is_told_by_names.then_some(branches.len() as u32);
    if let (NO_ONE, Some([only])) = (takers, suffixes.forks.get_mut(forks).map(Vec::as_mut_slice)) {
        // The stem needs as much.
        only.gate = Gate::OPEN;
    }
    let gate = Gate {
        needs: shapes.condition_needs(condition, false) | if takers == NO_ONE { below } else { 0 },
        relations: relations.needed(),
    };
    let stem = Stem { above, condition, takers, fork, told_branches };
    (same[0].constant, gate, stem)
}
