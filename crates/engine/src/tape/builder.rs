//! Writes the tape from the reader's events.

use super::{Kind, Node, Record, Tape, MOST_NODES, NO_PARENT, OPEN};
use crate::error::Stop;
use crate::events::{Attribute, StartTag, TextKind};
use crate::names::{NameId, NsId};
use crate::reader::decode_text;

/// Stands in a record that has no name or no namespaces of its own.
const NO_NAME: NameId = NameId(u32::MAX);
const NO_NAMESPACES: NsId = NsId(u32::MAX);

/// A tape that grows at its end and may be cut back there.
pub struct TapeBuilder {
    tape: Tape,
    current: Node,
    text_open: bool,
    /// Write text nodes. May change between events; a text node begun is completed.
    pub keep_text: bool,
    /// Write comments and processing instructions.
    pub keep_markup: bool,
}

impl Default for TapeBuilder {
    fn default() -> TapeBuilder {
        TapeBuilder::new()
    }
}

impl TapeBuilder {
    /// A tape with an open document node and nothing else.
    pub fn new() -> TapeBuilder {
        let mut builder =
            TapeBuilder { tape: Tape::default(), current: 0, text_open: false, keep_text: true, keep_markup: true };
        builder.reset();
        builder
    }

    /// Back to an open document node and nothing else; keeps the memory.
    pub fn reset(&mut self) {
        self.tape.records.clear();
        self.tape.text.clear();
        self.tape.values.clear();
        self.tape.records.push(Record {
            kind: Kind::Document,
            is_id: false,
            name: NO_NAME,
            parent: NO_PARENT,
            after: OPEN,
            namespaces: NO_NAMESPACES,
            text: (0, 0),
            mark: 0,
            source: (0, 0),
        });
        self.current = 0;
        self.text_open = false;
    }

    pub fn tape(&self) -> &Tape {
        &self.tape
    }

    /// The innermost open element, or the document node.
    #[inline]
    pub fn current(&self) -> Node {
        self.current
    }

    /// Bytes held, roughly.
    pub fn bytes(&self) -> u64 {
        self.tape.bytes()
    }

    /// Opens an element and writes its attributes after it.
    pub fn start(&mut self, tag: &StartTag<'_>) -> Result<Node, Stop> {
        let element = self.element(tag)?;
        for attribute in tag.attributes {
            self.attribute(attribute)?;
        }
        Ok(element)
    }

    /// Opens an element; its attributes may follow.
    pub fn element(&mut self, tag: &StartTag<'_>) -> Result<Node, Stop> {
        let parent = self.current;
        let text = self.tape.text.len() as u32;
        let element = self.push(Record {
            kind: Kind::Element,
            is_id: false,
            name: tag.name,
            parent,
            after: OPEN,
            namespaces: tag.namespaces,
            text: (text, text),
            mark: self.tape.values.len() as u32,
            // Not the tag's end: to read both at once, of what was written a moment ago, would have to wait.
            source: (tag.start, tag.start),
        })?;
        self.current = element;
        Ok(element)
    }

    /// Writes an attribute of the element that was just opened.
    pub fn attribute(&mut self, attribute: &Attribute<'_>) -> Result<Node, Stop> {
        let mark = self.tape.values.len() as u32;
        let text = self.append_value(&attribute.bytes())?;
        let index = self.push(Record {
            kind: Kind::Attribute,
            is_id: attribute.is_id,
            name: attribute.name,
            parent: self.current,
            after: OPEN,
            namespaces: NO_NAMESPACES,
            text,
            mark,
            source: (attribute.offset, attribute.offset),
        })?;
        self.close(index);
        Ok(index)
    }

    /// Closes the current element (or, at the end, the document); `end` is the offset after its end tag.
    pub fn end(&mut self, end: u64) -> Node {
        self.text_end();
        let node = self.current;
        let text = self.tape.text.len() as u32;
        self.close(node);
        let record = &mut self.tape.records[node as usize];
        record.text.1 = text;
        record.source.1 = end;
        if record.parent != NO_PARENT {
            self.current = record.parent;
        }
        node
    }

