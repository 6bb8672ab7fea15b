//! Candidates for delivery: a node and an output, waiting for the condition and for the node's end.

use rustc_hash::FxHashSet;

use super::super::capture::CaptureId;
use super::super::gates::{Gates, Signal};
use super::super::program::AggregateFunction;
use super::super::set::Output;
use super::aggregate::Aggregate;
use super::batch::{rank, FragmentKind};
use crate::names::NsId;

pub enum Body {
    /// The whole fragment, or a leaf's value.
    Text(FragmentKind, String),
    /// An element: a range of captured source.
    Source { capture: CaptureId, range: (u64, u64), namespaces: NsId },
    /// The whole document.
    Document(CaptureId),
    /// What an aggregate takes in.
    Number(f64),
    /// The truth of a condition on the document.
    Truth,
    /// Nothing any more: the condition failed before the element ended.
    Dropped,
}

impl Body {
    /// What it holds of the source.
    pub fn capture(&self) -> Option<CaptureId> {
        match self {
            Body::Source { capture, .. } | Body::Document(capture) => Some(*capture),
            _ => None,
        }
    }
}

pub struct Hit {
    pub output: Output,
    /// Where the node begins.
    pub offset: u64,
    /// Tells apart the nodes that begin at the same place: the document and its first child, an element and its namespaces.
    pub part: u32,
    pub body: Body,
    /// None while the condition is open.
    pub valid: Option<bool>,
    pub complete: bool,
    /// The same node may be found again through another context.
    pub repeatable: bool,
}

impl Hit {
    pub fn rank(&self) -> u64 {
        rank(self.offset, matches!(self.body, Body::Document(_)))
    }
}

#[derive(Default)]
pub struct Hits {
    hits: Vec<Option<Hit>>,
    free: Vec<u32>,
    text_bytes: u64,
    /// Outputs whose steps matched the node at hand.
    pub fresh: Vec<(Output, Signal)>,
    /// The same for its attributes: output, attribute, its offset.
    pub fresh_attributes: Vec<(Output, usize, u64, Signal)>,
    /// Nodes delivered that may be found again.
    pub delivered: FxHashSet<(Output, u64, u32)>,
    pub repeatable: u64,
    pub aggregates: Vec<Aggregate>,
    /// Values that aggregates keep.
    pub kept_numbers: u64,
}

impl Hits {
    pub fn clear(&mut self) {
        self.hits.clear();
        self.free.clear();
        self.text_bytes = 0;
        self.fresh.clear();
        self.fresh_attributes.clear();
        self.delivered.clear();
        self.repeatable = 0;
        self.kept_numbers = 0;
    }

    /// Bytes held for values and for the candidates themselves.
    pub fn bytes(&self) -> u64 {
        let numbers = self.kept_numbers * std::mem::size_of::<(u64, f64)>() as u64;
        self.text_bytes + numbers + (self.hits.len() - self.free.len()) as u64 * std::mem::size_of::<Hit>() as u64
    }

    /// Adds a candidate that hears of its condition from the gates. Its number is never that of a live one.
    #[inline]
    pub fn add(&mut self, gates: &mut Gates, mut hit: Hit, valid: Signal) -> u32 {
        let now = gates.read(valid);
        hit.valid = now.gate().is_none().then_some(now == Signal::TRUE);
        if let Body::Text(_, text) = &hit.body {
            self.text_bytes += text.len() as u64;
        }
        self.repeatable += u64::from(hit.repeatable);
        let id = match self.free.pop() {
            Some(id) => {
                self.hits[id as usize] = Some(hit);
                id
            }
            None => {
                self.hits.push(Some(hit));
                self.hits.len() as u32 - 1
            }
        };
        gates.notify(now, id);
        id
    }

    /// Adds a candidate for a condition on the document.
    pub fn add_truth(&mut self, gates: &mut Gates, output: Output, truth: Signal) -> u32 {
        let hit = Hit { output, offset: 0, part: 0, body: Body::Truth, valid: None, complete: true, repeatable: false };
        self.add(gates, hit, truth)
    }

    pub fn get_mut(&mut self, id: u32) -> Option<&mut Hit> {
        self.hits.get_mut(id as usize)?.as_mut()
    }

    pub fn remove(&mut self, id: u32) -> Option<Hit> {
        let hit = self.hits.get_mut(id as usize)?.take()?;
        self.free.push(id);
        if let Body::Text(_, text) = &hit.body {
            self.text_bytes -= text.len() as u64;
        }
        self.repeatable -= u64::from(hit.repeatable);
        Some(hit)
    }

    /// The candidate's condition has failed: gives back its capture. One of an open element is still on the element's
    /// list: its number stays taken until then.
    pub fn fail(&mut self, id: u32) -> Option<CaptureId> {
        let place = self.hits.get_mut(id as usize)?;
        let hit = place.as_mut()?;
        if let Body::Text(_, text) = &hit.body {
            self.text_bytes -= text.len() as u64;
        }
        let capture = hit.body.capture();
        if hit.complete {
            self.repeatable -= u64::from(hit.repeatable);
            *place = None;
            self.free.push(id);
        } else {
            hit.body = Body::Dropped;
        }
        capture
    }

    /// The aggregate takes the values before `open_from`, or all.
    pub fn take_kept(&mut self, output: Output, function: AggregateFunction, open_from: Option<u64>) {
        self.kept_numbers -= self.aggregates[output as usize].take_kept(function, open_from) as u64;
    }

    /// The smallest rank at which the output may still deliver, among the candidates.
    pub fn first_open(&self, output: Output) -> Option<u64> {
        self.hits.iter().flatten().filter(|hit| hit.output == output).map(Hit::rank).min()
    }
}
