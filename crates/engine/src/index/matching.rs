//! A document against an index, event by event.

mod leaves;

use super::answers::Answers;
use super::asked::Use;
use super::automaton::Automaton;
use super::check::Checker;
use super::effects::{FiredId, NOTHING};
use super::firing::Firing;
use super::found::{At, Automata, Found, Results, Triggered};
use super::located::Located;
use super::nodes::{Known, Nodes};
use super::seen::Seen;
use super::sketch::Sketch;
use super::spots::Spots;
use super::states::{has_attributes, has_text, StateId};
use super::tests::{Symbol, Symbols, DOCUMENT_SYMBOL};
use super::trie::Side;
use super::triggers::{Kind, VALUES};
use super::values::ConstantId;
use super::Index;
use crate::error::Stop;
use crate::events::{Source, StartTag};
use crate::learned::Learned;
use crate::limits::Limits;
use crate::names::{NameId, Names};
use crate::tape::Node;

/// What one thread has learned of an index, and what it finds in the document at hand.
pub struct Matching {
    followers: [Follower; 2],
    /// States of the automata at the innermost open element, and at those around it; the document is the outermost.
    states: [StateId; 2],
    above: Vec<[StateId; 2]>,
    sketch: Sketch,
    /// Open elements whose value triggers may ask for, and where it begins in `text`.
    valued: Vec<Valued>,
    text: Vec<u8>,
    text_node: Option<TextNode>,
    found: Found,
    /// Constants that a value contains.
    contained: Vec<ConstantId>,
    symbols: Symbols,
    /// The symbol of each node, if someone asks for more than paths.
    of_node: Vec<Symbol>,
    /// What attributes are for, by symbol, as far as it is known; and for which changes of what is asked.
    uses: Vec<Option<Use>>,
    known_uses: u32,
    has_checks: bool,
    known: Known,
    answers: Answers,
    spots: Spots,
    located: Located,
    limits: Limits,
}

/// An automaton and whether the index has paths for it.
struct Follower {
    automaton: Automaton,
    is_used: bool,
}

/// The text node at hand.
struct TextNode {
    fired: [FiredId; 2],
    /// All of it is needed, since it may be a result; else only what can be compared with constants.
    is_whole: bool,
    /// Where it begins in `text`.
    begin: usize,
    /// Offsets in the source.
    start: u64,
    end: u64,
}

struct Valued {
    depth: usize,
    start: usize,
    /// What fired, in which automaton.
    fired: FiredId,
    side: usize,
    kinds: Kind,
}

impl Matching {
    pub fn new(limits: Limits) -> Matching {
        let follower = |side| Follower { automaton: Automaton::new(side), is_used: false };
        Matching {
            followers: [follower(Side::Settled), follower(Side::Recent)],
            states: [0; 2],
            above: Vec::new(),
            sketch: Sketch::default(),
            valued: Vec::new(),
            text: Vec::new(),
            text_node: None,
            found: Found::default(),
            contained: Vec::new(),
            symbols: Symbols::default(),
            of_node: Vec::new(),
            uses: Vec::new(),
            known_uses: 0,
            has_checks: false,
            known: Known::default(),
            answers: Answers::default(),
            spots: Spots::default(),
            located: Located::default(),
            limits,
        }
    }

    pub fn learned(&self) -> Learned {
        self.followers.iter().map(|follower| follower.automaton.learned()).sum()
    }

    /// A document of a stream begins.
    pub fn begin(&mut self, index: &Index, names: &Names, stream: &str) {
        self.found.begin();
        self.valued.clear();
        self.text.clear();
        self.text_node = None;
        self.has_checks = index.has_checks();
        let keeps_aside = self.has_checks && index.asked.aside();
        self.sketch.begin(index.asked.text, keeps_aside, self.limits.buffered_bytes);
        self.answers.begin(self.limits.evaluation_steps);
        self.follow(index, names);
        self.of_node.clear();
        self.note(DOCUMENT_SYMBOL);
        self.above.clear();
        self.states = [0; 2];
        for (side, follower) in self.followers.iter_mut().enumerate().filter(|(_, follower)| follower.is_used) {
            self.states[side] = follower.automaton.initial(index, stream);
        }
    }

