//! A whole document, read where it lies. From where something in it must be decoded or changed, it goes through the window.

use super::failure::{stopped, Failure, Outcome};
use super::input::{good_end, Good};
use super::place::{Place, Unit};
use super::scan::{run, Pause};
use super::window::{is_worth_draining, PIECE};
use super::Reader;
use crate::error::DocumentError;
use crate::events::{Handler, Source};

/// How far a document is read that is read where it lies.
struct Reading<'d> {
    document: &'d [u8],
    /// Bytes of a byte order mark.
    mark: usize,
    /// All before is let go.
    from: usize,
    /// Bytes behind `from` that are done with.
    done: usize,
    /// Up to here its characters are known to be good.
    checked: usize,
}

impl<'d> Reading<'d> {
    fn source(&self) -> Source<'d> {
        Source { base: (self.from - self.mark) as u64, bytes: &self.document[self.from..self.checked] }
    }
}

impl Reader {
    /// Reads a document that comes in pieces. If it is one piece, that is given back, for [`Reader::place`].
    pub fn read<P: AsRef<[u8]>, H: Handler>(
        &mut self,
        pieces: impl Iterator<Item = P>,
        handler: &mut H,
    ) -> Result<Option<P>, DocumentError> {
        let mut pieces = pieces.peekable();
        let first = pieces.next();
        if let (Some(whole), None) = (&first, pieces.peek()) {
            handler.announce(whole.as_ref().len());
            self.document(whole.as_ref(), handler)?;
            return Ok(first);
        }
        for piece in first.into_iter().chain(pieces) {
            handler.announce(piece.as_ref().len());
            self.feed(piece.as_ref(), handler)?;
        }
        self.finish(handler)?;
        Ok(None)
    }

    /// Line and column (from 1) and byte offset (from 0) in the source, of what is read next; `whole` is the document, if it
    /// was read as one.
    pub fn place(&self, whole: Option<&[u8]>) -> (u64, u64, u64) {
        let Place { line, column, offset } = match whole.and_then(|document| self.in_place(document)) {
            Some((source, mark)) => Place::behind(mark).after(source, Unit::Utf8),
            None => self.window.place(self.window.done),
        };
        (line, column, offset)
    }

