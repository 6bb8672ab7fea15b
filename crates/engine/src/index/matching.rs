//! A document against an index, event by event.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::automaton::{Automaton, FiredId, StateId, NOTHING};
use super::check::{Answers, Checker};
use super::nodes::Nodes;
use super::plans::{PlanId, Slot};
use super::sketch::Sketch;
use super::tests::{Symbol, Symbols, COMMENT_SYMBOL, TEXT_SYMBOL};
use super::trie::Side;
use super::triggers::{Kind, CONTAINS, ENDS, EQUALS, IS, NUMERIC, RANGES, STARTS, VALUES};
use super::values::ConstantId;
use super::Index;
use crate::error::Stop;
use crate::events::{Source, StartTag, TextKind};
use crate::limits::Limits;
use crate::machine::to_number;
use crate::names::Names;
use crate::reader::decode_text;
use crate::tape::Node;

/// What an automaton may hold by default: states, and bytes of all it has learned.
const MAX_STATES: usize = 65_536;
const MAX_BYTES: usize = 512 << 20;

/// What one thread has learned of an index, and what it finds in the document at hand.
pub struct Matching {
    followers: [Follower; 2],
    /// Open elements; the document is the first.
    open: Vec<Open>,
    sketch: Sketch,
    /// Open elements whose value triggers may ask for, and where it begins in `text`.
    valued: Vec<Valued>,
    text: Vec<u8>,
    found: Found,
    nodes: Nodes,
    answers: Answers,
    /// Of the names of attributes: the automata need not know all tests.
    attribute_symbols: Symbols,
    max_states: usize,
}

/// An automaton and whether the index has paths for it.
struct Follower {
    automaton: Automaton,
    is_used: bool,
}

#[derive(Clone, Copy, Default)]
struct Open {
    /// States of the automata.
    states: [StateId; 2],
}

struct Valued {
    depth: usize,
    start: usize,
    /// What fired, in which automaton.
    fired: FiredId,
    side: usize,
    kinds: Kind,
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
        let follower = |side| Follower { automaton: Automaton::new(side), is_used: false };
        Matching {
            followers: [follower(Side::Settled), follower(Side::Recent)],
            open: Vec::new(),
            sketch: Sketch::default(),
            valued: Vec::new(),
            text: Vec::new(),
            found: Found::default(),
            nodes: Nodes::default(),
            answers: Answers::default(),
            attribute_symbols: Symbols::default(),
            max_states: MAX_STATES,
        }
    }
}

impl Matching {
    pub fn set_max_states(&mut self, max_states: usize) {
        self.max_states = max_states;
    }

    /// States, transitions and flushes of the automata.
    pub fn automata(&self) -> (usize, usize, u64) {
        let all = self.followers.iter().map(|follower| &follower.automaton);
        all.fold((0, 0, 0), |(states, transitions, flushes), one| {
            (states + one.states(), transitions + one.transitions(), flushes + one.flushes)
        })
    }

    /// A document of a stream begins.
    pub fn begin(&mut self, index: &Index, names: &Names, stream: &str, limits: &Limits) {
        self.found.accepted.clear();
        self.found.triggered.clear();
        self.valued.clear();
        self.text.clear();
        self.sketch.begin(index.asked.text, index.asked.markup, limits.buffered_bytes);
        self.answers.begin(limits.evaluation_steps);
        self.attribute_symbols.follow_tests(&index.shapes.tests);
        self.attribute_symbols.follow_names(names);
        self.open.clear();
        let mut open = Open::default();
        for (side, follower) in self.followers.iter_mut().enumerate() {
            follower.is_used = side == 0 || !index.recent_paths.is_empty();
            if follower.is_used {
                follower.automaton.follow(index);
                follower.automaton.symbols.follow_names(names);
                open.states[side] = follower.automaton.initial(index, stream);
            }
        }
        self.open.push(open);
    }

