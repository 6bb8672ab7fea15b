//! Constructors: from templates with holes to constructed nodes.

use std::rc::Rc;
use std::sync::Arc;

use crate::evaluator::{is_space, NodeKind};
use crate::reader::is_ncname;

use super::built::{Built, Element, Piece};
use super::content::Content;
use super::error::{error, too_many, Result};
use super::operation::{Bindings, Constructor, Operation, QName};
use super::run::{Focus, Run};
use super::value::Atomic;

const XMLNS_URI: &str = "http://www.w3.org/2000/xmlns/";

impl<'a> Run<'a> {
    /// The node that a constructor makes; a text node without content is not made.
    pub(super) fn build(&self, constructor: &'a Constructor, focus: &Focus<'_>) -> Result<Option<Rc<Built>>> {
        let built = match constructor {
            Constructor::Element { name, namespaces, attributes, content } => {
                let mut made = Content::default();
                for (name, parts) in attributes {
                    made.add_attribute(name.clone(), self.joined(parts, focus)?)?;
                }
                for part in content {
                    self.fill(part, &mut made, focus)?;
                }
                self.element(name.clone(), namespaces.clone(), made)?
            }
            Constructor::NamedElement { name, scope, content } => {
                let name = self.computed_name(name, scope, false, focus)?;
                let mut made = Content::default();
                self.fill(content, &mut made, focus)?;
                self.element(name, Vec::new(), made)?
            }
            Constructor::Attribute { name, parts } => Built::Attribute(name.clone(), self.joined(parts, focus)?),
            Constructor::NamedAttribute { name, scope, content } => {
                let name = self.computed_name(name, scope, true, focus)?;
                Built::Attribute(name, self.spaced(content, focus)?)
            }
            Constructor::Text(content) => {
                let atomics = self.atomics(content, focus)?;
                if atomics.is_empty() {
                    return Ok(None);
                }
                Built::Text(spaced(&atomics))
            }
            Constructor::Comment(content) => {
                let text = self.spaced(content, focus)?;
                if text.contains("--") || text.ends_with('-') {
                    return Err(error("XQDY0072", "a comment cannot hold '--' or end in '-'"));
                }
                Built::Comment(text)
            }
            Constructor::Instruction(parts) => self.instruction(parts, focus)?,
            Constructor::Document(content) => {
                let mut made = Content::default();
                self.fill(content, &mut made, focus)?;
                let (attributes, pieces, size) = made.finish(self)?;
                if !attributes.is_empty() {
                    return Err(error("XPTY0004", "a document cannot have attributes"));
                }
                Built::Document(pieces, size)
            }
        };
        Ok(Some(Rc::new(built)))
    }

    fn element(&self, name: QName, namespaces: Bindings, made: Content) -> Result<Built> {
        let (attributes, content, size) = made.finish(self)?;
        Ok(Built::Element(Element { name, namespaces, attributes, content, size }))
    }

    /// Adds the value of a part of an element's content.
    fn fill(&self, part: &'a Operation, made: &mut Content, focus: &Focus<'_>) -> Result<()> {
        match part {
            Operation::Constant(atomic) => made.add_text(&atomic.to_text()),
            // Made where it will stand: no one else can refer to it.
            Operation::Construct(constructor) => {
                if let Some(built) = self.build(constructor, focus)? {
                    made.add_built(&built)?;
                }
            }
            other => {
                let value = self.value(other, focus)?;
                self.charge(value.len() as u64)?;
                made.add_items(self, value.items())?;
            }
        }
        Ok(())
    }

    /// The parts of an attribute's value, each of them one string, put together.
    fn joined(&self, parts: &'a [Operation], focus: &Focus<'_>) -> Result<Arc<str>> {
        match parts {
            [Operation::Constant(text)] => Ok(text.to_arc()),
            [only] => self.spaced(only, focus),
            _ => {
                let mut whole = String::new();
                for part in parts {
                    whole.push_str(&self.spaced(part, focus)?);
                }
                Ok(whole.into())
            }
        }
    }