    /// Forgets what is no longer so.
    fn follow(&mut self, index: &Index, names: &Names) {
        self.symbols.follow_names(names);
        self.symbols.follow_tests(&index.shapes.tests);
        let [settled, recent] = &mut self.followers;
        settled.is_used = true;
        recent.is_used = !index.recent_paths.is_empty();
        if settled.automaton.is_outdated(index) {
            settled.automaton.renew(index);
            recent.automaton.renew(index);
            self.symbols.clear();
            self.uses.clear();
            self.spots.clear();
        } else if recent.is_used && recent.automaton.is_outdated(index) {
            recent.automaton.renew(index);
        }
        if self.known_uses != index.asked.changes {
            self.uses.clear();
            self.known_uses = index.asked.changes;
        }
        settled.automaton.follow(index);
        recent.automaton.follow(index);
    }

    /// The node that was just added to the sketch has this symbol.
    #[inline]
    fn note(&mut self, symbol: Symbol) {
        if self.has_checks {
            self.of_node.push(symbol);
            self.sketch.note_node();
        }
    }

    /// An element of this name is about to start: what its attributes will be looked up in is brought near.
    #[inline(always)]
    pub fn opening(&self, name: NameId) {
        if let Some(symbol) = self.symbols.known(name) {
            self.followers[Side::Settled as usize].automaton.bring_below(self.states[Side::Settled as usize], symbol);
        }
    }

    #[inline(always)]
    pub fn start(&mut self, index: &Index, source: Source<'_>, names: &Names, tag: &StartTag<'_>) -> Result<(), Stop> {
        let node = self.sketch.start(tag)?;
        self.bound_memory(index);
        let symbol = self.symbols.of_name(tag.name, names, &index.shapes.tests);
        self.note(symbol);
        let settled = self.enter(index, Side::Settled, symbol, node);
        let recent = if self.follows(Side::Recent) { self.enter(index, Side::Recent, symbol, node) } else { 0 };
        self.above.push(self.states);
        self.states = [settled, recent];
        let may_fire = has_attributes(settled) || has_attributes(recent);
        if !tag.attributes.is_empty() && (may_fire || index.asked.attributes()) {
            self.attributes(index, source, names, tag)?;
        }
        Ok(())
    }

    #[inline]
    fn follows(&self, side: Side) -> bool {
        self.followers[side as usize].is_used
    }

    /// An element with this symbol begins: its state. Its triggers fire.
    #[inline(always)]
    fn enter(&mut self, index: &Index, side: Side, symbol: Symbol, node: Node) -> StateId {
        let automaton = &mut self.followers[side as usize].automaton;
        let (state, fired) = automaton.child(index, &self.symbols, self.states[side as usize], symbol);
        if fired != NOTHING {
            let kinds =
                Firing { index, automaton, fired, at: At { node, is_leaf: false }, found: &mut self.found }.fire();
            if kinds & VALUES != 0 {
                let (depth, start, side) = (self.above.len(), self.text.len(), side as usize);
                self.valued.push(Valued { depth, start, fired, side, kinds });
            }
        }
        state
    }

    #[inline(always)]
    pub fn end(&mut self, index: &Index, end: u64) -> Result<(), Stop> {
        let node = self.sketch.end(end)?;
        self.states = self.above.pop().unwrap_or_default();
        if !self.valued.is_empty() {
            self.end_valued(index, node);
        }
        Ok(())
    }

    /// The value of an element is complete, and may be asked for.
    #[inline(never)]
    fn end_valued(&mut self, index: &Index, node: Node) {
        while self.valued.last().is_some_and(|valued| valued.depth == self.above.len()) {
            let Some(Valued { start, fired, side, kinds, .. }) = self.valued.pop() else { break };
            let automaton = &mut self.followers[side].automaton;
            let at = At { node, is_leaf: false };
            let mut firing = Firing { index, automaton, fired, at, found: &mut self.found };
            firing.fire_value(kinds, &self.text[start..], &mut self.contained);
        }
        if self.valued.is_empty() {
            self.text.clear();
        }
    }

