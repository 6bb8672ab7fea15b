//! Open elements that are selected: they wait for their end, and perhaps for a condition.
//!
//! Nothing is copied while they lie in the reader's window. What has failed by their end never is; what is certain then
//! is copied once, into the result; only what is undecided then, or outlives the window, is captured.

use super::super::capture::CaptureId;
use super::super::gates::Signal;
use super::super::set::{Output, StepId};
use super::hits::{Body, Hit};
use super::{Run, Runner};
use crate::error::Stop;
use crate::events::{Source, StartTag};
use crate::names::{Names, NsId};

/// An open element and an output that gets it, if that is valid.
pub struct Selected {
    pub level: u32,
    pub output: Output,
    pub start: u64,
    namespaces: NsId,
    /// Held.
    valid: Signal,
    /// Held, once there is one.
    capture: Option<CaptureId>,
}

impl Runner<'_> {
    /// The element ends: all that get it do, and candidates wait for what is undecided.
    #[inline(never)]
    pub(super) fn deliver_ended(&mut self, source: Source<'_>, names: &Names, end: u64) -> Result<(), Stop> {
        while self.run.is_selected() {
            let run = &mut *self.run;
            let Some(one) = run.selected.pop() else { break };
            match run.gates.read(one.valid) {
                Signal::TRUE => {
                    let raw = match one.capture {
                        None => source.slice(one.start, end),
                        Some(capture) => {
                            run.captures.finish(capture, source, end);
                            run.captures.slice(capture, one.start, end)
                        }
                    };
                    run.batch.expect_more(end, run.known);
                    let fragment = run.batch.element(raw, one.start, one.namespaces, names);
                    self.count_delivery(one.output, fragment)?;
                }
                Signal::FALSE => {}
                _ => {
                    run.add_candidate(one, source, end);
                    continue;
                }
            }
            let run = &mut *self.run;
            run.gates.release(one.valid);
            if let Some(capture) = one.capture {
                run.captures.release(capture);
            }
        }
        Ok(())
    }
}

impl Run {
    /// The element at hand is for the output if it has a context.
    #[inline(never)]
    pub(super) fn select_only(&mut self, from: StepId, any_depth: bool, output: Output, tag: &StartTag<'_>) {
        let valid = if any_depth { self.enclosing(from, self.level) } else { self.context_at(from, self.level - 1) };
        if valid != Signal::FALSE {
            self.select_element(tag, output, valid);
        }
    }

    /// The element at hand, which is at the current level, is for the output. Takes over the caller's hold on `valid`.
    #[inline]
    pub(super) fn select_element(&mut self, tag: &StartTag<'_>, output: Output, valid: Signal) {
        let (level, start, namespaces) = (self.level as u32, tag.start, tag.namespaces);
        self.selected.push(Selected { level, output, start, namespaces, valid, capture: None });
    }

    /// Whether the innermost open element is.
    #[inline]
    pub(super) fn is_selected(&self) -> bool {
        self.selected.last().is_some_and(|one| one.level as usize == self.level)
    }

    /// The selected element has ended at `end`, but its condition is open.
    fn add_candidate(&mut self, one: Selected, source: Source<'_>, end: u64) {
        let Selected { output, start, namespaces, valid, capture, .. } = one;
        let capture = capture.unwrap_or_else(|| {
            self.capture_selected(source);
            self.captures.begin(source, start)
        });
        self.captures.finish(capture, source, end);
        let body = Body::Source { capture, range: (start, end), namespaces };
        let hit = Hit { output, offset: start, part: 0, body, valid: None, complete: true, repeatable: false };
        self.hits.add(&mut self.gates, hit, valid);
        self.gates.release(valid);
    }

    /// Captures the selected elements before their first bytes leave the window, or before another capture begins inside
    /// them: captures begin in the order of the source.
    #[inline]
    pub(super) fn capture_selected(&mut self, source: Source<'_>) {
        if self.selected.last().is_some_and(|one| one.capture.is_none()) {
            for one in self.selected.iter_mut().filter(|one| one.capture.is_none()) {
                one.capture = Some(self.captures.begin(source, one.start));
            }
        }
    }
}
