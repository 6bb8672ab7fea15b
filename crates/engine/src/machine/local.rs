//! Conditions that are decided by what lies inside their element.
//!
//! Most conditions are: they ask for the element's attributes, its value, and for nodes below it whose own conditions
//! are of the same kind. By the element's end all is known, so a gate for each part would be wasted: a bit tells
//! whether it was found, and the condition is a formula over the bits.

use std::sync::Arc;

use super::compiled::Cond;
use super::program::{Keep, Role, StepAxis};
use super::set::{global, NodeTest, Step, StepId, DOCUMENT};
use super::value_test::Test as ValueTest;
use crate::ir::Test;

/// When and by what the condition of a step is decided.
pub enum Decided {
    /// At the start tag, or there is no condition.
    AtStart,
    /// By the node's value alone.
    Value(Arc<ValueTest>),
    /// At the element's end at the latest.
    Inside(Box<Local>),
    /// By gates.
    Elsewhere,
}

pub struct Local {
    formula: Formula,
    /// What each bit stands for.
    pub leaves: Vec<Leaf>,
    /// Bits that may still be found after the start tag.
    pub later: u32,
    /// Bits that, found for a node, are found for the nodes around it too.
    pub outward: u32,
    /// All bits stand for branches, and the start tag decides nothing.
    pub asks_below_only: bool,
}

pub enum Leaf {
    /// Some node is matched by the branch.
    Branch(StepId),
    /// Some attribute is matched by the step.
    Attribute(StepId),
    /// The node's value passes the test.
    Value(Arc<ValueTest>),
    /// The node itself passes the test.
    Is(Test),
}

enum Formula {
    Known(bool),
    Bit(u32),
    Not(Box<Formula>),
    /// All of the bits and all of the others.
    And(u32, Vec<Formula>),
    Or(u32, Vec<Formula>),
}

impl Local {
    /// The condition's value, if these bits decide it. Bits that are neither found nor open are false.
    #[inline]
    pub fn value(&self, found: u32, open: u32) -> Option<bool> {
        self.formula.value(found, open)
    }
}

impl Formula {
    fn value(&self, found: u32, open: u32) -> Option<bool> {
        match self {
            Formula::Known(value) => Some(*value),
            Formula::Bit(bit) if found & bit != 0 => Some(true),
            Formula::Bit(bit) => (open & bit == 0).then_some(false),
            Formula::Not(arg) => arg.value(found, open).map(|value| !value),
            Formula::And(bits, _) if bits & !found & !open != 0 => Some(false),
            Formula::And(bits, rest) => Formula::unless_decided(rest, bits & !found != 0, true, found, open),
            Formula::Or(bits, _) if found & bits != 0 => Some(true),
            Formula::Or(bits, rest) => Formula::unless_decided(rest, bits & open != 0, false, found, open),
        }
    }

    /// `neutral` if all the others are, the opposite if one of them is, unknown otherwise or if a bit is open.
    fn unless_decided(rest: &[Formula], mut is_open: bool, neutral: bool, found: u32, open: u32) -> Option<bool> {
        for arg in rest {
            match arg.value(found, open) {
                Some(value) if value == neutral => {}
                Some(_) => return Some(!neutral),
                None => is_open = true,
            }
        }
        (!is_open).then_some(neutral)
    }
}

/// What decides the step's condition; its branches must have been asked before.
pub fn decided(steps: &[Step], id: StepId) -> Decided {
    let step = &steps[id as usize];
    let Some(condition) = &step.condition else { return Decided::AtStart };
    if is_known_at_start(condition, steps, step.base) {
        return Decided::AtStart;
    }
    if let (Cond::Value(test), Role::Branch) = (&**condition, step.role) {
        return Decided::Value(test.clone());
    }
    // The document's one child is known before the document's end, which the bits do not tell.
    if matches!(step.axis, StepAxis::SelfAxis | StepAxis::DescendantOrSelf) && matches!(step.test, NodeTest::Node) {
        return Decided::Elsewhere;
    }
    let mut local =
        Local { formula: Formula::Known(true), leaves: Vec::new(), later: 0, outward: 0, asks_below_only: false };
    match local.formula(condition, steps, id) {
        Some(formula) => {
            let asks_below = local.leaves.iter().all(|leaf| matches!(leaf, Leaf::Branch(_)));
            let asks_below_only = asks_below && formula.value(0, local.later).is_none();
            Decided::Inside(Box::new(Local { formula, asks_below_only, ..local }))
        }
        None => Decided::Elsewhere,
    }
}