    /// The expanded source of a document that was read as one, if it lies in that as it is; and how many bytes come before it.
    pub fn in_place<'d>(&self, whole: &'d [u8]) -> Option<(&'d [u8], usize)> {
        let mark = self.input.found().mark();
        self.is_in_place.then(|| (&whole[mark..], mark))
    }

    /// Reads all of a document: the same as feeding it and finishing.
    fn document<H: Handler>(&mut self, document: &[u8], handler: &mut H) -> Result<(), DocumentError> {
        let mut rest = None;
        self.guarded(|reader| {
            rest = reader.read_in_place(document, handler)?;
            Ok(())
        })?;
        match rest {
            None => Ok(()),
            Some(rest) => {
                self.feed(rest, handler)?;
                self.finish(handler)
            }
        }
    }

    /// Reads all, or up to where the window must take over: what comes behind that must then be fed.
    fn read_in_place<'d, H: Handler>(&mut self, document: &'d [u8], handler: &mut H) -> Outcome<Option<&'d [u8]>> {
        let Some(mut reading) = self.begin_in_place(document) else { return Ok(Some(document)) };
        loop {
            if !self.go_on(&mut reading, handler)? {
                return Ok(Some(&document[self.taken as usize..]));
            }
            if self.taken == document.len() as u64 {
                break;
            }
            if !self.check_piece(&mut reading) {
                self.leave_document(&reading, handler)?;
                return Ok(Some(&document[self.taken as usize..]));
            }
        }
        let pause = handler.pause(reading.source(), &self.state.names);
        pause.map_err(|stop| self.failed(&reading, stopped(reading.done, stop)))?;
        self.state.at_end = true;
        if !self.go_on(&mut reading, handler)? {
            return Ok(Some(&[]));
        }
        let source = reading.source();
        let end = source.base + source.bytes.len() as u64;
        handler.passed(source, end).map_err(|stop| self.failed(&reading, stopped(reading.done, stop)))?;
        Ok(None)
    }

    /// A document whose first piece can be read in place.
    fn begin_in_place<'d>(&mut self, document: &'d [u8]) -> Option<Reading<'d>> {
        let found = self.input.found_utf8(&document[..document.len().min(PIECE)])?;
        let mark = found.mark();
        let mut reading = Reading { document, mark, from: mark, done: 0, checked: mark };
        if !self.check_piece(&mut reading) {
            return None;
        }
        self.input.begin_utf8(found);
        self.state.found = found;
        self.state.foresee(document.len());
        self.is_in_place = true;
        Some(reading)
    }

    /// Makes the next piece ready to be read. False if it cannot be read as it is.
    fn check_piece(&mut self, reading: &mut Reading<'_>) -> bool {
        let document = reading.document;
        let end = document.len().min(self.taken as usize + PIECE);
        let Some(Good { end: length, has_rare }) = good_end(&document[reading.checked..end]) else { return false };
        let checked = reading.checked + length;
        let is_cut_off = checked < end && end == document.len();
        if is_cut_off || end as u64 > self.state.limits.document_bytes {
            return false;
        }
        if !has_rare {
            self.state.specials.has_no_rare(reading.checked - reading.from, checked - reading.from);
        }
        reading.checked = checked;
        self.taken = end as u64;
        true
    }

    /// Reads what is checked. False if the window took over.
    fn go_on<H: Handler>(&mut self, reading: &mut Reading<'_>, handler: &mut H) -> Outcome<bool> {
        let pause = run(&mut self.state, reading.source(), &mut reading.done, handler);
        if let Pause::Splice(splice) = pause.map_err(|failure| self.failed(reading, failure))? {
            self.leave_document(reading, handler)?;
            self.splice(&splice, handler)?;
            self.pump(handler)?;
            self.check_token(self.window.done, self.window.bytes.len())?;
            return Ok(false);
        }
        let Source { base, bytes } = reading.source();
        if is_worth_draining(reading.done, bytes.len()) {
            let passed = handler.passed(reading.source(), base + reading.done as u64);
            passed.map_err(|stop| self.failed(reading, stopped(reading.done, stop)))?;
            self.state.dropped(reading.done);
            reading.from += reading.done;
            reading.done = 0;
        }
        let checked = self.check_token(reading.done, reading.source().bytes.len());
        checked.map_err(|failure| self.failed(reading, failure))?;
        Ok(true)
    }

    /// The window takes over, and the handler, which may have left all that was read where it lies, is told to take it.
    #[cold]
    fn leave_document<H: Handler>(&mut self, reading: &Reading<'_>, handler: &mut H) -> Outcome<()> {
        self.move_to_window(reading);
        let read = Source { base: 0, bytes: &reading.document[reading.mark..reading.checked] };
        let upto = self.window.base + self.window.done as u64;
        handler.discard(read, upto).map_err(|stop| stopped(self.window.done, stop))
    }

    /// A failure while reading in place: the window, where failures have their places, takes over.
    #[cold]
    fn failed(&mut self, reading: &Reading<'_>, failure: Box<Failure>) -> Box<Failure> {
        self.move_to_window(reading);
        failure
    }

    #[cold]
    fn move_to_window(&mut self, reading: &Reading<'_>) {
        let &Reading { document, mark, from, done, checked } = reading;
        let place = Place::behind(mark).after(&document[mark..from], Unit::Utf8);
        self.window.take_over(reading.source(), done, place);
        // What is left of the last piece is an unfinished character.
        self.input.hold(&document[checked..self.taken as usize]);
        self.is_in_place = false;
    }
}
