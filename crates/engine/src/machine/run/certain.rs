//! Elements that are results whatever comes: they only wait for their end.
//!
//! Their source is copied once, into the result, if it still lies in the reader's window then; only what outlives the
//! window is captured.

use super::super::capture::CaptureId;
use super::super::set::Output;
use super::{Run, Runner};
use crate::error::Stop;
use crate::events::Source;
use crate::names::{Names, NsId};

/// An open element and an output that gets it.
pub struct Certain {
    pub level: usize,
    pub start: u64,
    pub output: Output,
    pub namespaces: NsId,
    /// Held, once there is one.
    pub capture: Option<CaptureId>,
}

impl Runner<'_> {
    /// The element ends: all that get it do.
    #[inline(never)]
    pub(super) fn deliver_ended(&mut self, source: Source<'_>, names: &Names, end: u64) -> Result<(), Stop> {
        let level = self.run.level;
        while self.run.certain.last().is_some_and(|one| one.level == level) {
            let run = &mut *self.run;
            let Some(Certain { start, output, namespaces, capture, .. }) = run.certain.pop() else { break };
            let raw = match capture {
                None => source.slice(start, end),
                Some(capture) => {
                    run.captures.finish(capture, source, end);
                    run.captures.slice(capture, start, end)
                }
            };
            let fragment = run.batch.element(raw, start, namespaces, names);
            if let Some(capture) = capture {
                run.captures.release(capture);
            }
            self.count_delivery(output, fragment)?;
        }
        Ok(())
    }
}

impl Run {
    /// Captures the open elements that are results before their first bytes leave the window, or before another capture
    /// begins inside them: captures begin in the order of the source.
    #[inline]
    pub(super) fn capture_certain(&mut self, source: Source<'_>) {
        if self.certain.last().is_some_and(|one| one.capture.is_none()) {
            for one in self.certain.iter_mut().filter(|one| one.capture.is_none()) {
                one.capture = Some(self.captures.begin(source, one.start));
            }
        }
    }
}
