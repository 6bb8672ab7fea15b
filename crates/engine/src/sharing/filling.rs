//! Fills templates.

use super::holes::{Contents, Holes};
use super::template::{Element, Part};
use super::Document;
use crate::evaluator::{node_kind, NodeKind, NodeRef};
use crate::fragment;
use crate::tape::Node;
use crate::xquery::{bound_prefix, Context, HoleItem, NamespaceScope};

/// A hole has something that only an evaluator can deal with.
pub struct Unsuitable;

pub struct Filling<'a> {
    pub document: &'a Document<'a>,
    pub context: &'a Context<'a>,
    pub holes: &'a Holes,
    pub contents: &'a mut Contents,
    /// What was written for bindings so far.
    pub yielded: usize,
}

impl Filling<'_> {
    pub fn element(&mut self, element: &Element, bindings: &[Node], out: &mut String) -> Result<(), Unsuitable> {
        for part in &element.start {
            self.part(part, bindings, out)?;
        }
        let before = out.len();
        out.push('>');
        for part in &element.content {
            self.part(part, bindings, out)?;
        }
        if out.len() == before + 1 {
            out.truncate(before);
            out.push_str("/>");
        } else {
            out.push_str(&element.end);
        }
        Ok(())
    }

    fn part(&mut self, part: &Part, bindings: &[Node], out: &mut String) -> Result<(), Unsuitable> {
        let document = self.document;
        let binding = bindings.first().copied().unwrap_or_default();
        match part {
            Part::Text(text) => out.push_str(text),
            Part::Element(element) => self.element(element, bindings, out)?,
            Part::Each(inner) => {
                for binding in bindings {
                    let before = out.len();
                    self.part(inner, std::slice::from_ref(binding), out)?;
                    self.yielded += usize::from(out.len() > before);
                }
            }
            Part::Value(hole) => {
                let mut is_first = true;
                for item in self.items(*hole, binding)? {
                    if !std::mem::take(&mut is_first) {
                        out.push(' ');
                    }
                    fragment::escape_attribute(document.text_of(item), out);
                }
            }
            Part::Content(hole, scope) => {
                let mut after_value = false;
                for item in self.items(*hole, binding)? {
                    match item {
                        HoleItem::Value(text) => {
                            if after_value {
                                out.push(' ');
                            }
                            fragment::escape_text(text, out);
                            after_value = true;
                        }
                        HoleItem::Node(node) => {
                            document.copy(*node, scope, out)?;
                            after_value = false;
                        }
                    }
                }
            }
        }
        Ok(())
    }

    fn items(&mut self, hole: u32, binding: Node) -> Result<&[HoleItem], Unsuitable> {
        let budget = self.document.limits.evaluation_steps;
        self.contents.of(self.holes, hole, binding, self.context, budget).ok_or(Unsuitable)
    }
}

impl Document<'_> {
    fn text_of<'t>(&'t self, item: &'t HoleItem) -> &'t str {
        match item {
            HoleItem::Value(text) => text,
            HoleItem::Node(node) => self.seen.tape().string_value(*node),
        }
    }

    /// Copies a node into an element.
    fn copy(&self, node: Node, scope: &NamespaceScope, out: &mut String) -> Result<(), Unsuitable> {
        let tape = self.seen.tape();
        match node_kind(tape, NodeRef::new(node)) {
            NodeKind::Text => fragment::escape_text(tape.string_value(node), out),
            NodeKind::Element => {
                let namespaces = tape.record(node).namespaces;
                let raw = self.seen.source(node);
                if scope.is_empty() && !self.names.declares(namespaces) {
                    out.push_str(&fragment::as_text(raw));
                } else {
                    fragment::within(raw, namespaces, self.names, |prefix| bound_prefix(scope, prefix), out);
                }
            }
            _ => return Err(Unsuitable),
        }
        Ok(())
    }
}
