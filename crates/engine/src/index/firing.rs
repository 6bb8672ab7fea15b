//! What a node sets off: triggers by its being there, and by its value.

use super::automaton::Automaton;
use super::effects::FiredId;
use super::found::{At, Call, Found};
use super::hints;
use super::triggers::{Kind, CHECK, CONTAINS, ENDS, EQUALS, IS, NUMERIC, RANGES, STARTS};
use super::values::ConstantId;
use super::Index;
use crate::machine::to_number;

/// Something that fired at a node.
pub struct Firing<'a> {
    pub index: &'a Index,
    pub automaton: &'a mut Automaton,
    pub fired: FiredId,
    pub at: At,
    pub found: &'a mut Found,
}

impl Firing<'_> {
    /// The triggers of the node fire; which values they ask for.
    #[inline(always)]
    pub fn fire(&mut self) -> Kind {
        let side = self.automaton.side();
        let effects = self.automaton.effects(self.index, self.fired);
        if let Some(accepted) = effects.accepted {
            self.found.accept(self.at.node, accepted);
        }
        if let Some(checks) = effects.checks {
            self.found.trigger(self.at, side, checks, (CHECK, 0));
        }
        effects.kinds
    }

    /// The triggers fire that ask for its value, of these kinds.
    pub fn fire_value(&mut self, kinds: Kind, value: &[u8], contained: &mut Vec<ConstantId>) {
        let index = self.index;
        if kinds & IS != 0 && value.len() <= index.asked.longest {
            self.call_text(IS, value);
        }
        if kinds & STARTS != 0 {
            for length in index.beginnings.up_to(value.len()) {
                self.call_text(STARTS, &value[..length]);
            }
        }
        if kinds & ENDS != 0 {
            for length in index.endings.up_to(value.len()) {
                self.call_text(ENDS, &value[value.len() - length..]);
            }
        }
        if kinds & CONTAINS != 0 {
            index.contained.find(value, &index.shapes.constants, contained);
            for &constant in contained.iter() {
                self.call_number(CONTAINS, constant);
            }
        }
        if kinds & NUMERIC != 0 {
            self.fire_number(kinds, to_number(value));
        }
    }

    fn fire_number(&mut self, kinds: Kind, number: f64) {
        if kinds & EQUALS != 0 {
            if let Some(constant) = self.index.shapes.constants.find_number(number) {
                self.call_number(EQUALS, constant);
            }
        }
        if kinds & RANGES != 0 {
            for (kind, bound) in self.automaton.ranges(self.index, self.fired, kinds, number) {
                self.call_number(kind, bound);
            }
        }
    }

    /// A text may call for someone.
    #[inline]
    fn call_text(&mut self, kind: Kind, text: &[u8]) {
        if self.automaton.may_call(self.fired, hints::of_text(text)) {
            if let Some(constant) = self.index.shapes.constants.find_text(text) {
                self.call(kind, constant);
            }
        }
    }

    /// A constant, known by its number, may.
    fn call_number(&mut self, kind: Kind, constant: ConstantId) {
        if self.automaton.may_call(self.fired, hints::of_constant(constant)) {
            self.call(kind, constant);
        }
    }

    fn call(&mut self, kind: Kind, constant: ConstantId) {
        let (at, fired, side) = (self.at, self.fired, self.automaton.side());
        self.automaton.bring_called(fired, kind, constant);
        self.found.call(Call { at, fired, constant, kind, side });
    }
}
