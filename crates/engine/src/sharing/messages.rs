//! What the works of subscriptions give for one document.

use rustc_hash::FxHashMap;

use super::comparing::Compared;
use super::document::Document;
use super::forms::{Form, FormId};
use super::holes::Contents;
use super::{Sharing, NO_FORM};
use crate::error::Stop;
use crate::evaluator::EvalError;
use crate::index::Slot;
use crate::machine::{Batch, Fragment};
use crate::tape::Node;
use crate::xquery::{ItemKind, Items};

/// A memory that one large document has made larger than this is given back.
const LARGE: usize = 1 << 16;

/// What was made for one document: each message once, whoever gets it. Reused from document to document.
#[derive(Default)]
pub struct Messages {
    pub(super) by_binding: FxHashMap<(FormId, Node), Made>,
    pub(super) by_bindings: FxHashMap<(FormId, Box<[Node]>), Made>,
    /// Of whole queries.
    pub(super) verified: FxHashMap<FormId, Made>,
    pub(super) items: Vec<Item>,
    pub(super) failures: Vec<String>,
    pub(super) doubts: FxHashMap<(FormId, Node), bool>,
    pub(super) contents: Contents,
    pub(super) compared: Compared,
    /// Of a message as it is made.
    pub(super) text: String,
    /// Of a subscription, for its bindings.
    pub(super) made: Vec<Made>,
}

/// Items, or the number of a failure.
#[derive(Clone, Copy)]
pub enum Made {
    Items(u32, u32),
    Failed(u32),
}

#[derive(Clone, Copy)]
pub struct Item {
    /// With the place that it was last delivered at: most who get it get it at the same.
    pub fragment: u32,
    pub says_nothing: bool,
}

impl Messages {
    /// Forgets the last document.
    pub fn begin(&mut self) {
        if self.by_binding.capacity().max(self.items.capacity()) > LARGE {
            *self = Messages::default();
        }
        self.by_binding.clear();
        self.by_bindings.clear();
        self.verified.clear();
        self.items.clear();
        self.failures.clear();
        self.doubts.clear();
        self.contents.begin();
        self.compared.begin();
    }

    /// Adds what a subscription gets, whose pattern has selected these nodes, in document order.
    pub fn deliver(
        &mut self,
        sharing: &Sharing,
        slot: Slot,
        nodes: &[Node],
        document: &Document<'_>,
        batch: &mut Batch,
    ) -> Result<(), Stop> {
        let form = sharing.of_slot.get(slot as usize).copied().unwrap_or(NO_FORM);
        let Some(entry) = sharing.forms.get(form) else { return Ok(()) };
        let passing;
        let nodes = if sharing.comparing.has(slot) {
            passing = match self.passing(sharing, slot, nodes, document) {
                Ok(passing) if passing.is_empty() => return Ok(()),
                Ok(passing) => passing,
                Err(error) => {
                    batch.errors.push((slot, error.to_string()));
                    return Ok(());
                }
            };
            &passing
        } else {
            nodes
        };
        match &entry.form {
            Form::Bindings(bindings) => {
                if !bindings.doubts.is_empty() && self.is_doubtful(form, bindings, nodes, document) {
                    return self.deliver_residual(sharing, slot, entry, nodes, document, batch);
                }
                let work = (form, bindings);
                if bindings.is_each {
                    self.made.clear();
                    for &node in nodes {
                        let made = self.of_binding(sharing, work, node, document, batch);
                        self.made.push(made);
                    }
                    let made = std::mem::take(&mut self.made);
                    self.push(slot, &made, entry.deliver_empty, batch);
                    self.made = made;
                } else {
                    let made = self.of_bindings(sharing, work, nodes, document, batch);
                    self.push(slot, &[made], entry.deliver_empty, batch);
                }
                Ok(())
            }
            Form::Query(query) => {
                let made = match self.verified.get(&form) {
                    Some(&made) => made,
                    None => self.keep(document.evaluate(|context| query.answer(context)), batch),
                };
                self.verified.insert(form, made);
                self.push(slot, &[made], entry.deliver_empty, batch);
                Ok(())
            }
            Form::Nodes(_) | Form::Truth(_) => {
                let made = match self.verified.get(&form) {
                    Some(&made) => made,
                    None => self.verify(&entry.form, document, batch)?,
                };
                self.verified.insert(form, made);
                self.push_placed(slot, made, batch);
                Ok(())
            }
        }
    }

    pub(super) fn keep(&mut self, items: Result<Items, EvalError>, batch: &mut Batch) -> Made {
        match items {
            Ok(items) => {
                let first = self.items.len() as u32;
                for (place, (kind, text)) in items.iter().enumerate() {
                    let write = |out: &mut Vec<u8>| out.extend_from_slice(text.as_bytes());
                    let fragment = batch.add(kind.fragment(), place as u64 + 1, write);
                    let says_nothing = matches!(kind, ItemKind::Atomic { says_nothing: true });
                    self.items.push(Item { fragment, says_nothing });
                }
                Made::Items(first, self.items.len() as u32)
            }
            Err(error) => {
                self.failures.push(error.to_string());
                Made::Failed(self.failures.len() as u32 - 1)
            }
        }
    }

    /// Items are numbered in the order in which a subscription gets them.
    pub(super) fn push(&mut self, slot: Slot, made: &[Made], deliver_empty: bool, batch: &mut Batch) {
        let failed = made.iter().find_map(|one| if let Made::Failed(failure) = one { Some(*failure) } else { None });
        if let Some(failure) = failed {
            batch.errors.push((slot, self.failures[failure as usize].clone()));
            return;
        }
        let mut place = 0;
        let before = batch.deliveries.len();
        let mut says_nothing = false;
        for one in made {
            let Made::Items(first, end) = *one else { continue };
            for item in &mut self.items[first as usize..end as usize] {
                place += 1;
                says_nothing = item.says_nothing;
                let fragment = batch.fragments[item.fragment as usize];
                if fragment.offset != place {
                    batch.fragments.push(Fragment { offset: place, ..fragment });
                    item.fragment = batch.fragments.len() as u32 - 1;
                }
                batch.deliveries.push((slot, item.fragment));
            }
        }
        if place == 1 && says_nothing && !deliver_empty {
            batch.deliveries.truncate(before);
        }
    }
}
