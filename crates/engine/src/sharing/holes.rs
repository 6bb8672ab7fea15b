//! Holes of templates: expressions of one binding, the same hole in all templates that have it.

use std::cell::Cell;

use rustc_hash::FxHashMap;

use super::ir::GIVEN;
use crate::ir::{Axis, Test};
use crate::tape::Node;
use crate::xquery::ir::{Expr, Step};
use crate::xquery::{Compiled, Context, HoleItem};

pub type HoleId = u32;

/// All holes, known by their expressions.
#[derive(Default)]
pub struct Holes {
    holes: Vec<Option<Hole>>,
    free: Vec<HoleId>,
    by_text: FxHashMap<Box<str>, HoleId>,
}

struct Hole {
    expr: Compiled,
    users: usize,
    text: Box<str>,
}

impl Holes {
    /// The hole of an expression whose only variable is [`GIVEN`].
    pub fn enter(&mut self, expr: &Expr) -> Result<HoleId, String> {
        self.enter_text(format!("{expr:?}").into(), || Compiled::given(expr, &[GIVEN]))
    }

    /// The same for an expression that is known by a text.
    pub fn enter_text(
        &mut self,
        text: Box<str>,
        compile: impl FnOnce() -> Result<Compiled, String>,
    ) -> Result<HoleId, String> {
        if let Some(&hole) = self.by_text.get(&text) {
            if let Some(Some(hole)) = self.holes.get_mut(hole as usize) {
                hole.users += 1;
            }
            return Ok(hole);
        }
        let hole = Some(Hole { expr: compile()?, users: 1, text: text.clone() });
        let id = match self.free.pop() {
            Some(id) => {
                self.holes[id as usize] = hole;
                id
            }
            None => {
                self.holes.push(hole);
                self.holes.len() as HoleId - 1
            }
        };
        self.by_text.insert(text, id);
        Ok(id)
    }

    pub fn leave(&mut self, id: HoleId) {
        let Some(place) = self.holes.get_mut(id as usize) else { return };
        let Some(hole) = place else { return };
        hole.users -= 1;
        if hole.users == 0 {
            self.by_text.remove(&hole.text);
            *place = None;
            self.free.push(id);
        }
    }

    pub fn len(&self) -> usize {
        self.by_text.len()
    }

    pub fn expr(&self, id: HoleId) -> Option<&Compiled> {
        self.holes.get(id as usize)?.as_ref().map(|hole| &hole.expr)
    }
}

/// Whether a hole has nothing but elements and texts that can be copied, and cannot fail.
pub fn is_content(expr: &Expr) -> bool {
    is_path(expr, |axis, test| {
        matches!(axis, Axis::Child | Axis::Descendant) && matches!(test, Test::Name { .. } | Test::Text)
    }) || is_value(expr)
}

/// Whether all that is in a hole has a value, and it cannot fail.
pub fn is_value(expr: &Expr) -> bool {
    match expr {
        Expr::Call { name, args } => {
            matches!(name.as_str(), "data" | "count" | "exists" | "empty") && is_nodes(&args[0])
        }
        _ => false,
    }
}

/// Whether a hole has nodes of the document, on a path that cannot fail.
pub fn is_nodes(expr: &Expr) -> bool {
    is_path(expr, |axis, _| matches!(axis, Axis::Child | Axis::Descendant | Axis::Attribute))
}

fn is_path(expr: &Expr, is_it: impl Fn(Axis, &Test) -> bool) -> bool {
    let Expr::Path { start, steps } = expr else { return false };
    let fits = |step: &Step| step.predicates.is_empty() && is_it(step.axis, &step.test);
    matches!(**start, Expr::Variable { .. }) && steps.iter().all(fits)
}

/// The contents of holes in one document: each worked out once for each binding.
#[derive(Default)]
pub struct Contents {
    known: FxHashMap<(HoleId, Node), Option<(u32, u32)>>,
    items: Vec<HoleItem>,
}

impl Contents {
    pub fn begin(&mut self) {
        self.known.clear();
        self.items.clear();
    }

    /// What a hole has for a binding; None if an evaluator must say.
    pub fn of(
        &mut self,
        holes: &Holes,
        hole: HoleId,
        binding: Node,
        context: &Context<'_>,
        budget: u64,
    ) -> Option<&[HoleItem]> {
        let Contents { known, items } = self;
        let range = *known.entry((hole, binding)).or_insert_with(|| {
            let expr = holes.expr(hole)?;
            let first = items.len() as u32;
            let steps = Cell::new(budget);
            expr.hole_items(binding, &Context { budget: &steps, ..*context }, items)?;
            Some((first, items.len() as u32))
        });
        range.map(|(first, end)| &items[first as usize..end as usize])
    }
}
