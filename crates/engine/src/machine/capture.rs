//! Source bytes held for results that are not delivered yet.
//!
//! While at least one capture is open, all source goes into one buffer; a capture is a range of it, so nested
//! and shared candidates cost nothing extra. What no live capture covers is given back.

use crate::events::Source;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CaptureId(u32);

struct Capture {
    /// Offset of the first byte in the expanded source.
    source: u64,
    /// Place of the first byte in the buffer.
    place: usize,
    /// None while open.
    length: Option<usize>,
    holders: u32,
}

#[derive(Default)]
pub struct Captures {
    buffer: Vec<u8>,
    captures: Vec<Capture>,
    free: Vec<CaptureId>,
    open: u32,
    /// Source up to here is in the buffer (while a capture is open).
    taken: u64,
    /// Size of the buffer at which dead ranges are looked for.
    compact_at: usize,
}

const FIRST_COMPACTION: usize = 1 << 15;

impl Captures {
    pub fn clear(&mut self) {
        self.buffer.clear();
        self.captures.clear();
        self.free.clear();
        self.open = 0;
        self.compact_at = FIRST_COMPACTION;
    }

    pub fn bytes(&self) -> usize {
        self.buffer.len()
    }

    /// Begins a capture at `start`, which lies in the window; held by the caller.
    pub fn begin(&mut self, source: Source<'_>, start: u64) -> CaptureId {
        if self.open == 0 {
            self.taken = start;
        } else {
            self.take(source, start);
        }
        self.open += 1;
        let capture = Capture { source: start, place: self.buffer.len(), length: None, holders: 1 };
        if let Some(id) = self.free.pop() {
            self.captures[id.0 as usize] = capture;
            return id;
        }
        self.captures.push(capture);
        CaptureId(self.captures.len() as u32 - 1)
    }

    pub fn finish(&mut self, id: CaptureId, source: Source<'_>, end: u64) {
        self.take(source, end);
        let capture = &mut self.captures[id.0 as usize];
        if capture.length.is_none() {
            capture.length = Some(self.buffer.len() - capture.place);
            self.open -= 1;
        }
    }

    pub fn hold(&mut self, id: CaptureId) {
        self.captures[id.0 as usize].holders += 1;
    }

    pub fn release(&mut self, id: CaptureId) {
        let capture = &mut self.captures[id.0 as usize];
        capture.holders -= 1;
        if capture.holders > 0 {
            return;
        }
        if capture.length.take().is_none() {
            self.open -= 1;
        }
        self.free.push(id);
        if self.free.len() == self.captures.len() {
            self.buffer.clear();
            self.captures.clear();
            self.free.clear();
            self.compact_at = FIRST_COMPACTION;
        }
    }

    /// The bytes of the source from `start` to `end`, both within the finished capture.
    pub fn slice(&self, id: CaptureId, start: u64, end: u64) -> &[u8] {
        let capture = &self.captures[id.0 as usize];
        let from = capture.place + (start - capture.source) as usize;
        &self.buffer[from..from + (end - start) as usize]
    }

    /// All bytes of the finished capture.
    pub fn whole(&self, id: CaptureId) -> &[u8] {
        let capture = &self.captures[id.0 as usize];
        &self.buffer[capture.place..capture.place + capture.length.unwrap_or(0)]
    }

    /// The source up to `upto` will soon be gone: takes it if a capture is open.
    pub fn take(&mut self, source: Source<'_>, upto: u64) {
        if self.open > 0 && upto > self.taken {
            self.buffer.extend_from_slice(source.slice(self.taken, upto));
            self.taken = upto;
            if self.buffer.len() > self.compact_at {
                self.compact();
            }
        }
    }

    fn compact(&mut self) {
        let is_free = {
            let mut flags = vec![false; self.captures.len()];
            self.free.iter().for_each(|id| flags[id.0 as usize] = true);
            flags
        };
        let mut live: Vec<usize> = (0..self.captures.len()).filter(|&index| !is_free[index]).collect();
        live.sort_unstable_by_key(|&index| self.captures[index].place);
        let mut kept = 0;
        let mut done = 0;
        let mut shift = 0;
        for index in live {
            let capture = &mut self.captures[index];
            let end = capture.length.map_or(self.buffer.len(), |length| capture.place + length);
            if capture.place > done {
                shift += capture.place - done;
                done = capture.place;
            }
            if end > done {
                self.buffer.copy_within(done..end, kept);
                kept += end - done;
                done = end;
            }
            capture.place -= shift;
        }
        self.buffer.truncate(kept);
        self.compact_at = (2 * kept).max(FIRST_COMPACTION);
    }
}
