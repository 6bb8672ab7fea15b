//! What a node sets off: triggers by its being there, and by its value.

use super::automaton::{Automaton, FiredId};
use super::found::Found;
use super::triggers::{Kind, CHECK, CONTAINS, ENDS, EQUALS, IS, NUMERIC, RANGES, STARTS};
use super::values::ConstantId;
use super::Index;
use crate::machine::to_number;
use crate::tape::Node;

/// The triggers of a node fire; which values they ask for.
pub fn fire(found: &mut Found, index: &Index, automaton: &mut Automaton, fired: FiredId, node: Node) -> Kind {
    let (accepted, checks, kinds) = automaton.fired(index, fired);
    found.accept(node, accepted);
    if let Some(checks) = checks {
        found.trigger(node, checks, (CHECK, 0));
    }
    kinds
}

/// A value that triggers ask for.
pub struct Value<'a> {
    pub index: &'a Index,
    pub automaton: &'a mut Automaton,
    pub fired: FiredId,
    pub kinds: Kind,
    pub found: &'a mut Found,
}

impl Value<'_> {
    pub fn fire(&mut self, value: &[u8], node: Node, contained: &mut Vec<ConstantId>) {
        let Value { index, kinds, .. } = *self;
        let constants = &index.shapes.constants;
        if kinds & IS != 0 && value.len() <= index.asked.longest {
            self.call(IS, constants.find_text(value), node);
        }
        if kinds & STARTS != 0 {
            for length in index.beginnings.up_to(value.len()) {
                self.call(STARTS, constants.find_text(&value[..length]), node);
            }
        }
        if kinds & ENDS != 0 {
            for length in index.endings.up_to(value.len()) {
                self.call(ENDS, constants.find_text(&value[value.len() - length..]), node);
            }
        }
        if kinds & CONTAINS != 0 {
            index.contained.find(value, constants, contained);
            for &constant in contained.iter() {
                self.call(CONTAINS, Some(constant), node);
            }
        }
        if kinds & NUMERIC != 0 {
            self.fire_number(to_number(value), node);
        }
    }

    fn fire_number(&mut self, number: f64, node: Node) {
        if self.kinds & EQUALS != 0 {
            self.call(EQUALS, self.index.shapes.constants.find_number(number), node);
        }
        if self.kinds & RANGES != 0 {
            for (kind, bound) in self.automaton.ranges(self.index, self.fired, self.kinds, number) {
                self.call(kind, Some(bound), node);
            }
        }
    }

    #[inline]
    fn call(&mut self, kind: Kind, constant: Option<ConstantId>, node: Node) {
        if let Some(constant) = constant {
            if let Some(groups) = self.automaton.called(self.index, self.fired, kind, constant) {
                self.found.trigger(node, groups, (kind, constant));
            }
        }
    }
}
