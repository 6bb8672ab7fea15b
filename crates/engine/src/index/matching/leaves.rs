//! The nodes of a document that are no elements.

use std::borrow::Cow;

use super::{Firing, Matching, TextNode};
use crate::error::Stop;
use crate::events::{Source, StartTag, TextKind};
use crate::index::asked::Use;
use crate::index::effects::{FiredId, May, NOTHING};
use crate::index::found::{At, Call};
use crate::index::states::{has_attributes, has_text};
use crate::index::tests::{Symbol, COMMENT_SYMBOL, TEXT_SYMBOL};
use crate::index::trie::{Side, SIDES};
use crate::index::triggers::{IS, VALUES, WHOLE};
use crate::index::Index;
use crate::names::Names;
use crate::reader::{decode_beginning, decode_text};

impl Matching {
    #[inline(never)]
    pub(super) fn attributes(
        &mut self,
        index: &Index,
        source: Source<'_>,
        names: &Names,
        tag: &StartTag<'_>,
    ) -> Result<(), Stop> {
        let is_asked = index.asked.attributes();
        for attribute in tag.attributes {
            let symbol = self.symbols.of_name(attribute.name, names, &index.shapes.tests);
            let using = if is_asked { self.use_of(index, symbol) } else { Use::None };
            let at = self.next_leaf(using == Use::Node);
            match attribute.bytes() {
                Cow::Borrowed(value) => self.fire_attribute(index, symbol, value, at),
                Cow::Owned(value) => self.fire_attribute(index, symbol, &value, at),
            }
            match using {
                Use::Node => {
                    self.sketch.attribute(attribute)?;
                    self.note(symbol);
                }
                Use::Tested if self.has_checks => self.sketch.attribute_aside(symbol, attribute, source)?,
                Use::Tested | Use::None => {}
            }
        }
        Ok(())
    }

    /// What attributes with this symbol are for.
    #[inline(always)]
    fn use_of(&mut self, index: &Index, symbol: Symbol) -> Use {
        match self.uses.get(symbol as usize) {
            Some(&Some(known)) => known,
            _ => self.learn_use(index, symbol),
        }
    }

    #[cold]
    fn learn_use(&mut self, index: &Index, symbol: Symbol) -> Use {
        let using = index.asked.attribute(self.symbols.passed(symbol));
        if self.uses.len() <= symbol as usize {
            self.uses.resize(symbol as usize + 1, None);
        }
        self.uses[symbol as usize] = Some(using);
        using
    }

    /// Where the next leaf fires, which will be a node of the sketch or not.
    #[inline]
    fn next_leaf(&self, is_node: bool) -> At {
        let node = if is_node { self.sketch.tape().len() } else { self.sketch.current() };
        At { node, is_leaf: !is_node }
    }

    #[inline(always)]
    fn fire_attribute(&mut self, index: &Index, symbol: Symbol, value: &[u8], at: At) {
        self.fire_attribute_of(index, Side::Settled, symbol, value, at);
        self.fire_attribute_of(index, Side::Recent, symbol, value, at);
    }

    #[inline(always)]
    fn fire_attribute_of(&mut self, index: &Index, side: Side, symbol: Symbol, value: &[u8], at: At) {
        let state = self.states[side as usize];
        if has_attributes(state) {
            let fired = self.followers[side as usize].automaton.attribute(index, &self.symbols, state, symbol);
            self.fire_leaf(index, side, fired, value, at);
        }
    }

    /// A text node that is one piece of plain text.
    pub fn whole_text(&mut self, index: &Index, raw: &[u8], start: u64, end: u64) -> Result<(), Stop> {
        let fired = self.fired_by_text(index);
        match self.fire_text(index, fired, raw) {
            Use::Node => {
                self.sketch.text(raw, (start, end))?;
                self.note(TEXT_SYMBOL);
            }
            Use::Tested => self.sketch.text_aside((start, end))?,
            Use::None => {}
        }
        if !self.valued.is_empty() {
            self.take_valued_text(index, raw, TextKind::Plain);
        }
        Ok(())
    }

    /// The triggers of the next text node fire; what it is for.
    #[inline(always)]
    fn fire_text(&mut self, index: &Index, fired: [FiredId; 2], value: &[u8]) -> Use {
        let asked = &index.asked;
        let may_be_node = asked.text || asked.triggering_text;
        let has_fired = self.fire_leaves(index, fired, value, self.next_leaf(may_be_node));
        match asked.any_text() {
            Use::None | Use::Tested if has_fired && asked.triggering_text => Use::Node,
            Use::Tested if !self.has_checks => Use::None,
            using => using,
        }
    }

    /// A piece of a text node.
    pub fn text(&mut self, index: &Index, raw: &[u8], kind: TextKind, start: u64, end: u64) {
        if self.text_node.is_none() {
            let fired = self.fired_by_text(index);
            if index.asked.any_text() != Use::None || fired != [NOTHING; 2] {
                self.text_node = Some(self.text_node(index, fired, start));
            }
        }
        if let Some(node) = &mut self.text_node {
            node.end = end;
            let (begin, is_whole) = (node.begin, node.is_whole);
            self.take_text(index, raw, kind, begin, is_whole);
        } else {
            self.take_valued_text(index, raw, kind);
        }
    }

