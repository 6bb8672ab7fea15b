//! The XML reader: bytes in, events out. Chunks may be cut anywhere; whatever the cuts, the events are the same
//! but for the cutting of text.
//!
//! The way of a chunk: [`input`] makes checked UTF-8 of it in the [`window`]; [`scan`] reads the window and calls
//! the handler; where an entity or a default attribute must be written in, scanning pauses, the window is
//! spliced and scanning goes on. A document that comes [`whole`] needs no window as long as it is UTF-8 as it is.

mod ahead;
mod at_once;
mod bindings;
mod characters;
mod chars;
mod content;
mod declaration;
mod dtd;
mod encodings;
mod end_tag;
mod expansion;
mod failure;
mod input;
mod markup;
mod name_ranges;
mod occurrences;
mod place;
mod plain;
mod predefined;
mod prolog;
mod references;
mod rewrite;
mod root_tag;
mod scan;
mod search;
mod start_tag;
mod state;
mod survey;
mod tag_syntax;
mod text;
mod whole;
mod window;
mod words;

pub(crate) use chars::{is_char, is_ncname};
pub use text::{attribute_value, decode_beginning, decode_text};
pub(crate) use words::plain_end;

use encodings::Detected;
use expansion::Splice;
use failure::{limit, malformed, stopped, Failure, Outcome};
use input::Input;
use scan::{run, Pause};
use state::State;
use window::{is_worth_draining, Window, PIECE};

use crate::error::DocumentError;
use crate::events::{Handler, Source};
use crate::limits::Limits;
use crate::names::Names;

/// Beyond the longest attribute value, what an unfinished tag, comment, instruction or declaration may hold.
const TOKEN_SLACK: u64 = 1 << 20;

/// Reads one document after the other. After an error only [`Reader::reset`] makes it usable again.
pub struct Reader {
    input: Input,
    window: Window,
    state: State,
    /// Bytes fed.
    taken: u64,
    /// All that was read lies in the document, which came whole; the window is empty.
    is_in_place: bool,
    failed: bool,
}

impl Reader {
    pub fn new(limits: Limits) -> Reader {
        Reader {
            input: Input::new(),
            window: Window::new(),
            state: State::new(limits),
            taken: 0,
            is_in_place: false,
            failed: false,
        }
    }

    pub fn names(&self) -> &Names {
        &self.state.names
    }

    /// Makes ready for the next document; names and allocations are kept.
    pub fn reset(&mut self) {
        self.input = Input::new();
        self.window.reset();
        self.state.reset();
        self.taken = 0;
        self.is_in_place = false;
        self.failed = false;
    }

    /// The document comes as text: the encoding that its XML declaration names is ignored. Call before feeding.
    pub fn set_encoding_utf8(&mut self) {
        self.input.set_utf8();
    }

    /// What makes an offset of the expanded source one of the source: the bytes of a byte order mark. `None` when the
    /// two differ by more, in another encoding than UTF-8 or with a document type declaration.
    pub fn source_shift(&self) -> Option<u64> {
        let found = self.state.found;
        (found.encoding == Detected::Utf8 && !self.state.has_doctype).then_some(found.mark() as u64)
    }

    /// Reads on; `chunk` may have any size and be cut anywhere.
    pub fn feed<H: Handler>(&mut self, chunk: &[u8], handler: &mut H) -> Result<(), DocumentError> {
        self.guarded(|reader| {
            chunk.chunks(PIECE).try_for_each(|piece| reader.feed_piece(piece, handler))?;
            let pause = handler.pause(reader.window.source(), &reader.state.names);
            pause.map_err(|stop| stopped(reader.window.done, stop))
        })
    }

    /// The document has ended.
    pub fn finish<H: Handler>(&mut self, handler: &mut H) -> Result<(), DocumentError> {
        self.guarded(|reader| {
            reader.input.finish(&mut reader.window)?;
            reader.state.at_end = !reader.input.is_broken();
            reader.read_window(handler)?;
            let source = reader.window.source();
            let end = source.base + source.bytes.len() as u64;
            handler.discard(source, end).map_err(|stop| stopped(reader.window.done, stop))
        })
    }

    fn feed_piece<H: Handler>(&mut self, piece: &[u8], handler: &mut H) -> Outcome<()> {
        self.drain(handler)?;
        self.taken += piece.len() as u64;
        let limits = &self.state.limits;
        if self.taken > limits.document_bytes {
            return Err(limit(self.window.bytes.len(), format!("more than {} bytes", limits.document_bytes)));
        }
        self.input.push(piece, &mut self.window)?;
        self.read_window(handler)?;
        self.check_token(self.window.done, self.window.bytes.len())
    }

    /// Fails if what is unfinished is too long.
    fn check_token(&self, start: usize, end: usize) -> Outcome<()> {
        let longest = self.state.limits.attribute_bytes.saturating_add(TOKEN_SLACK);
        if (end - start) as u64 > longest {
            return Err(limit(start, "a tag, comment, instruction or declaration that is too long"));
        }
        Ok(())
    }

    /// Reads what the input gave, and then fails if the input is broken behind it.
    fn read_window<H: Handler>(&mut self, handler: &mut H) -> Outcome<()> {
        self.state.found = self.input.found();
        if self.input.is_broken() {
            self.state.forget_search();
        }
        self.pump(handler)?;
        self.input.check(&self.window)
    }

    /// Reads what is in the window, as far as it goes.
    fn pump<H: Handler>(&mut self, handler: &mut H) -> Outcome<()> {
        loop {
            let Window { bytes, base, done, .. } = &mut self.window;
            match run(&mut self.state, Source { base: *base, bytes }, done, handler)? {
                Pause::Splice(splice) => self.splice(&splice, handler)?,
                Pause::More => {
                    self.drain(handler)?;
                    if !self.window.refill() {
                        return Ok(());
                    }
                }
            }
        }
    }

    /// Puts the text of an entity, or a start tag as it should be, in its place.
    fn splice<H: Handler>(&mut self, splice: &Splice, handler: &mut H) -> Outcome<()> {
        // What lies ahead changes: a handler that looked there must look again.
        self.discard(handler)?;
        self.window.splice(splice.start, splice.end, &splice.text);
        self.state.spliced(splice);
        Ok(())
    }

    /// Lets go of what is done with, if that is worth it.
    fn drain<H: Handler>(&mut self, handler: &mut H) -> Outcome<()> {
        if is_worth_draining(self.window.done, self.window.bytes.len()) {
            self.discard(handler)?;
            let dropped = self.window.drain();
            self.state.dropped(dropped);
        }
        Ok(())
    }

    /// Tells the handler that what is done with may go.
    fn discard<H: Handler>(&self, handler: &mut H) -> Outcome<()> {
        let upto = self.window.base + self.window.done as u64;
        handler.discard(self.window.source(), upto).map_err(|stop| stopped(self.window.done, stop))
    }

    /// Gives a failure its place in the source, and lets nothing happen after one.
    fn guarded(&mut self, work: impl FnOnce(&mut Reader) -> Outcome<()>) -> Result<(), DocumentError> {
        let result =
            if self.failed { Err(malformed(self.window.done, "the document had an error before")) } else { work(self) };
        result.map_err(|failure| {
            self.failed = true;
            self.locate(*failure)
        })
    }

    fn locate(&self, failure: Failure) -> DocumentError {
        let place = self.window.place(failure.at);
        DocumentError {
            class: failure.class,
            message: failure.message.into_owned(),
            line: place.line,
            column: place.column,
            offset: place.offset,
        }
    }
}