    /// The atomic values with spaces between them.
    fn spaced(&self, operation: &'a Operation, focus: &Focus<'_>) -> Result<Arc<str>> {
        Ok(spaced(&self.atomics(operation, focus)?))
    }

    fn instruction(&self, parts: &'a [Operation; 2], focus: &Focus<'_>) -> Result<Built> {
        let target = self.name_text(&parts[0], focus)?;
        if !is_ncname(&target) {
            return Err(error("XQDY0041", format!("'{target}' is no name of a processing instruction")));
        }
        if target.eq_ignore_ascii_case("xml") {
            return Err(error("XQDY0064", "a processing instruction cannot be called 'xml'"));
        }
        let text = self.spaced(&parts[1], focus)?;
        let text = text.trim_start_matches(is_space);
        if text.contains("?>") {
            return Err(error("XQDY0026", "a processing instruction cannot hold '?>'"));
        }
        Ok(Built::Instruction(target.into(), text.into()))
    }

    fn name_text(&self, operation: &'a Operation, focus: &Focus<'_>) -> Result<String> {
        match self.atomics(operation, focus)?.as_slice() {
            [Atomic::String(text) | Atomic::Untyped(text)] => Ok(text.trim_matches(is_space).to_owned()),
            [_] | [] => Err(error("XPTY0004", "the name of a constructed node must be a string")),
            _ => Err(too_many("the name of a constructed node")),
        }
    }

    fn computed_name(
        &self,
        operation: &'a Operation,
        scope: &Bindings,
        attribute: bool,
        focus: &Focus<'_>,
    ) -> Result<QName> {
        let text = self.name_text(operation, focus)?;
        let unusable = || error("XQDY0074", format!("'{text}' is no name that can be used here"));
        let (prefix, local) = text.split_once(':').unwrap_or(("", &text));
        if !is_ncname(local) || !(prefix.is_empty() || is_ncname(prefix)) || text.starts_with(':') {
            return Err(unusable());
        }
        let bound = scope.iter().find(|(known, _)| &**known == prefix).map(|(_, uri)| Arc::clone(uri));
        let uri = match bound {
            _ if prefix.is_empty() && attribute => Arc::from(""),
            Some(uri) => uri,
            None if prefix.is_empty() => Arc::from(""),
            None => return Err(unusable()),
        };
        if (attribute && prefix.is_empty() && local == "xmlns") || &*uri == XMLNS_URI {
            return Err(error("XQDY0044", "an attribute cannot declare a namespace"));
        }
        Ok(QName { prefix: prefix.into(), local: local.into(), uri })
    }

    /// What a node becomes in the content of another, if it is neither an attribute nor text nor a document.
    pub(super) fn copied(&self, node: super::value::Node) -> Option<Piece> {
        if node.tree != super::value::SOURCE {
            if let Some(origin) = self.origin(node) {
                return Some(origin);
            }
        }
        Some(match self.kind(node) {
            NodeKind::Element if node.tree == super::value::SOURCE => Piece::Source(node.at.node),
            NodeKind::Comment => Piece::Built(Rc::new(Built::Comment(self.string_value(node)))),
            NodeKind::Instruction => {
                let target = self.navigate(node.tree, |on| Arc::from(on.tape.target(node.at.node)));
                Piece::Built(Rc::new(Built::Instruction(target, self.string_value(node))))
            }
            _ => return None,
        })
    }

    /// The name of an attribute, for a copy of it.
    pub(super) fn attribute_name(&self, node: super::value::Node) -> QName {
        self.navigate(node.tree, |on| {
            let name = on.tape.record(node.at.node).name;
            QName {
                prefix: on.names.prefix(name).into(),
                local: on.names.local(name).into(),
                uri: on.names.uri(name).into(),
            }
        })
    }
}

fn spaced(atomics: &[Atomic]) -> Arc<str> {
    match atomics {
        [only] => only.to_arc(),
        _ => atomics.iter().map(Atomic::to_text).collect::<Vec<_>>().join(" ").into(),
    }
}
