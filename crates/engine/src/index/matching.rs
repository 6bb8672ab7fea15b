//! A document's tape against an index.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::automaton::{Automaton, FiredId, StateId, NOTHING};
use super::check::{Answers, Checker};
use super::nodes::Nodes;
use super::plans::{PlanId, Slot};
use super::tests::{COMMENT_SYMBOL, TEXT_SYMBOL};
use super::trie::Side;
use super::triggers::{Kind, CONTAINS, ENDS, EQUALS, IS, NUMERIC, RANGES, STARTS, VALUES};
use super::values::ConstantId;
use super::Index;
use crate::error::Stop;
use crate::machine::to_number;
use crate::names::Names;
use crate::tape::{self, Node, Tape};

/// What an automaton may hold by default: states, and bytes of all it has learned.
const MAX_STATES: usize = 65_536;
const MAX_BYTES: usize = 512 << 20;

/// What one thread has learned of an index, and what it finds in the document at hand.
pub struct Matching {
    settled: Automaton,
    recent: Automaton,
    open: Vec<Open>,
    found: Found,
    nodes: Nodes,
    answers: Answers,
    max_states: usize,
}

struct Open {
    end: Node,
    settled: StateId,
    recent: StateId,
}

/// What the automata find.
#[derive(Default)]
struct Found {
    /// A node, and all who get it for its path alone.
    accepted: Vec<(Node, Arc<[Slot]>)>,
    /// Plans that are to be checked, and the nodes that triggered them.
    triggered: Vec<(PlanId, Node)>,
    constants: Vec<ConstantId>,
    plans: Vec<PlanId>,
}

impl Default for Matching {
    fn default() -> Matching {
        Matching {
            settled: Automaton::new(Side::Settled),
            recent: Automaton::new(Side::Recent),
            open: Vec::new(),
            found: Found::default(),
            nodes: Nodes::default(),
            answers: Answers::default(),
            max_states: MAX_STATES,
        }
    }
}

impl Matching {
    pub fn set_max_states(&mut self, max_states: usize) {
        self.max_states = max_states;
    }

    /// States, transitions, flushes and bytes of the automata.
    pub fn automata(&self) -> (usize, usize, u64, usize) {
        let (settled, recent) = (&self.settled, &self.recent);
        (
            settled.states() + recent.states(),
            settled.transitions() + recent.transitions(),
            settled.flushes + recent.flushes,
            settled.bytes() + recent.bytes(),
        )
    }

    /// Matches a whole document of a stream; it may take `budget` steps.
    pub fn run(&mut self, index: &Index, tape: &Tape, names: &Names, stream: &str, budget: u64) -> Result<(), Stop> {
        self.found.accepted.clear();
        self.found.triggered.clear();
        self.answers.begin(budget);
        for automaton in [&mut self.settled, &mut self.recent] {
            automaton.follow(index);
            automaton.symbols.follow_names(names);
        }
        self.walk(Document { index, tape, names }, stream);
        if !self.found.triggered.is_empty() {
            self.nodes.read(tape, names, &index.shapes.tests);
        }
        let mut checker = Checker { index, tape, nodes: &self.nodes, answers: &mut self.answers };
        self.found.triggered.iter().try_for_each(|&(plan, node)| checker.check(plan, node))
    }

    /// Follows the automata through the document.
    fn walk(&mut self, at: Document<'_>, stream: &str) {
        let has_recent = !at.index.recent_paths.is_empty();
        self.open.clear();
        self.open.push(Open {
            end: at.tape.len(),
            settled: self.settled.initial(at.index, stream),
            recent: if has_recent { self.recent.initial(at.index, stream) } else { 0 },
        });
        let mut node = 1;
        while node < at.tape.len() {
            while self.open.last().is_some_and(|open| node >= open.end) {
                self.open.pop();
            }
            node = self.visit(at, node, has_recent);
        }
    }

    /// One node; the next to visit.
    fn visit(&mut self, at: Document<'_>, node: Node, has_recent: bool) -> Node {
        self.bound_memory();
        let record = at.tape.record(node);
        let Some(&Open { settled, recent, .. }) = self.open.last() else { return at.tape.len() };
        let mut below = Open { end: record.after, settled: 0, recent: 0 };
        let mut is_dead = true;
        for (automaton, state, next, is_used) in [
            (&mut self.settled, settled, &mut below.settled, true),
            (&mut self.recent, recent, &mut below.recent, has_recent),
        ] {
            if !is_used {
                continue;
            }
            let tests = &at.index.shapes.tests;
            let fired = match record.kind {
                tape::Kind::Attribute if !automaton.has_attributes(state) => NOTHING,
                tape::Kind::Attribute => {
                    let symbol = automaton.symbols.of_name(record.name, at.names, tests);
                    automaton.attribute(at.index, state, symbol)
                }
                kind => {
                    let symbol = match kind {
                        tape::Kind::Element => automaton.symbols.of_name(record.name, at.names, tests),
                        tape::Kind::Comment => COMMENT_SYMBOL,
                        tape::Kind::Instruction => automaton.symbols.of_target(at.tape.target(node), tests),
                        _ => TEXT_SYMBOL,
                    };
                    let (to, fired) = automaton.child(at.index, state, symbol);
                    *next = to;
                    is_dead &= automaton.is_dead(to);
                    fired
                }
            };
            if fired != NOTHING {
                self.found.fire(at, automaton, fired, node);
            }
        }
        if record.kind != tape::Kind::Element {
            return node + 1;
        }
        if is_dead {
            return record.after;
        }
        self.open.push(below);
        node + 1
    }

