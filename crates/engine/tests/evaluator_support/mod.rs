//! A whole document on a tape, for the evaluator alone.

use std::cell::Cell;

use penstock_engine::error::{DocumentError, Stop};
use penstock_engine::evaluator::{node_kind, string_value, Compiled, Context, EvalError, NodeKind, NodeRef, Value};
use penstock_engine::events::{Handler, Source, StartTag, TextKind};
use penstock_engine::fragment;
use penstock_engine::ir::Expr;
use penstock_engine::limits::Limits;
use penstock_engine::names::Names;
use penstock_engine::reader::Reader;
use penstock_engine::tape::{Tape, TapeBuilder};

pub struct Document {
    reader: Reader,
    content: Content,
}

#[derive(Default)]
struct Content {
    builder: TapeBuilder,
    source: Vec<u8>,
}

impl Document {
    pub fn read(bytes: &[u8]) -> Result<Document, DocumentError> {
        let mut document = Document { reader: Reader::new(Limits::default()), content: Content::default() };
        document.reader.feed(bytes, &mut document.content)?;
        document.reader.finish(&mut document.content)?;
        document.content.builder.end(document.content.source.len() as u64);
        Ok(document)
    }

    pub fn tape(&self) -> &Tape {
        self.content.builder.tape()
    }

    pub fn names(&self) -> &Names {
        self.reader.names()
    }

    /// Evaluates at the document node.
    pub fn evaluate(&self, expr: &Expr) -> Result<Value, EvalError> {
        let budget = Cell::new(Limits::default().evaluation_steps);
        let compiled = Compiled::new(expr).map_err(EvalError::Invalid)?;
        compiled.evaluate(&Context::at(self.tape(), self.names(), NodeRef::new(0), &budget))
    }

    /// The items of a value as they are delivered: their kind and their text.
    pub fn items(&self, value: &Value) -> Vec<(&'static str, String)> {
        match value {
            Value::Nodes(nodes) => nodes.iter().map(|&node| self.item(node)).collect(),
            Value::Boolean(_) => vec![("boolean", value.to_string(self.tape(), self.names()))],
            Value::Number(_) => vec![("number", value.to_string(self.tape(), self.names()))],
            Value::String(_) => vec![("string", value.to_string(self.tape(), self.names()))],
        }
    }

    fn item(&self, node: NodeRef) -> (&'static str, String) {
        let text = string_value(self.tape(), self.names(), node);
        let record = self.tape().record(node.node);
        let mut out = String::new();
        let kind = match node_kind(self.tape(), node) {
            NodeKind::Document => {
                fragment::document(&self.content.source, &mut out);
                "document"
            }
            NodeKind::Element => {
                let raw = &self.content.source[record.source.0 as usize..record.source.1 as usize];
                fragment::standalone(raw, record.namespaces, self.names(), &mut out);
                "element"
            }
            NodeKind::Comment => {
                fragment::comment(text, &mut out);
                "comment"
            }
            NodeKind::Instruction => {
                fragment::instruction(self.tape().target(node.node), text, &mut out);
                "processing-instruction"
            }
            leaf => {
                out.push_str(text);
                match leaf {
                    NodeKind::Attribute => "attribute",
                    NodeKind::Text => "text",
                    _ => "namespace",
                }
            }
        };
        (kind, out)
    }
}

impl Handler for Content {
    fn start(&mut self, _: Source<'_>, _: &Names, tag: &StartTag<'_>) -> Result<(), Stop> {
        self.builder.start(tag).map(drop)
    }

    fn end(&mut self, _: Source<'_>, _: &Names, _: u64, end: u64) -> Result<(), Stop> {
        self.builder.end(end);
        Ok(())
    }

    fn text(&mut self, _: Source<'_>, start: u64, end: u64, raw: &[u8], kind: TextKind) -> Result<(), Stop> {
        self.builder.text(raw, kind, start, end)
    }

    fn text_end(&mut self, _: Source<'_>, _: &Names) -> Result<(), Stop> {
        self.builder.text_end();
        Ok(())
    }

    fn comment(&mut self, _: Source<'_>, _: &Names, start: u64, end: u64, raw: &[u8]) -> Result<(), Stop> {
        self.builder.comment(raw, start, end)
    }

    fn instruction(
        &mut self,
        _: Source<'_>,
        _: &Names,
        start: u64,
        end: u64,
        target: &[u8],
        data: &[u8],
    ) -> Result<(), Stop> {
        self.builder.instruction(target, data, start, end)
    }

    fn discard(&mut self, source: Source<'_>, upto: u64) -> Result<(), Stop> {
        self.source.extend_from_slice(source.slice(self.source.len() as u64, upto));
        Ok(())
    }
}
