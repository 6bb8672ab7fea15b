//! End tags.

use super::chars::{is_space, space_end};
use super::failure::{malformed, shown, stopped, Failure, Outcome};
use super::scan::{Flow, Scan};
use super::state::Phase;
use crate::events::Handler;
use crate::names::Key;

impl<H: Handler> Scan<'_, '_, H> {
    pub(super) fn end_tag(&mut self) -> Outcome<Flow> {
        self.end_text()?;
        let start = self.at;
        let Some(open) = self.state.open.last() else {
            return Err(malformed(start, "an end tag without an open element"));
        };
        let after = start + 2 + open.length as usize;
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
    #[inline(always)]
    pub(super) fn close_element(&mut self, start: usize, end: usize) -> Outcome<()> {
        let source = self.source();
        let (from, to) = (self.offset(start), self.offset(end));
        self.handler.end(source, &self.state.names, from, to).map_err(|stop| stopped(start, stop))?;
        if let Some(open) = self.state.open.pop() {
            // Whatever declares a namespace has a scope of its own.
            if self.state.scope != open.scope {
                self.state.bindings.restore(open.bindings);
                self.state.scope = open.scope;
            }
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
