//! Makes messages of bindings: by filling a template, or else by the evaluator.

use std::cell::Cell;

use super::document::Document;
use super::filling::{Filling, Unsuitable};
use super::forms::{Bindings, Form, FormId};
use super::fragments::Fragments;
use super::messages::{Item, Made, Messages};
use super::template::Template;
use super::{Sharing, NO_FORM};
use crate::evaluator::NodeRef;
use crate::index::Slot;
use crate::machine::{Batch, FragmentKind};
use crate::tape::Node;
use crate::xquery::HoleItem;

impl Messages {
    /// Whether a subscription gets something, known without making it; false if it must be made.
    pub fn surely_delivers(&mut self, sharing: &Sharing, slot: Slot, nodes: &[Node], document: &Document<'_>) -> bool {
        let form = sharing.of_slot.get(slot as usize).copied().unwrap_or(NO_FORM);
        match sharing.forms.get(form).map(|entry| &entry.form) {
            _ if sharing.comparing.has(slot) => false,
            Some(Form::Bindings(bindings @ Bindings { template: Some((_, true)), .. })) => {
                !self.is_doubtful(form, bindings, nodes, document)
            }
            _ => false,
        }
    }

    /// What there is for all bindings together.
    pub(super) fn of_bindings(
        &mut self,
        sharing: &Sharing,
        (form, bindings): (FormId, &Bindings),
        nodes: &[Node],
        document: &Document<'_>,
        batch: &mut Batch,
    ) -> Made {
        let key = (form, Box::from(nodes));
        if let Some(&made) = self.by_bindings.get(&key) {
            return made;
        }
        let made = self.make(sharing, bindings, nodes, document, batch);
        self.by_bindings.insert(key, made);
        made
    }

    pub(super) fn of_binding(
        &mut self,
        sharing: &Sharing,
        (form, bindings): (FormId, &Bindings),
        node: Node,
        document: &Document<'_>,
        batch: &mut Batch,
    ) -> Made {
        if let Some(&made) = self.by_binding.get(&(form, node)) {
            return made;
        }
        let made = self.make(sharing, bindings, &[node], document, batch);
        self.by_binding.insert((form, node), made);
        made
    }

    fn make(
        &mut self,
        sharing: &Sharing,
        bindings: &Bindings,
        nodes: &[Node],
        document: &Document<'_>,
        batch: &mut Batch,
    ) -> Made {
        if let Some((template, _)) = &bindings.template {
            if let Ok(made) = self.fill(sharing, template, nodes, document, batch) {
                return made;
            }
        }
        let items = document.evaluate(|context| bindings.query.answer_for(nodes, context));
        self.keep(items, batch)
    }

    fn fill(
        &mut self,
        sharing: &Sharing,
        template: &Template,
        nodes: &[Node],
        document: &Document<'_>,
        batch: &mut Batch,
    ) -> Result<Made, Unsuitable> {
        let first = self.items.len() as u32;
        let budget = Cell::new(0);
        let context = document.context(&budget);
        let holes = &sharing.forms.holes;
        match template {
            Template::Items(hole) => {
                let node = nodes.first().copied().unwrap_or_default();
                let steps = document.limits.evaluation_steps;
                let items = self.contents.of(holes, *hole, node, &context, steps).ok_or(Unsuitable)?;
                if items.iter().any(|item| matches!(item, HoleItem::Value(_))) {
                    return Err(Unsuitable);
                }
                let mut fragments = Fragments::new(document.seen, document.names, None);
                for (place, item) in items.iter().enumerate() {
                    if let HoleItem::Node(node) = item {
                        let fragment = fragments.numbered(NodeRef::new(*node), place as u64 + 1, batch);
                        self.items.push(Item { fragment, says_nothing: false });
                    }
                }
            }
            Template::Element(element) | Template::Around(element) => {
                self.text.clear();
                let contents = &mut self.contents;
                let mut filling = Filling { document, context: &context, holes, contents, yielded: 0 };
                filling.element(element, nodes, &mut self.text)?;
                if matches!(template, Template::Element(_)) || filling.yielded > 0 {
                    let write = |out: &mut Vec<u8>| out.extend_from_slice(self.text.as_bytes());
                    let fragment = batch.add(FragmentKind::Element, 1, write);
                    self.items.push(Item { fragment, says_nothing: false });
                }
            }
        }
        Ok(Made::Items(first, self.items.len() as u32))
    }
}