    pub fn start(&mut self, index: &Index, names: &Names, tag: &StartTag<'_>) -> Result<(), Stop> {
        let node = self.sketch.start(tag)?;
        self.bound_memory(index);
        let above = self.open.last().copied().unwrap_or_default();
        let mut below = Open::default();
        for (side, follower) in self.followers.iter_mut().enumerate() {
            if !follower.is_used {
                continue;
            }
            let automaton = &mut follower.automaton;
            let symbol = automaton.symbols.of_name(tag.name, names, &index.shapes.tests);
            let (state, fired) = automaton.child(index, above.states[side], symbol);
            below.states[side] = state;
            if fired != NOTHING {
                let kinds = self.found.fire(index, automaton, fired, node);
                if kinds & VALUES != 0 {
                    let (depth, start) = (self.open.len(), self.text.len());
                    self.valued.push(Valued { depth, start, fired, side, kinds });
                }
            }
        }
        self.open.push(below);
        if !tag.attributes.is_empty() && (index.asked.attributes() || self.fires_attributes(below)) {
            self.attributes(index, names, tag, below)?;
        }
        Ok(())
    }

    fn fires_attributes(&self, open: Open) -> bool {
        let mut followers = self.followers.iter().zip(open.states);
        followers.any(|(follower, state)| follower.is_used && follower.automaton.has_attributes(state))
    }

    fn attributes(&mut self, index: &Index, names: &Names, tag: &StartTag<'_>, open: Open) -> Result<(), Stop> {
        for attribute in tag.attributes {
            let mut fired = [NOTHING; 2];
            let symbol = self.attribute_symbols.of_name(attribute.name, names, &index.shapes.tests);
            let mut is_asked = index.asked.attribute(self.attribute_symbols.passed(symbol));
            for (side, follower) in self.followers.iter_mut().enumerate().filter(|(_, follower)| follower.is_used) {
                let automaton = &mut follower.automaton;
                if automaton.has_attributes(open.states[side]) {
                    let symbol = automaton.symbols.of_name(attribute.name, names, &index.shapes.tests);
                    fired[side] = automaton.attribute(index, open.states[side], symbol);
                    is_asked |= fired[side] != NOTHING;
                }
            }
            if !is_asked {
                continue;
            }
            let node = self.sketch.attribute(attribute)?;
            for (side, fired) in fired.into_iter().enumerate().filter(|(_, fired)| *fired != NOTHING) {
                let automaton = &mut self.followers[side].automaton;
                let kinds = self.found.fire(index, automaton, fired, node);
                if kinds & VALUES != 0 {
                    let value = self.sketch.tape().string_value(node).as_bytes();
                    self.found.fire_value(index, automaton, fired, kinds, value, node);
                }
            }
        }
        Ok(())
    }

    pub fn end(&mut self, index: &Index, source: Source<'_>, end: u64) -> Result<(), Stop> {
        let node = self.sketch.end(source, end)?;
        self.open.pop();
        while self.valued.last().is_some_and(|valued| valued.depth == self.open.len()) {
            let Some(Valued { start, fired, side, kinds, .. }) = self.valued.pop() else { break };
            let automaton = &mut self.followers[side].automaton;
            self.found.fire_value(index, automaton, fired, kinds, &self.text[start..], node);
        }
        if self.valued.is_empty() {
            self.text.clear();
        }
        Ok(())
    }

    pub fn text(&mut self, raw: &[u8], kind: TextKind, start: u64, end: u64) -> Result<(), Stop> {
        if !self.valued.is_empty() {
            match kind {
                TextKind::Plain => self.text.extend_from_slice(raw),
                _ => self.text.extend_from_slice(decode_text(raw, kind).as_bytes()),
            }
        }
        if self.sketch.keeps_text() {
            self.sketch.text(raw, kind, start, end)?;
        }
        Ok(())
    }

    pub fn text_end(&mut self, index: &Index) {
        if self.sketch.keeps_text() {
            if let Some(node) = self.sketch.text_end() {
                self.leaf(index, node, |_| TEXT_SYMBOL);
            }
        }
    }

