//! Content of elements: what comes next in it.

use super::failure::{malformed, stopped, Outcome};
use super::scan::{Flow, Scan};
use super::state::{Open, Phase};
use super::words::{find, find_near};
use crate::events::{Handler, StartTag, TextKind};
use crate::names::Key;

impl<'w, H: Handler> Scan<'w, '_, H> {
    pub(super) fn content(&mut self) -> Outcome<Flow> {
        loop {
            // Only the first token can be one that was unfinished before.
            let flow = if self.state.searched > 0 || !self.plain_content()? { self.token()? } else { Flow::Next };
            if flow != Flow::Next || self.state.phase != Phase::Content {
                return Ok(flow);
            }
        }
    }

    /// The fast path: plain text, start tags without attributes, end tags without white space. Stops before
    /// anything else, unless the root element ended: then there is nothing else to read, and the answer is true.
    fn plain_content(&mut self) -> Outcome<bool> {
        let text = self.text;
        let source = self.source();
        let floor = self.state.floor();
        let deepest = self.state.limits.depth as usize;
        let is_bare = !self.state.dtd.declares_attributes();
        let mut at = self.at;
        loop {
            match text.get(at) {
                Some(b'<') => {}
                Some(_) => match find(text, at, b'<') {
                    Some(stop) if stop <= self.state.specials.none_before => {
                        let (from, to) = (self.offset(at), self.offset(stop));
                        let result = self.handler.text(source, from, to, &text[at..stop], TextKind::Plain);
                        result.map_err(|stop| stopped(at, stop))?;
                        self.state.text_open = true;
                        at = stop;
                    }
                    _ => break,
                },
                None => break,
            }
            match text.get(at + 1) {
                Some(b'/') => {
                    let Some(open) = self.state.open.last() else { break };
                    let end = at + b"</".len() + open.key.length();
                    let is_plain = text.get(end) == Some(&b'>')
                        && open.key.is_exact()
                        && Key::of(text, at + b"</".len(), end) == open.key
                        && self.state.open.len() > floor;
                    if !is_plain {
                        break;
                    }
                    self.at = at;
                    self.end_text()?;
                    self.close_element(at, end + 1)?;
                    at = end + 1;
                    if self.state.open.is_empty() {
                        self.at = at;
                        return Ok(true);
                    }
                }
                Some(b'!' | b'?') | None => break,
                Some(_) => {
                    // All up to a near '>', if that is a known name, is the tag's name and there is no more to it.
                    let Some(end) = find_near(text, at + 1, b'>') else { break };
                    if !is_bare || self.state.open.len() >= deepest {
                        break;
                    }
                    let key = Key::of(text, at + 1, end);
                    let scope = self.state.scope;
                    let Some(name) = self.state.names.cached(key, &text[at + 1..end], scope) else { break };
                    self.at = at;
                    self.end_text()?;
                    let (from, to) = (self.offset(at), self.offset(end + 1));
                    let event = StartTag { name, start: from, end: to, attributes: &[], namespaces: scope };
                    let result = self.handler.start(source, &self.state.names, &event);
                    result.map_err(|stop| stopped(at, stop))?;
                    self.state.open.push(Open { key, name, scope, bindings: self.state.bindings.mark() });
                    at = end + 1;
                }
            }
        }
        self.at = at;
        Ok(false)
    }

    /// Any token.
    fn token(&mut self) -> Outcome<Flow> {
        match self.text.get(self.at) {
            None => Ok(Flow::More),
            Some(b'<') => match self.text.get(self.at + 1) {
                None => self.unfinished("markup"),
                Some(b'/') => self.end_tag(),
                Some(b'!') => self.bang(),
                Some(b'?') => {
                    self.end_text()?;
                    self.instruction(true)
                }
                Some(_) => self.start_tag(),
            },
            Some(_) => self.characters(),
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
}