    fn bound_memory(&mut self) {
        let is_large = |one: &Automaton, max: usize| one.states() > max || one.bytes() > MAX_BYTES;
        if is_large(&self.settled, self.max_states) {
            self.settled.flush(&mut self.open.iter_mut().map(|open| &mut open.settled));
        }
        if is_large(&self.recent, self.max_states) {
            self.recent.flush(&mut self.open.iter_mut().map(|open| &mut open.recent));
        }
    }

    /// Nodes and those who get them for their paths alone.
    pub fn accepted(&self) -> &[(Node, Arc<[Slot]>)] {
        &self.found.accepted
    }

    /// Those who get anything, some perhaps more than once.
    pub fn matched<'a>(&'a self, index: &'a Index) -> impl Iterator<Item = Slot> + 'a {
        let accepted = self.found.accepted.iter().flat_map(|(_, slots)| slots.iter());
        let checked = self.answers.held().flat_map(|(plan, _)| index.plans.slots(plan));
        accepted.chain(checked).copied()
    }

    /// Nodes and those who get them after a check: each pair once, in no order.
    pub fn checked(&self, index: &Index) -> Vec<(Node, Slot)> {
        let mut pairs = Vec::new();
        let mut may_repeat = false;
        let mut seen = FxHashSet::default();
        for (plan, nodes) in self.answers.held() {
            let slots = index.plans.slots(plan);
            // Anchors within each other can give the same node, and so can the parts of a union.
            may_repeat |= !seen.insert(plan) || slots.iter().any(|&slot| index.plans.of_slot(slot).len() > 1);
            for &node in nodes {
                pairs.extend(slots.iter().map(|&slot| (node, slot)));
            }
        }
        if may_repeat {
            pairs.sort_unstable();
            pairs.dedup();
        }
        pairs
    }
}

#[derive(Clone, Copy)]
struct Document<'a> {
    index: &'a Index,
    tape: &'a Tape,
    names: &'a Names,
}

impl Found {
    /// The triggers of a node fire.
    fn fire(&mut self, at: Document<'_>, automaton: &mut Automaton, fired: FiredId, node: Node) {
        let (accepted, checks, kinds) = automaton.fired(at.index, fired);
        if !accepted.is_empty() {
            self.accepted.push((node, accepted.clone()));
        }
        self.plans.clear();
        self.plans.extend_from_slice(checks);
        if kinds & VALUES != 0 {
            self.fire_value(at.index, automaton, fired, kinds, at.tape.string_value(node).as_bytes());
        }
        self.triggered.extend(self.plans.iter().map(|&plan| (plan, node)));
    }

    /// The plans that a node's value calls for.
    fn fire_value(&mut self, index: &Index, automaton: &mut Automaton, fired: FiredId, kinds: Kind, value: &[u8]) {
        let constants = &index.shapes.constants;
        let mut fire = |plans: &mut Vec<PlanId>, kind: Kind, constant: Option<ConstantId>| {
            if let Some(constant) = constant {
                plans.extend_from_slice(automaton.plans(index, fired, kind, constant));
            }
        };
        if kinds & IS != 0 {
            fire(&mut self.plans, IS, constants.find_text(value));
        }
        if kinds & STARTS != 0 {
            for length in index.beginnings.up_to(value.len()) {
                fire(&mut self.plans, STARTS, constants.find_text(&value[..length]));
            }
        }
        if kinds & ENDS != 0 {
            for length in index.endings.up_to(value.len()) {
                fire(&mut self.plans, ENDS, constants.find_text(&value[value.len() - length..]));
            }
        }
        if kinds & CONTAINS != 0 {
            index.contained.find(value, constants, &mut self.constants);
            for &constant in &self.constants {
                fire(&mut self.plans, CONTAINS, Some(constant));
            }
        }
        if kinds & NUMERIC != 0 {
            let number = to_number(value);
            if kinds & EQUALS != 0 {
                fire(&mut self.plans, EQUALS, constants.find_number(number));
            }
            if kinds & RANGES != 0 {
                automaton.plans_in_range(index, fired, kinds, number, &mut self.plans);
            }
        }
    }
}
