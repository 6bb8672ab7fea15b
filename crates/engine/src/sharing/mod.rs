//! Subscriptions that an index cannot answer alone, worked out together.
//!
//! Each has a *pattern*, which is in the index with those of all others, and *work* that is done when the pattern has
//! selected something (`ir`). The work of a FLWOR is a query of its bindings, the selected nodes: constants that it
//! compares with are in the pattern, so subscriptions that differ only in them have the same work. Work is known by
//! its text (`forms`), so that for one document each query is evaluated once for each binding (`messages`), whoever
//! asks for it; most of what queries construct is text with holes, filled in without an evaluator (`template`).

mod comparing;
mod compiled;
mod document;
mod doubts;
mod early;
mod filling;
mod forms;
mod fragments;
mod holes;
pub mod ir;
mod known;
mod making;
mod messages;
mod selected;
mod stored;
mod template;
mod unmade;
mod verifying;

pub use compiled::Shared;
pub use document::Document;
pub use early::{Early, EarlyMessages};
pub(crate) use fragments::{Fragments, Scopes};
pub use known::KnownWork;
pub(crate) use known::{number_mark, text_mark};
pub use messages::Messages;
pub use selected::Selected;
pub(crate) use stored::Stored;
pub use unmade::Unmade;

use rustc_hash::FxHashMap;

use crate::index::Slot;
use crate::machine::CompiledProgram;
use comparing::Comparing;
use forms::{Entry, FormId, Forms};

const NO_FORM: FormId = FormId::MAX;

/// The subscription has work to be done.
const WORKS: u8 = 1;
/// Its messages may be made later: there is one for each node that its only path selects, and none can fail.
const WAITS: u8 = 2;

/// The work of all subscriptions.
#[derive(Default)]
pub struct Sharing {
    forms: Forms,
    /// By subscription.
    of_slot: Vec<FormId>,
    flags: Vec<u8>,
    /// What to do in doubt, by subscription.
    residuals: FxHashMap<Slot, Box<str>>,
    comparing: Comparing,
    len: usize,
}

/// How much is shared.
#[derive(Clone, Copy, Debug, Default)]
pub struct SharingSizes {
    /// Subscriptions whose conditions the index decides all: only their messages are left to be made.
    pub exact: usize,
    /// Those that are evaluated when their patterns have selected something.
    pub verified: usize,
    /// Different works.
    pub forms: usize,
    /// Different holes of their templates.
    pub holes: usize,
}

impl Sharing {
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Whether a subscription has work to be done.
    #[inline]
    pub fn has(&self, slot: Slot) -> bool {
        self.flags.get(slot as usize).is_some_and(|&flags| flags & WORKS != 0)
    }

    /// Whether the messages of a subscription may be made later.
    #[inline]
    pub fn may_wait(&self, slot: Slot) -> bool {
        self.flags.get(slot as usize).is_some_and(|&flags| flags & WAITS != 0)
    }

    pub fn add(&mut self, slot: Slot, paths: usize, program: &CompiledProgram, shared: &Shared) -> Result<(), String> {
        let (residual, tests) = match &shared.work {
            ir::Work::Bindings { residual, tests, .. } => (residual.as_deref(), tests.as_slice()),
            _ => (None, &[][..]),
        };
        let form = self.forms.enter(program, shared)?;
        self.join(slot, form, (residual, tests), paths == 1)
    }

    /// Adds a subscription whose work is known by its text.
    pub fn add_known(&mut self, slot: Slot, paths: usize, work: KnownWork) -> Result<(), String> {
        let form = self.forms.enter_text(work.key)?;
        self.join(slot, form, (work.residual.as_deref(), &work.tests), paths == 1)
    }

    /// A subscription has this work; what only it has is its residual and its tests.
    fn join(
        &mut self,
        slot: Slot,
        form: FormId,
        (residual, tests): (Option<&str>, &[ir::Test]),
        has_one_path: bool,
    ) -> Result<(), String> {
        if let Err(error) = self.comparing.add(slot, tests) {
            self.forms.leave(form);
            return Err(error);
        }
        if self.of_slot.len() <= slot as usize {
            self.of_slot.resize(slot as usize + 1, NO_FORM);
            self.flags.resize(slot as usize + 1, 0);
        }
        self.of_slot[slot as usize] = form;
        let is_sure = !self.comparing.has(slot) && self.forms.get(form).is_some_and(Entry::is_sure);
        let may_wait = has_one_path && is_sure;
        self.flags[slot as usize] = if may_wait { WORKS | WAITS } else { WORKS };
        if let Some(residual) = residual {
            self.residuals.insert(slot, residual.into());
        }
        self.len += 1;
        Ok(())
    }

    pub fn remove(&mut self, slot: Slot) {
        if !self.has(slot) {
            return;
        }
        let form = std::mem::replace(&mut self.of_slot[slot as usize], NO_FORM);
        self.flags[slot as usize] = 0;
        self.forms.leave(form);
        self.residuals.remove(&slot);
        self.comparing.remove(slot);
        self.len -= 1;
    }

    pub fn sizes(&self) -> SharingSizes {
        let mut sizes = self.forms.sizes();
        let is_exact = |slot: &Slot| self.forms.get(self.of_slot[*slot as usize]).is_some_and(Entry::is_exact);
        let compared = self.comparing.slots().filter(is_exact).count();
        sizes.exact -= compared;
        sizes.verified += compared;
        sizes
    }

    pub fn bytes(&self) -> usize {
        let residuals: usize = self.residuals.values().map(|text| text.len() + 32).sum();
        self.of_slot.capacity() * 5 + residuals + self.forms.bytes() + self.comparing.bytes()
    }
}