    /// Takes text for the values of open elements.
    #[inline(never)]
    fn take_valued_text(&mut self, index: &Index, raw: &[u8], kind: TextKind) {
        // What began last is the shortest: when that is too long for all constants, so is all around it.
        if let Some(begin) = self.valued.last().map(|valued| valued.start) {
            self.take_text(index, raw, kind, begin, false);
        }
    }

    /// Takes as much of a text as anyone may ask for, of a value that begins at `begin`.
    fn take_text(&mut self, index: &Index, raw: &[u8], kind: TextKind, begin: usize, is_whole: bool) {
        let is_whole = is_whole || index.asked.kinds & WHOLE != 0;
        let limit = if is_whole { usize::MAX } else { index.asked.longest };
        if self.text.len() - begin <= limit {
            decode_beginning(raw, kind, limit, &mut self.text);
        }
    }

    /// What a text node in the open element fires.
    #[inline(always)]
    fn fired_by_text(&mut self, index: &Index) -> [FiredId; 2] {
        [self.fired_by_text_of(index, Side::Settled), self.fired_by_text_of(index, Side::Recent)]
    }

    #[inline(always)]
    fn fired_by_text_of(&mut self, index: &Index, side: Side) -> FiredId {
        let state = self.states[side as usize];
        if has_text(state) {
            self.followers[side as usize].automaton.text(index, &self.symbols, state)
        } else {
            NOTHING
        }
    }

    /// A text node begins.
    fn text_node(&mut self, index: &Index, fired: [FiredId; 2], start: u64) -> TextNode {
        let used = self.followers.iter_mut().zip(fired).filter(|(_, fired)| *fired != NOTHING);
        let kinds = used.fold(0, |kinds, (follower, fired)| kinds | follower.automaton.effects(index, fired).kinds);
        let is_whole = index.asked.any_text() != Use::None || kinds & !IS != 0;
        TextNode { fired, is_whole, begin: self.text.len(), start, end: start }
    }

    pub fn text_end(&mut self, index: &Index) -> Result<(), Stop> {
        let Some(TextNode { fired, begin, start, end, .. }) = self.text_node.take() else { return Ok(()) };
        let text = std::mem::take(&mut self.text);
        let value = &text[begin..];
        match self.fire_text(index, fired, value) {
            Use::Node => {
                self.sketch.text(value, (start, end))?;
                self.note(TEXT_SYMBOL);
            }
            Use::Tested => self.sketch.value_aside(value)?,
            Use::None => {}
        }
        self.text = text;
        if self.valued.is_empty() {
            self.text.clear();
        }
        Ok(())
    }

    pub fn comment(&mut self, index: &Index, start: u64, end: u64, raw: &[u8]) -> Result<(), Stop> {
        if index.asked.markup {
            let fired = self.fired_by(index, COMMENT_SYMBOL);
            self.fire_leaves(index, fired, decode_text(raw, TextKind::Cdata).as_bytes(), self.next_leaf(true));
            self.sketch.comment(raw, start, end)?;
            self.note(COMMENT_SYMBOL);
        }
        Ok(())
    }

    pub fn instruction(&mut self, index: &Index, start: u64, end: u64, target: &[u8], data: &[u8]) -> Result<(), Stop> {
        if index.asked.markup {
            let symbol = self.symbols.of_target(&decode_text(target, TextKind::Plain), &index.shapes.tests);
            let fired = self.fired_by(index, symbol);
            self.fire_leaves(index, fired, decode_text(data, TextKind::Cdata).as_bytes(), self.next_leaf(true));
            self.sketch.instruction(target, data, start, end)?;
            self.note(symbol);
        }
        Ok(())
    }

    /// What fires for a child of the open element that is no element.
    fn fired_by(&mut self, index: &Index, symbol: Symbol) -> [FiredId; 2] {
        SIDES.map(|side| {
            if !self.follows(side) {
                return NOTHING;
            }
            let state = self.states[side as usize];
            self.followers[side as usize].automaton.child(index, &self.symbols, state, symbol).1
        })
    }

    /// The triggers of the next node, which is no element, fire; whether anything was found.
    #[inline(always)]
    fn fire_leaves(&mut self, index: &Index, fired: [FiredId; 2], value: &[u8], at: At) -> bool {
        let settled = self.fire_leaf(index, Side::Settled, fired[0], value, at);
        self.fire_leaf(index, Side::Recent, fired[1], value, at) || settled
    }

    /// Those of one automaton.
    #[inline(always)]
    fn fire_leaf(&mut self, index: &Index, side: Side, fired: FiredId, value: &[u8], at: At) -> bool {
        match self.followers[side as usize].automaton.may_fire(index, fired, value) {
            May::Nothing => false,
            May::Call => match index.shapes.constants.find_text(value) {
                Some(constant) => {
                    self.followers[side as usize].automaton.bring_called(fired, IS, constant);
                    self.found.call(Call { at, fired, constant, kind: IS, side });
                    true
                }
                None => false,
            },
            May::Fire => self.find_leaf(index, side, fired, value, at),
        }
    }

    #[inline(never)]
    fn find_leaf(&mut self, index: &Index, side: Side, fired: FiredId, value: &[u8], at: At) -> bool {
        let before = self.found.size();
        let automaton = &mut self.followers[side as usize].automaton;
        let mut firing = Firing { index, automaton, fired, at, found: &mut self.found };
        let kinds = firing.fire();
        if kinds & VALUES != 0 {
            firing.fire_value(kinds, value, &mut self.contained);
        }
        self.found.size() != before
    }
}
