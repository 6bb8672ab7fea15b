//! Text that is more than plain: references, line ends, brackets, the end of what there is.

use super::chars::name_end;
use super::failure::{limit, malformed, stopped, Outcome};
use super::occurrences::Occurrences;
use super::predefined::{first_other, predefined_reference};
use super::references::{read_reference, Reference};
use super::scan::{Flow, Scan};
use super::search::SECTION_END;
use super::words::find;
use crate::events::{Handler, TextKind};

/// `&`, `#x` and `;` around a name.
const REFERENCE_SLACK: usize = 4;

/// Where a text must be cut: at its end, before an unfinished reference, or before one that must be expanded.
struct Cut<'w> {
    at: usize,
    /// Name and end of the reference to expand.
    entity: Option<(&'w [u8], usize)>,
}

impl<'w, H: Handler> Scan<'w, '_, H> {
    /// Text up to the next markup, or as much of it as there is.
    pub(super) fn characters(&mut self) -> Outcome<Flow> {
        let start = self.at;
        if self.state.searched > 0 && self.is_still_unfinished_reference() {
            return Ok(Flow::More);
        }
        let (mut stop, complete) = match find(self.text, start, b'<') {
            Some(at) => (at, true),
            None => (self.text.len(), !self.more),
        };
        let mut kind = TextKind::Plain;
        let mut entity = None;
        let mut section_end = None;
        let specials = self.state.specials.find(self.whole, start, stop);
        if specials.bracket {
            section_end = SECTION_END.find(&self.text[start..stop]);
            stop = section_end.map_or(stop, |length| start + length);
        }
        if specials.carriage_return {
            kind = TextKind::Escaped;
        }
        if !complete && section_end.is_none() {
            stop -= undecided_tail(&self.text[start..stop]);
        }
        if specials.ampersand {
            kind = TextKind::Escaped;
            Cut { at: stop, entity } = self.references(start, stop, complete || section_end.is_some())?;
        }
        if section_end.is_some() && entity.is_none() {
            return Err(malformed(stop, "']]>' in text"));
        }
        if stop > start {
            if self.state.text_open || self.handler.wants_text() {
                let source = self.source();
                let raw = &self.text[start..stop];
                let (from, to) = (self.offset(start), self.offset(stop));
                self.handler.text(source, from, to, raw, kind).map_err(|stop| stopped(self.at, stop))?;
                self.state.text_open = true;
            }
            self.at = stop;
        }
        if let Some((name, end)) = entity {
            self.state.splice = Some(self.state.expand(name, self.at, end)?);
            return Ok(Flow::Splice);
        }
        Ok(if complete { Flow::Next } else { Flow::More })
    }

    /// Checks the references in `start..stop`.
    fn references(&mut self, start: usize, stop: usize, complete: bool) -> Outcome<Cut<'w>> {
        let text: &'w [u8] = &self.text[..stop];
        let from = first_other(text, start, stop).unwrap_or(stop);
        for at in Occurrences::of(b'&', text, from..stop) {
            if predefined_reference(text, at).is_some() {
                continue;
            }
            match read_reference(text, at)? {
                Some((Reference::Character(_), _)) => {}
                Some((Reference::General(name), end)) => return Ok(Cut { at, entity: Some((name, end)) }),
                None if complete => return Err(malformed(at, "a reference does not end in ';'")),
                None => {
                    let longest = self.state.limits.name_bytes as usize + REFERENCE_SLACK;
                    if stop - at > longest {
                        return Err(limit(at, "a reference that is too long"));
                    }
                    self.state.searched = stop - at;
                    return Ok(Cut { at, entity: None });
                }
            }
        }
        Ok(Cut { at: stop, entity: None })
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
