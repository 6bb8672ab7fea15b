//! Messages for documents that come in chunks: each is made as soon as its binding is certain.
//!
//! The machine runs the pattern of such a query in its stead. What it delivers is a binding, and a message is made of that
//! alone: so only queries are treated like this of which the planner says that they ask for nothing outside of the binding
//! and cannot fail. Messages are numbered in the order of their bindings, so one waits while a binding before its own is
//! undecided.

use std::borrow::Cow;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::document::Document;
use super::ir::Work;
use super::messages::Messages;
use super::unmade::Again;
use super::Sharing;
use crate::error::DocumentError;
use crate::fragment;
use crate::limits::Limits;
use crate::machine::{Batch, CompiledProgram, FragmentKind, Order, Run, Set};
use crate::reader::Reader;
use crate::tape::Node;

/// Subscriptions linked for documents that come in chunks.
pub struct Early {
    pub set: Arc<Set>,
    /// The work of those whose patterns run in their stead; they are known by their outputs.
    sharing: Sharing,
}

impl Early {
    pub fn link(programs: &[Arc<CompiledProgram>]) -> Early {
        let mut sharing = Sharing::default();
        let mut linked = Vec::with_capacity(programs.len());
        for (output, program) in programs.iter().enumerate() {
            linked.push(match pattern(program, output as u32, &mut sharing) {
                Some(pattern) => pattern,
                None => Arc::clone(program),
            });
        }
        Early { set: Arc::new(Set::link(&linked)), sharing }
    }
}

/// The pattern of a program whose messages can be made of one binding each.
fn pattern(program: &CompiledProgram, output: u32, sharing: &mut Sharing) -> Option<Arc<CompiledProgram>> {
    let shared =
        program.shared.as_ref().filter(|shared| matches!(shared.work, Work::Bindings { is_prompt: true, .. }))?;
    sharing.add(output, 1, program, shared).ok()?;
    Some(Arc::clone(&shared.pattern))
}

/// What is known of one document that comes in chunks.
pub struct EarlyMessages {
    early: Arc<Early>,
    order: Order,
    /// How many messages each output has had.
    counts: FxHashMap<u32, u64>,
    reader: Reader,
    messages: Messages,
    limits: Limits,
}

impl EarlyMessages {
    pub fn new(early: Arc<Early>, limits: Limits) -> EarlyMessages {
        EarlyMessages {
            early,
            order: Order::default(),
            counts: FxHashMap::default(),
            reader: Reader::new(limits.clone()),
            messages: Messages::default(),
            limits,
        }
    }

    /// Makes messages of the bindings among the results. Without a run the document has ended.
    pub fn fill(&mut self, mut batch: Batch, run: Option<&Run>) -> Result<Batch, DocumentError> {
        let early = Arc::clone(&self.early);
        if early.sharing.is_empty() {
            return Ok(batch);
        }
        let mut bindings = Batch::default();
        for &(output, index) in batch.deliveries.iter().filter(|(output, _)| early.sharing.has(*output)) {
            bindings.adopt(output, &batch, index as usize);
        }
        batch.deliveries.retain(|(output, _)| !early.sharing.has(*output));
        let certain = self.order.arrange(bindings, run);
        let mut made = Batch::default();
        for &(output, index) in &certain.deliveries {
            let kind = certain.fragments[index as usize].kind;
            self.make(output, kind, &certain.bytes(index as usize), &mut made)?;
        }
        batch.absorb(&made);
        Ok(batch)
    }

    fn make(&mut self, output: u32, kind: FragmentKind, binding: &[u8], made: &mut Batch) -> Result<(), DocumentError> {
        self.reader.reset();
        self.reader.set_encoding_utf8();
        let (source, node) = document_with(kind, binding);
        let again = Again::read(&mut self.reader, &source)?;
        let document =
            Document { seen: again.seen(&self.reader, &source), names: self.reader.names(), limits: &self.limits };
        let before = made.deliveries.len();
        self.messages.begin();
        let outcome = self.messages.deliver(&self.early.sharing, output, &[node], &document, made);
        outcome.map_err(|stop| stop.at((1, 1, 0)))?;
        let count = self.counts.entry(output).or_default();
        for &(_, fragment) in &made.deliveries[before..] {
            *count += 1;
            made.fragments[fragment as usize].offset = *count;
        }
        Ok(())
    }
}

/// A document that has the binding, and where. The document node is the first on its tape; what is no element cannot come
/// next.
fn document_with(kind: FragmentKind, binding: &[u8]) -> (Cow<'_, [u8]>, Node) {
    let mut within = String::from("<_>");
    match kind {
        FragmentKind::Text => fragment::escape_text(&fragment::as_text(binding), &mut within),
        FragmentKind::Comment | FragmentKind::Instruction => within.push_str(&fragment::as_text(binding)),
        _ => return (Cow::Borrowed(binding), 1),
    }
    within.push_str("</_>");
    (Cow::Owned(within.into_bytes()), 2)
}
