//! Content of elements: what comes next in it.

use super::failure::{malformed, Outcome};
use super::scan::{Flow, Scan};
use super::state::Phase;
use crate::events::Handler;

impl<H: Handler> Scan<'_, '_, H> {
    pub(super) fn content(&mut self) -> Outcome<Flow> {
        loop {
            // Only the first token can be one that was unfinished before.
            let flow = if self.state.searched > 0 || !self.plain_content()? { self.token()? } else { Flow::Next };
            if flow != Flow::Next || self.state.phase != Phase::Content {
                return Ok(flow);
            }
        }
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
