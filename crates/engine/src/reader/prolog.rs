//! What stands before and after the root element.

use super::chars::{is_space, name_end, space_end};
use super::declaration::read_declaration;
use super::dtd::read_header;
use super::failure::{encoding, malformed, Outcome};
use super::scan::{Flow, Scan};
use super::search::{Shape, INSTRUCTION_END};
use super::state::Phase;
use crate::events::Handler;

const DOCTYPE: &[u8] = b"<!DOCTYPE";

impl<'w, H: Handler> Scan<'w, '_, H> {
    /// The XML declaration, if the document begins with one.
    pub(super) fn declaration(&mut self) -> Outcome<Flow> {
        const OPENING: &[u8] = b"<?xml";
        let head = &self.text[self.at..];
        if head.len() <= OPENING.len() && OPENING.starts_with(head) && self.more {
            return Ok(Flow::More);
        }
        let declares = head.starts_with(OPENING) && head.get(OPENING.len()).is_some_and(|&b| is_space(b) || b == b'?');
        if declares {
            let Some(close) = self.find_text(&INSTRUCTION_END, OPENING.len()) else {
                return self.unfinished("the XML declaration");
            };
            let end = close + b"?>".len();
            let declaration = read_declaration(&self.text[self.at..end], self.at)?;
            if let Some(label) = declaration.encoding {
                self.state.found.allows(label).map_err(|message| encoding(self.at, message))?;
            }
            self.state.dtd.standalone = declaration.standalone;
            self.at = end;
        }
        self.state.phase = Phase::Prolog;
        Ok(Flow::Next)
    }

    /// Before or after the root element: white space, comments, instructions; before it also a document type
    /// declaration and the root itself.
    pub(super) fn outside(&mut self) -> Outcome<Flow> {
        self.at = space_end(self.text, self.at);
        let token = &self.text[self.at..];
        let before = self.state.phase == Phase::Prolog;
        match token {
            [] => Ok(Flow::More),
            [b'<'] | [b'<', b'!'] => self.unfinished("markup"),
            [b'<', b'!', b'-', ..] => self.comment(true),
            [b'<', b'?', ..] => self.instruction(true),
            [b'<', b'!', ..] if before && !self.state.has_doctype => self.doctype(),
            [b'<', next, ..] if before && !matches!(next, b'!' | b'/') => {
                self.state.phase = Phase::Content;
                Ok(Flow::Next)
            }
            _ if before => Err(malformed(self.at, "this cannot stand before the root element")),
            _ => Err(malformed(self.at, "this cannot stand after the root element")),
        }
    }

    fn doctype(&mut self) -> Outcome<Flow> {
        let token = &self.text[self.at..];
        if !token.starts_with(DOCTYPE) {
            if DOCTYPE.starts_with(token) {
                return self.unfinished("a document type declaration");
            }
            return Err(malformed(self.at, "'<!' here must begin a comment or a document type declaration"));
        }
        let Some(end) = self.find_end(Shape::DoctypeHead) else {
            return self.unfinished("a document type declaration");
        };
        let has_subset = read_header(&self.text[self.at..end], self.at, &mut self.state.dtd)?;
        self.state.has_doctype = true;
        self.state.phase = if has_subset { Phase::Subset } else { Phase::Prolog };
        self.at = end;
        Ok(Flow::Next)
    }

    /// One token of the internal subset.
    pub(super) fn subset(&mut self) -> Outcome<Flow> {
        self.at = space_end(self.text, self.at);
        let token = &self.text[self.at..];
        match token {
            [] => self.unfinished("the internal subset"),
            [b']', ..] => {
                self.at += 1;
                self.state.phase = Phase::SubsetEnd;
                Ok(Flow::Next)
            }
            [b'%', ..] => self.parameter_reference(),
            [b'<'] | [b'<', b'!'] => self.unfinished("a declaration"),
            [b'<', b'?', ..] => self.instruction(false),
            [b'<', b'!', b'-', ..] => self.comment(false),
            [b'<', b'!', ..] => self.markup_declaration(),
            _ => Err(malformed(self.at, "a declaration is expected here")),
        }
    }

    fn markup_declaration(&mut self) -> Outcome<Flow> {
        let start = self.at;
        let Some(end) = self.find_end(Shape::Declaration) else { return self.unfinished("a declaration") };
        let state = &mut *self.state;
        state.dtd.declare(&self.text[start..end], start, &state.limits, &mut state.expanded)?;
        self.at = end;
        Ok(Flow::Next)
    }

    /// `%name;` between declarations. It is not expanded: what it stands for is unknown from here on.
    fn parameter_reference(&mut self) -> Outcome<Flow> {
        let name_from = self.at + 1;
        let end = name_end(self.text, name_from.max(self.at + self.state.searched));
        match self.text.get(end) {
            None => {
                self.state.searched = end - self.at;
                return self.unfinished("a parameter entity reference");
            }
            Some(b';') => {}
            Some(_) => return Err(malformed(self.at, "a parameter entity reference does not end in ';'")),
        }
        self.state.searched = 0;
        if !std::str::from_utf8(&self.text[name_from..end]).is_ok_and(super::chars::is_ncname) {
            return Err(malformed(self.at, "a parameter entity reference has a malformed name"));
        }
        self.state.dtd.incomplete = true;
        self.state.dtd.ignoring = !self.state.dtd.standalone;
        self.at = end + 1;
        Ok(Flow::Next)
    }

    pub(super) fn subset_end(&mut self) -> Outcome<Flow> {
        self.at = space_end(self.text, self.at);
        match self.text.get(self.at) {
            None => self.unfinished("a document type declaration"),
            Some(b'>') => {
                self.at += 1;
                self.state.phase = Phase::Prolog;
                Ok(Flow::Next)
            }
            Some(_) => Err(malformed(self.at, "'>' is expected after ']'")),
        }
    }
}
