//! The content of an element as it is put together.

use std::rc::Rc;
use std::sync::Arc;

use crate::evaluator::{EvalError, NodeKind};

use super::built::{Attributes, Built, Piece, Size};
use super::error::{error, Result};
use super::operation::QName;
use super::run::Run;
use super::value::{Item, Node};

/// A constructed node may be so many bytes large, and hold so many others within each other.
const GREATEST_WEIGHT: u64 = 1 << 30;
const GREATEST_DEPTH: u32 = 1000;

#[derive(Default)]
pub(super) struct Content {
    attributes: Attributes,
    pieces: Vec<Piece>,
    /// Text that the next piece ends.
    text: String,
}

impl Content {
    pub(super) fn add_attribute(&mut self, name: QName, value: Arc<str>) -> Result<()> {
        if !self.pieces.is_empty() || !self.text.is_empty() {
            return Err(error("XQTY0024", "an attribute comes after other content of its element"));
        }
        if self.attributes.iter().any(|(known, _)| known.local == name.local && known.uri == name.uri) {
            return Err(error("XQDY0025", format!("the attribute {} is there twice", name.local)));
        }
        self.attributes.push((name, value));
        Ok(())
    }

    pub(super) fn add_text(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// A node that was made for this place.
    pub(super) fn add_built(&mut self, built: &Rc<Built>) -> Result<()> {
        match &**built {
            Built::Attribute(name, value) => self.add_attribute(name.clone(), Arc::clone(value)),
            Built::Text(text) => {
                self.add_text(text);
                Ok(())
            }
            Built::Document(content, _) => content.iter().try_for_each(|piece| self.add_piece(piece.clone())),
            Built::Element(_) | Built::Comment(_) | Built::Instruction(..) => {
                self.add_piece(Piece::Built(Rc::clone(built)))
            }
        }
    }

    fn add_piece(&mut self, piece: Piece) -> Result<()> {
        if let Piece::Built(built) = &piece {
            if matches!(**built, Built::Text(_) | Built::Attribute(..) | Built::Document(..)) {
                return self.add_built(&Rc::clone(built));
            }
        }
        self.flush();
        self.pieces.push(piece);
        Ok(())
    }

    /// The value of one hole: values next to each other are separated by spaces.
    pub(super) fn add_items(&mut self, run: &Run<'_>, items: &[Item]) -> Result<()> {
        let mut after_value = false;
        for item in items {
            match item {
                Item::Atomic(atomic) => {
                    if after_value {
                        self.text.push(' ');
                    }
                    self.text.push_str(&atomic.to_text());
                    after_value = true;
                }
                Item::Node(node) => {
                    after_value = false;
                    self.add_node(run, *node)?;
                }
            }
        }
        Ok(())
    }

    fn add_node(&mut self, run: &Run<'_>, node: Node) -> Result<()> {
        match run.kind(node) {
            NodeKind::Attribute => self.add_attribute(run.attribute_name(node), run.string_value(node)),
            NodeKind::Text => {
                self.add_text(&run.string_value(node));
                Ok(())
            }
            NodeKind::Document => run.children(node).into_iter().try_for_each(|child| self.add_node(run, child)),
            NodeKind::Element | NodeKind::Comment | NodeKind::Instruction | NodeKind::Namespace => {
                match run.copied(node) {
                    Some(piece) => self.add_piece(piece),
                    None => Ok(()),
                }
            }
        }
    }

    fn flush(&mut self) {
        if !self.text.is_empty() {
            let text = std::mem::take(&mut self.text);
            self.pieces.push(Piece::Built(Rc::new(Built::Text(text.into()))));
        }
    }

    /// Attributes, content and its size.
    pub(super) fn finish(mut self, run: &Run<'_>) -> Result<(Attributes, Vec<Piece>, Size)> {
        self.flush();
        let mut size = Size { weight: 16, depth: 0 };
        for (name, value) in &self.attributes {
            size.weight += (name.local.len() + value.len()) as u64;
        }
        for piece in &self.pieces {
            let part = match piece {
                Piece::Built(built) => built.size(),
                Piece::Source(node) => {
                    let (start, end) = run.source.tape.record(*node).source;
                    Size { weight: end - start, depth: 0 }
                }
            };
            size = Size { weight: size.weight.saturating_add(part.weight), depth: size.depth.max(part.depth) };
        }
        size.depth += 1;
        if size.weight > GREATEST_WEIGHT || size.depth > GREATEST_DEPTH {
            return Err(EvalError::OutOfSteps);
        }
        Ok((self.attributes, self.pieces, size))
    }
}