    /// Whether text in the open element concerns anyone.
    #[inline]
    pub fn wants_text(&self, index: &Index) -> bool {
        index.asked.any_text() != Use::None || !self.valued.is_empty() || self.states.into_iter().any(has_text)
    }

    pub fn discard(&mut self, source: Source<'_>, upto: u64) -> Result<(), Stop> {
        self.sketch.take(source, upto)
    }

    pub fn passed(&self, upto: u64) -> Result<(), Stop> {
        self.sketch.bound(upto)
    }

    /// The document has ended: checks what was triggered. Its source, if that is `in_place`, was not taken.
    pub fn finish(&mut self, index: &Index, in_place: Option<&[u8]>) -> Result<(), Stop> {
        self.sketch.finish(in_place);
        if self.found.has_checks() {
            self.check(index, in_place)?;
        }
        let automata = self.followers.each_ref().map(|follower| &follower.automaton);
        self.found.conclude(self.sketch.tape().len() as usize, automata);
        Ok(())
    }

    fn check(&mut self, index: &Index, in_place: Option<&[u8]>) -> Result<(), Stop> {
        let (seen, tape) = (self.sketch.seen(in_place), self.sketch.tape());
        self.known.begin(self.of_node.len());
        let aside = self.sketch.aside();
        let nodes = Nodes { tape, aside, symbols: &self.symbols, of_node: &self.of_node, known: &self.known };
        let (answers, spots, located) = (&mut self.answers, &mut self.spots, &mut self.located);
        look_up(&mut self.found, index, &mut self.followers, Some(nodes));
        if spots.is_full() {
            spots.clear();
        }
        self.followers.iter_mut().for_each(|follower| follower.automaton.follow_spots(spots.generation()));
        let automata: Automata<'_> = self.followers.each_ref().map(|follower| &follower.automaton);
        let Found { triggered, held, results, .. } = &mut self.found;
        if !triggered.is_empty() {
            answers.is_empty = false;
            located.begin();
            let mut checker = Checker { index, seen, tape, nodes, automata, answers, spots, located };
            checker.bring(triggered);
            triggered.sort_unstable_by_key(Triggered::rank);
            checker.check(triggered, held, &mut results.lists)?;
        }
        for (follower, learned) in self.followers.iter_mut().zip(&mut self.answers.learned) {
            follower.automaton.note_learned(std::mem::take(learned));
        }
        Ok(())
    }

    /// Gives the source of the document away, which was not in place.
    pub fn give_source(&mut self) -> Vec<u8> {
        self.sketch.give_source()
    }

    #[inline]
    fn bound_memory(&mut self, index: &Index) {
        if self.followers.iter().any(|follower| follower.automaton.has_grown) {
            self.flush_if_large(index);
        }
    }

    #[cold]
    fn flush_if_large(&mut self, index: &Index) {
        for side in 0..self.followers.len() {
            let automaton = &mut self.followers[side].automaton;
            let has_grown = std::mem::take(&mut automaton.has_grown);
            if has_grown && automaton.learned().is_too_much(&self.limits) {
                // What else the document has is not known yet.
                look_up(&mut self.found, index, &mut self.followers, None);
                let automaton = &mut self.followers[side].automaton;
                let open = self.above.iter_mut().chain(std::iter::once(&mut self.states));
                let states = &mut open.map(|states| &mut states[side]);
                let valued = self.valued.iter_mut().filter(|valued| valued.side == side);
                automaton.flush(index, states, &mut valued.map(|valued| &mut valued.fired), &self.found);
            }
        }
    }

    /// No one gets anything.
    pub fn has_no_results(&self) -> bool {
        self.found.has_no_results()
    }

    /// Nodes and who gets them; and where the nodes are.
    pub fn results<'a>(&'a mut self, in_place: Option<&'a [u8]>) -> (&'a mut Results, Seen<'a>) {
        (self.found.results(), self.sketch.seen(in_place))
    }
}

/// Looks up whom the values found so far call for.
fn look_up(found: &mut Found, index: &Index, [settled, recent]: &mut [Follower; 2], nodes: Option<Nodes<'_>>) {
    found.look_up(index, [&mut settled.automaton, &mut recent.automaton], nodes);
}
