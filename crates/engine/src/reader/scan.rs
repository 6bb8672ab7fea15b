//! Reading the window: which part of it, and what comes next in it.

use super::expansion::Splice;
use super::failure::{malformed, shown, stopped, Outcome};
use super::state::{Phase, State};
use crate::events::{Attribute, Handler, Source};

/// Why scanning stopped.
pub(super) enum Pause {
    More,
    Splice(Splice),
}

/// What a step of scanning leads to.
#[derive(PartialEq, Eq)]
pub(super) enum Flow {
    Next,
    /// All that can be read is read.
    More,
    /// The window must be changed, as the state's `splice` says.
    Splice,
}

/// One pass over the window as it is now.
pub(super) struct Scan<'w, 's, H> {
    pub state: &'s mut State,
    pub handler: &'s mut H,
    /// The window, or its part up to the end of the innermost expansion.
    pub text: &'w [u8],
    pub whole: &'w [u8],
    pub base: u64,
    /// Where the next token starts.
    pub at: usize,
    /// More may come behind `text`: what is unfinished there is no error yet.
    pub more: bool,
    pub attributes: Vec<Attribute<'w>>,
}

/// Reads the source, whose first `done` bytes are done with, until it is used up or must be changed.
pub(super) fn run<H: Handler>(
    state: &mut State,
    source: Source<'_>,
    done: &mut usize,
    handler: &mut H,
) -> Outcome<Pause> {
    let Source { base, bytes: whole } = source;
    let attributes = recycled(std::mem::take(&mut state.attributes));
    let mut scan = Scan { state, handler, text: whole, whole, base, at: *done, more: true, attributes };
    let result = scan.regions();
    let Scan { state, at, attributes, .. } = scan;
    state.attributes = recycled(attributes);
    *done = at;
    result
}

/// The same allocation for attributes of another window.
fn recycled<'a, 'b>(mut attributes: Vec<Attribute<'a>>) -> Vec<Attribute<'b>> {
    attributes.clear();
    attributes.into_iter().map_while(|_| None).collect()
}

impl<'w, H: Handler> Scan<'w, '_, H> {
    /// Reads expansion by expansion, then what lies outside them.
    fn regions(&mut self) -> Outcome<Pause> {
        loop {
            let expansion_end = self.state.expansions.last().map(|expansion| expansion.end);
            let end = expansion_end.map_or(self.whole.len(), |end| end.min(self.whole.len()));
            self.text = &self.whole[..end];
            self.more = match expansion_end {
                Some(expected) => expected > end,
                None => !self.state.at_end,
            };
            match self.phase()? {
                Flow::Next => {}
                Flow::Splice => return Ok(self.state.splice.take().map_or(Pause::More, Pause::Splice)),
                Flow::More if self.more => return Ok(Pause::More),
                Flow::More if expansion_end.is_some() => self.leave_expansion()?,
                Flow::More => return self.document_end().map(|()| Pause::More),
            }
        }
    }

    fn phase(&mut self) -> Outcome<Flow> {
        match self.state.phase {
            Phase::Start => self.declaration(),
            Phase::Prolog | Phase::Epilog => self.outside(),
            Phase::Subset => self.subset(),
            Phase::SubsetEnd => self.subset_end(),
            Phase::Content => self.content(),
            Phase::Cdata => self.cdata(),
        }
    }

    fn leave_expansion(&mut self) -> Outcome<()> {
        let balanced = self.state.open.len() == self.state.floor();
        match self.state.expansions.pop() {
            Some(done) if !balanced => {
                let name = shown(&done.entity).into_owned();
                Err(malformed(self.at, format!("an element that begins in entity '{name}' does not end in it")))
            }
            _ => Ok(()),
        }
    }

    fn document_end(&mut self) -> Outcome<()> {
        match self.state.open.last() {
            Some(open) => {
                let name = shown(self.state.names.qualified_bytes(open.name)).into_owned();
                Err(malformed(self.at, format!("the document ends, but element '{name}' is open")))
            }
            None if self.state.phase == Phase::Epilog => Ok(()),
            None => Err(malformed(self.at, "the document has no root element")),
        }
    }

    #[inline(always)]
    pub(super) fn source(&self) -> Source<'w> {
        Source { base: self.base, bytes: self.whole }
    }

    #[inline(always)]
    pub(super) fn offset(&self, at: usize) -> u64 {
        self.base + at as u64
    }

    /// Waits for more, or says that `what` does not end.
    pub(super) fn unfinished(&mut self, what: &'static str) -> Outcome<Flow> {
        if self.more {
            return Ok(Flow::More);
        }
        let whose = if self.state.expansions.is_empty() { "the document" } else { "an entity" };
        Err(malformed(self.at, format!("{whose} ends inside {what}")))
    }

    /// Tells the handler that a text node is complete.
    #[inline(always)]
    pub(super) fn end_text(&mut self) -> Outcome<()> {
        if self.state.text_open {
            self.end_open_text()
        } else {
            Ok(())
        }
    }

    #[inline(never)]
    fn end_open_text(&mut self) -> Outcome<()> {
        self.state.text_open = false;
        let source = self.source();
        self.handler.text_end(source, &self.state.names).map_err(|stop| stopped(self.at, stop))
    }
}
