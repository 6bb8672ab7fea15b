//! The works of subscriptions as they are stored.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use super::forms::{Form, FormId, Key};
use super::ir::Test;
use super::{Sharing, NO_FORM};
use crate::index::Slot;
use crate::machine::CompiledProgram;

#[derive(Serialize, Deserialize)]
pub struct Stored {
    /// With the subscriptions that have them, and whether they have one path.
    works: Vec<(Key, Vec<(Slot, bool)>)>,
    residuals: Vec<(Slot, Box<str>)>,
    tests: Vec<(Slot, Vec<Test>)>,
}

impl Sharing {
    pub(crate) fn stored(&self) -> Stored {
        let mut slots: Vec<(FormId, Slot)> =
            (0..).zip(&self.of_slot).filter(|(_, &form)| form != NO_FORM).map(|(slot, &form)| (form, slot)).collect();
        slots.sort_unstable();
        let works = slots.chunk_by(|left, right| left.0 == right.0).filter_map(|group| {
            let key = self.forms.key(group.first()?.0)?;
            Some((key.clone(), group.iter().map(|&(_, slot)| (slot, self.may_wait(slot))).collect()))
        });
        Stored {
            works: works.collect(),
            residuals: self.residuals.iter().map(|(&slot, text)| (slot, text.clone())).collect(),
            tests: self.comparing.given(),
        }
    }

    /// `compile` makes programs of what is stored of them.
    pub(crate) fn restored(
        stored: Stored,
        compile: impl Fn(&[u8]) -> Result<Arc<CompiledProgram>, String>,
    ) -> Result<Sharing, String> {
        let mut sharing = Sharing { residuals: stored.residuals.into_iter().collect(), ..Sharing::default() };
        let tests: FxHashMap<Slot, Vec<Test>> = stored.tests.into_iter().collect();
        for (key, slots) in stored.works {
            for (slot, has_one_path) in slots {
                let form = match key.2 {
                    true => sharing.forms.enter_text(key.clone())?,
                    false => sharing.forms.entered(key.clone(), |holes| {
                        let program = compile(key.0.as_bytes())?;
                        let shared = program.shared.as_ref().ok_or("a work that says nothing about itself")?;
                        Form::new(&program, shared, holes)
                    })?,
                };
                let tests = tests.get(&slot).map_or(&[][..], Vec::as_slice);
                sharing.join(slot, form, (None, tests), has_one_path)?;
            }
        }
        Ok(sharing)
    }
}
