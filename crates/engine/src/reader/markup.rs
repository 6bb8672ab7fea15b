//! Comments, processing instructions, CDATA sections.

use super::chars::{is_ncname, is_space, name_end, space_end};
use super::failure::{malformed, stopped, Outcome};
use super::scan::{Flow, Scan};
use super::search::{DASHES, INSTRUCTION_END, SECTION_END};
use super::state::Phase;
use crate::events::{Handler, TextKind};

impl<'w, H: Handler> Scan<'w, '_, H> {
    /// `<!--` to `-->`; reported unless it is part of the DTD.
    pub(super) fn comment(&mut self, report: bool) -> Outcome<Flow> {
        let start = self.at;
        match self.text.get(start + 3) {
            Some(b'-') => {}
            Some(_) => return Err(malformed(start, "'<!-' must begin a comment")),
            None => return self.unfinished("a comment"),
        }
        let Some(dashes) = self.find_text(&DASHES, b"<!--".len()) else { return self.unfinished("a comment") };
        match self.text.get(dashes + 2) {
            Some(b'>') => {}
            Some(_) => return Err(malformed(dashes, "'--' inside a comment")),
            None => return self.unfinished("a comment"),
        }
        let end = dashes + b"-->".len();
        if report {
            let source = self.source();
            let raw = &self.text[start + b"<!--".len()..dashes];
            let (from, to) = (self.offset(start), self.offset(end));
            self.handler.comment(source, &self.state.names, from, to, raw).map_err(|stop| stopped(start, stop))?;
        }
        self.at = end;
        Ok(Flow::Next)
    }

    /// `<?` to `?>`; reported unless it is part of the DTD.
    pub(super) fn instruction(&mut self, report: bool) -> Outcome<Flow> {
        let start = self.at;
        let Some(close) = self.find_text(&INSTRUCTION_END, b"<?".len()) else {
            return self.unfinished("a processing instruction");
        };
        let target_end = name_end(self.text, start + 2);
        let target = &self.text[start + 2..target_end];
        if !std::str::from_utf8(target).is_ok_and(is_ncname) {
            return Err(malformed(start, "a processing instruction without a proper target"));
        }
        if target.eq_ignore_ascii_case(b"xml") {
            return Err(malformed(start, "an XML declaration can only stand at the document's start"));
        }
        if target_end != close && !self.text.get(target_end).is_some_and(|&byte| is_space(byte)) {
            return Err(malformed(target_end, "white space is needed after an instruction's target"));
        }
        let end = close + b"?>".len();
        if report {
            let source = self.source();
            let data = &self.text[space_end(self.text, target_end).min(close)..close];
            let (from, to) = (self.offset(start), self.offset(end));
            self.handler
                .instruction(source, &self.state.names, from, to, target, data)
                .map_err(|stop| stopped(start, stop))?;
        }
        self.at = end;
        Ok(Flow::Next)
    }

    /// A CDATA section whose markup is `opening` bytes long; there is more behind that.
    pub(super) fn cdata_start(&mut self, opening: usize) -> Outcome<Flow> {
        self.cdata_piece(opening)
    }

    /// The rest of a CDATA section.
    pub(super) fn cdata(&mut self) -> Outcome<Flow> {
        self.cdata_piece(0)
    }

    /// Delivers the section from `opening` bytes on, to its end or as far as there is text.
    fn cdata_piece(&mut self, opening: usize) -> Outcome<Flow> {
        let start = self.at;
        let content = start + opening;
        let (stop, end) = match SECTION_END.find(&self.text[content..]) {
            Some(length) => (content + length, Some(content + length + b"]]>".len())),
            None if !self.more => return self.unfinished("a CDATA section"),
            None => (self.text.len() - undecided_section_tail(&self.text[content..]), None),
        };
        if stop > content {
            let source = self.source();
            let raw = &self.text[content..stop];
            let (from, to) = (self.offset(start), self.offset(end.unwrap_or(stop)));
            self.handler.text(source, from, to, raw, TextKind::Cdata).map_err(|stop| stopped(start, stop))?;
            self.state.text_open = true;
        } else if end.is_none() {
            return Ok(Flow::More);
        }
        self.at = end.unwrap_or(stop);
        self.state.phase = if end.is_some() { Phase::Content } else { Phase::Cdata };
        Ok(if end.is_some() { Flow::Next } else { Flow::More })
    }
}

/// Bytes at the end of a section's text that cannot be judged yet.
fn undecided_section_tail(text: &[u8]) -> usize {
    match text {
        [.., b']', b']'] => 2,
        [.., b']' | b'\r'] => 1,
        _ => 0,
    }
}