    pub fn comment(&mut self, index: &Index, start: u64, end: u64, raw: &[u8]) -> Result<(), Stop> {
        if let Some(node) = self.sketch.comment(raw, start, end)? {
            self.leaf(index, node, |_| COMMENT_SYMBOL);
        }
        Ok(())
    }

    pub fn instruction(&mut self, index: &Index, start: u64, end: u64, target: &[u8], data: &[u8]) -> Result<(), Stop> {
        if let Some(node) = self.sketch.instruction(target, data, start, end)? {
            let target = decode_text(target, TextKind::Plain);
            self.leaf(index, node, |automaton| automaton.symbols.of_target(&target, &index.shapes.tests));
        }
        Ok(())
    }

    fn leaf(&mut self, index: &Index, node: Node, symbol: impl Fn(&mut Automaton) -> Symbol) {
        let open = self.open.last().copied().unwrap_or_default();
        for (side, follower) in self.followers.iter_mut().enumerate().filter(|(_, follower)| follower.is_used) {
            let automaton = &mut follower.automaton;
            let symbol = symbol(automaton);
            let (_, fired) = automaton.child(index, open.states[side], symbol);
            if fired != NOTHING {
                let kinds = self.found.fire(index, automaton, fired, node);
                if kinds & VALUES != 0 {
                    let value = self.sketch.tape().string_value(node).as_bytes();
                    self.found.fire_value(index, automaton, fired, kinds, value, node);
                }
            }
        }
    }

    pub fn discard(&mut self, source: Source<'_>, upto: u64) -> Result<(), Stop> {
        self.sketch.take(source, upto)
    }

    /// The document has ended: checks what was triggered.
    pub fn finish(&mut self, index: &Index, names: &Names) -> Result<(), Stop> {
        self.sketch.finish();
        let (sketch, tape) = (&self.sketch, self.sketch.tape());
        if !self.found.triggered.is_empty() {
            self.nodes.read(tape, names, &index.shapes.tests);
        }
        let mut checker = Checker { index, sketch, tape, nodes: &self.nodes, answers: &mut self.answers };
        self.found.triggered.iter().try_for_each(|&(plan, node)| checker.check(plan, node))
    }

    pub fn sketch(&self) -> &Sketch {
        &self.sketch
    }

    /// Gives the source of the document away.
    pub fn give_source(&mut self) -> Vec<u8> {
        self.sketch.give_source()
    }

    fn bound_memory(&mut self, index: &Index) {
        for side in 0..self.followers.len() {
            let automaton = &mut self.followers[side].automaton;
            if automaton.states() > self.max_states || automaton.bytes() > MAX_BYTES {
                let states = &mut self.open.iter_mut().map(|open| &mut open.states[side]);
                let valued = self.valued.iter_mut().filter(|valued| valued.side == side);
                automaton.flush(index, states, &mut valued.map(|valued| &mut valued.fired));
            }
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

    /// The plans that hold, with the nodes they give and those who get them; the same plan may come again.
    pub fn held<'a>(&'a self, index: &'a Index) -> impl Iterator<Item = (PlanId, &'a [Node], &'a [Slot])> {
        self.answers.held().map(|(plan, nodes)| (plan, nodes, index.plans.slots(plan)))
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

impl Found {
    /// The triggers of a node fire; which values they ask for.
    fn fire(&mut self, index: &Index, automaton: &mut Automaton, fired: FiredId, node: Node) -> Kind {
        let (accepted, checks, kinds) = automaton.fired(index, fired);
        if !accepted.is_empty() {
            self.accepted.push((node, accepted.clone()));
        }
        self.triggered.extend(checks.iter().map(|&plan| (plan, node)));
        kinds
    }

    /// The plans that a node's value calls for.
    fn fire_value(
        &mut self,
        index: &Index,
        automaton: &mut Automaton,
        fired: FiredId,
        kinds: Kind,
        value: &[u8],
        node: Node,
    ) {
        self.plans.clear();
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
        self.triggered.extend(self.plans.iter().map(|&plan| (plan, node)));
    }
}