    /// A piece of a text node; `start` and `end` are offsets in the source.
    pub fn text(&mut self, raw: &[u8], kind: TextKind, start: u64, end: u64) -> Result<(), Stop> {
        if !self.text_open {
            if !self.keep_text {
                return Ok(());
            }
            let at = self.tape.text.len() as u32;
            self.push(Record {
                kind: Kind::Text,
                is_id: false,
                name: NO_NAME,
                parent: self.current,
                after: OPEN,
                namespaces: NO_NAMESPACES,
                text: (at, at),
                mark: self.tape.values.len() as u32,
                source: (start, end),
            })?;
            self.text_open = true;
        }
        let piece = decode_text(raw, kind);
        bound(self.tape.text.len() + piece.len())?;
        self.tape.text.push_str(&piece);
        if let Some(record) = self.tape.records.last_mut() {
            record.text.1 = self.tape.text.len() as u32;
            record.source.1 = end;
        }
        Ok(())
    }

    /// The open text node, if there is one, is complete.
    pub fn text_end(&mut self) {
        if self.text_open {
            self.text_open = false;
            self.close(self.tape.len() - 1);
        }
    }

    pub fn comment(&mut self, raw: &[u8], start: u64, end: u64) -> Result<(), Stop> {
        if !self.keep_markup {
            return Ok(());
        }
        let mark = self.tape.values.len() as u32;
        let text = self.append_value(decode_text(raw, TextKind::Cdata).as_bytes())?;
        self.leaf(Kind::Comment, mark, text, (start, end))
    }

    pub fn instruction(&mut self, target: &[u8], data: &[u8], start: u64, end: u64) -> Result<(), Stop> {
        if !self.keep_markup {
            return Ok(());
        }
        let (mark, _) = self.append_value(decode_text(target, TextKind::Plain).as_bytes())?;
        let text = self.append_value(decode_text(data, TextKind::Cdata).as_bytes())?;
        self.leaf(Kind::Instruction, mark, text, (start, end))
    }

    /// Cuts the tape back to before `node`, a closed element with nothing after it.
    pub fn truncate_to(&mut self, node: Node) {
        let Some(record) = self.tape.records.get(node as usize) else { return };
        debug_assert!(record.kind == Kind::Element && record.after == self.tape.len());
        let (text, values) = (record.text.0 as usize, record.mark as usize);
        self.tape.text.truncate(text);
        self.tape.values.truncate(values);
        self.tape.records.truncate(node as usize);
    }

    fn leaf(&mut self, kind: Kind, mark: u32, text: (u32, u32), source: (u64, u64)) -> Result<(), Stop> {
        let index = self.push(Record {
            kind,
            is_id: false,
            name: NO_NAME,
            parent: self.current,
            after: OPEN,
            namespaces: NO_NAMESPACES,
            text,
            mark,
            source,
        })?;
        self.close(index);
        Ok(())
    }

    fn push(&mut self, record: Record) -> Result<Node, Stop> {
        let index = self.tape.records.len();
        if index >= MOST_NODES as usize {
            return Err(Stop::limit("more nodes must be held than the tape can count"));
        }
        self.tape.records.push(record);
        Ok(index as Node)
    }

    #[inline]
    fn close(&mut self, node: Node) {
        let after = self.tape.len();
        self.tape.records[node as usize].after = after;
    }

    fn append_value(&mut self, value: &[u8]) -> Result<(u32, u32), Stop> {
        let start = self.tape.values.len() as u32;
        bound(self.tape.values.len() + value.len())?;
        self.tape.values.extend_from_slice(value);
        Ok((start, self.tape.values.len() as u32))
    }
}

fn bound(bytes: usize) -> Result<(), Stop> {
    if bytes > u32::MAX as usize {
        return Err(Stop::limit("more than 4 GiB of text must be held"));
    }
    Ok(())
}
