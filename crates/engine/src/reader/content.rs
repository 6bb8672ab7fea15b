//! Content of elements: text and references, end tags, and what of the rest comes next.

use memchr::{memchr, memmem};

use super::chars::{is_space, name_end, space_end};
use super::failure::{limit, malformed, shown, stopped, Failure, Outcome};
use super::references::{read_reference, Reference};
use super::scan::{Flow, Scan};
use super::state::Phase;
use super::words::less_than;
use crate::events::{Handler, TextKind};
use crate::names::Key;

/// `&`, `#x` and `;` around a name.
const REFERENCE_SLACK: usize = 4;

impl<'w, H: Handler> Scan<'w, '_, H> {
    pub(super) fn content(&mut self) -> Outcome<Flow> {
        loop {
            let flow = match self.text.get(self.at) {
                None => return Ok(Flow::More),
                Some(b'<') => match self.text.get(self.at + 1) {
                    None => return self.unfinished("markup"),
                    Some(b'/') => self.end_tag()?,
                    Some(b'!') => self.bang()?,
                    Some(b'?') => {
                        self.end_text()?;
                        self.instruction(true)?
                    }
                    Some(_) => self.start_tag()?,
                },
                Some(_) => self.characters()?,
            };
            match flow {
                Flow::Next if self.state.phase == Phase::Content => {}
                other => return Ok(other),
            }
        }
    }

    /// `<!` in content: a comment or a CDATA section.
    fn bang(&mut self) -> Outcome<Flow> {
        const CDATA: &[u8] = b"<![CDATA[";
        let token = &self.text[self.at..];
        match token.get(2) {
            None => self.unfinished("markup"),
            Some(b'-') => {
                self.end_text()?;
                self.comment(true)
            }
            Some(_) if token.starts_with(CDATA) => {
                if token.len() == CDATA.len() {
                    // The section's first piece begins with its markup, so that stays until there is a piece.
                    return self.unfinished("a CDATA section");
                }
                self.cdata_start(CDATA.len())
            }
            Some(_) if CDATA.starts_with(token) => self.unfinished("a CDATA section"),
            Some(_) => Err(malformed(self.at, "'<!' in content must begin a comment or a CDATA section")),
        }
    }

    /// Text up to the next markup, or as much of it as there is.
    fn characters(&mut self) -> Outcome<Flow> {
        let start = self.at;
        if self.state.searched > 0 && self.is_still_unfinished_reference() {
            return Ok(Flow::More);
        }
        let (mut stop, complete) = match less_than(self.text, start) {
            Some(at) => (at, true),
            None => (self.text.len(), !self.more),
        };
        let mut kind = TextKind::Plain;
        let mut reference = None;
        let mut section_end = None;
        if self.state.bracket.is_in(self.whole, start, stop) {
            section_end = memmem::find(&self.text[start..stop], b"]]>");
            stop = section_end.map_or(stop, |length| start + length);
        }
        if self.state.carriage_return.is_in(self.whole, start, stop) {
            kind = TextKind::Escaped;
        }
        if !complete && section_end.is_none() {
            stop -= undecided_tail(&self.text[start..stop]);
        }
        if self.state.ampersand.is_in(self.whole, start, stop) {
            kind = TextKind::Escaped;
            (stop, reference) = self.references(start, stop, complete || section_end.is_some())?;
        }
        if section_end.is_some() && reference.is_none() {
            return Err(malformed(stop, "']]>' in text"));
        }
        if stop > start {
            let source = self.source();
            let raw = &self.text[start..stop];
            let (from, to) = (self.offset(start), self.offset(stop));
            self.handler.text(source, from, to, raw, kind).map_err(|stop| stopped(self.at, stop))?;
            self.state.text_open = true;
            self.at = stop;
        }
        if let Some((name, end)) = reference {
            self.state.splice = Some(self.state.expand(name, self.at, end)?);
            return Ok(Flow::Splice);
        }
        Ok(if complete { Flow::Next } else { Flow::More })
    }

    /// Checks the references in `start..stop`. Gives where text must be cut, for a reference that is unfinished
    /// or for one that must be expanded (its name and end).
    fn references(&mut self, start: usize, stop: usize, complete: bool) -> Outcome<(usize, Option<(&'w [u8], usize)>)> {
        let text: &'w [u8] = &self.text[..stop];
        let mut from = start;
        while let Some(length) = memchr(b'&', &text[from..]) {
            let at = from + length;
            match read_reference(text, at)? {
                Some((Reference::Character(_), end)) => from = end,
                Some((Reference::General(name), end)) => return Ok((at, Some((name, end)))),
                None if complete => return Err(malformed(at, "a reference does not end in ';'")),
                None => {
                    let longest = self.state.limits.name_bytes as usize + REFERENCE_SLACK;
                    if stop - at > longest {
                        return Err(limit(at, "a reference that is too long"));
                    }
                    self.state.searched = stop - at;
                    return Ok((at, None));
                }
            }
        }
        Ok((stop, None))
    }

    /// Looks only at what came after the part of a reference that was seen before.
    fn is_still_unfinished_reference(&mut self) -> bool {
        let seen = self.at + self.state.searched;
        let longest = self.state.limits.name_bytes as usize + REFERENCE_SLACK;
        let unfinished = self.more && name_end(self.text, seen) == self.text.len();
        if unfinished && self.text.len() - self.at <= longest {
            self.state.searched = self.text.len() - self.at;
            return true;
        }
        self.state.searched = 0;
        false
    }

    fn end_tag(&mut self) -> Outcome<Flow> {
        self.end_text()?;
        let start = self.at;
        let Some(open) = self.state.open.last() else {
            return Err(malformed(start, "an end tag without an open element"));
        };
        let after = start + 2 + open.key.length();
        let same = after <= self.text.len()
            && Key::of(self.text, start + 2, after) == open.key
            && (open.key.is_exact() || &self.text[start + 2..after] == self.state.names.qualified_bytes(open.name));
        if !same {
            let name = self.state.names.qualified_bytes(open.name);
            let so_far = &self.text[start + 2..];
            if so_far.len() < name.len() && name.starts_with(so_far) {
                return self.unfinished("an end tag");
            }
            return Err(wrong_end(start, name));
        }
        let close = match self.text.get(after) {
            Some(b'>') => after,
            Some(&byte) if is_space(byte) => {
                let close = space_end(self.text, after.max(start + self.state.searched));
                self.state.searched = close - start;
                close
            }
            Some(_) => return Err(wrong_end(start, self.state.names.qualified_bytes(open.name))),
            None => return self.unfinished("an end tag"),
        };
        match self.text.get(close) {
            Some(b'>') => {}
            Some(_) => return Err(malformed(close, "'>' is expected here")),
            None => return self.unfinished("an end tag"),
        }
        self.state.searched = 0;
        if self.state.open.len() == self.state.floor() {
            return Err(malformed(start, "an element that begins outside an entity ends in it"));
        }
        self.close_element(start, close + 1)?;
        self.at = close + 1;
        Ok(Flow::Next)
    }

    /// Takes the innermost element off the stack.
    #[inline]
    fn close_element(&mut self, start: usize, end: usize) -> Outcome<()> {
        let source = self.source();
        let (from, to) = (self.offset(start), self.offset(end));
        self.handler.end(source, &self.state.names, from, to).map_err(|stop| stopped(start, stop))?;
        if let Some(open) = self.state.open.pop() {
            self.state.bindings.restore(open.bindings);
            self.state.scope = open.scope;
        }
        if self.state.open.is_empty() {
            self.state.phase = Phase::Epilog;
        }
        Ok(())
    }
}

#[cold]
fn wrong_end(at: usize, name: &[u8]) -> Box<Failure> {
    malformed(at, format!("an end tag that does not end element '{}'", shown(name)))
}

/// Bytes at the end of text that cannot be judged yet: a CR that may begin CR LF, brackets of a `]]>`.
fn undecided_tail(text: &[u8]) -> usize {
    match text {
        [.., b'\r'] => 1,
        [.., b']', b']'] => 2,
        [.., b']'] => 1,
        _ => 0,
    }
}