fn is_known_at_start(condition: &Cond, steps: &[Step], base: StepId) -> bool {
    match condition {
        Cond::Known(_) | Cond::Is(_) | Cond::Position { .. } | Cond::Place { .. } => true,
        Cond::And(args) | Cond::Or(args) => args.iter().all(|arg| is_known_at_start(arg, steps, base)),
        Cond::Not(arg) => is_known_at_start(arg, steps, base),
        Cond::Exists(branch) => steps[global(base, *branch) as usize].axis == StepAxis::Attribute,
        Cond::Value(_) | Cond::Up(..) | Cond::Before(..) | Cond::Eval { .. } => false,
    }
}

impl Local {
    /// None if some part of the condition is decided elsewhere.
    fn formula(&mut self, condition: &Cond, steps: &[Step], id: StepId) -> Option<Formula> {
        let base = steps[id as usize].base;
        Some(match condition {
            Cond::Known(value) => Formula::Known(*value),
            Cond::And(args) => {
                let (bits, rest) = self.formulas(args, steps, id)?;
                Formula::And(bits, rest)
            }
            Cond::Or(args) => {
                let (bits, rest) = self.formulas(args, steps, id)?;
                Formula::Or(bits, rest)
            }
            Cond::Not(arg) => Formula::Not(Box::new(self.formula(arg, steps, id)?)),
            Cond::Is(test) => Formula::Bit(self.bit(Leaf::Is(test.clone()))?),
            Cond::Value(test) => {
                let bit = self.bit(Leaf::Value(test.clone()))?;
                self.later |= bit;
                Formula::Bit(bit)
            }
            Cond::Exists(branch) => {
                let branch = global(base, *branch);
                let step = &steps[branch as usize];
                if step.axis == StepAxis::Attribute {
                    return self.bit(Leaf::Attribute(branch)).map(Formula::Bit);
                }
                if step.from != id || id == DOCUMENT || !step.tells_by_bit() {
                    return None;
                }
                let known = self.leaves.iter().position(|leaf| matches!(leaf, Leaf::Branch(known) if *known == branch));
                let bit = known.map_or_else(|| self.bit(Leaf::Branch(branch)), |number| Some(1 << number))?;
                self.later |= bit;
                if step.axis != StepAxis::Child {
                    self.outward |= bit;
                }
                Formula::Bit(bit)
            }
            Cond::Up(..) | Cond::Before(..) | Cond::Position { .. } | Cond::Place { .. } | Cond::Eval { .. } => {
                return None
            }
        })
    }

    fn formulas(&mut self, args: &[Cond], steps: &[Step], id: StepId) -> Option<(u32, Vec<Formula>)> {
        let mut bits = 0;
        let mut rest = Vec::new();
        for arg in args {
            match self.formula(arg, steps, id)? {
                Formula::Bit(bit) => bits |= bit,
                other => rest.push(other),
            }
        }
        Some((bits, rest))
    }

    /// A bit for the leaf; None when there are none left.
    fn bit(&mut self, leaf: Leaf) -> Option<u32> {
        let bit = 1u32.checked_shl(self.leaves.len() as u32)?;
        self.leaves.push(leaf);
        Some(bit)
    }
}

impl Step {
    /// Whether a match of this branch can tell its context by a bit: all about it is known by the context's end.
    fn tells_by_bit(&self) -> bool {
        let is_below = matches!(self.axis, StepAxis::Child | StepAxis::Descendant | StepAxis::DescendantOrSelf);
        let is_decided = !matches!(self.decided, Decided::Elsewhere);
        self.role == Role::Branch && is_below && is_decided && !self.is_asked_for && self.keep == Keep::Nothing
    }
}
