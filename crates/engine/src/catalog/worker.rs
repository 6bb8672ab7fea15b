//! One document after the other, whole, against a catalog.

use std::sync::Arc;

use super::both::Both;
use super::{Catalog, Machine};
use crate::error::{DocumentError, Stop};
use crate::events::Source;
use crate::index::{Matching, Slot};
use crate::limits::Limits;
use crate::machine::{Batch, Run, Runner};
use crate::reader::Reader;
use crate::sharing::{Messages, Scopes, Unmade};

/// What one thread needs; it learns the subscriptions of one catalog.
pub struct DocumentWorker {
    pub(super) reader: Reader,
    run: Run,
    machine: Option<Arc<Machine>>,
    pub(super) matching: Matching,
    pub(super) scopes: Scopes,
    pub(super) messages: Messages,
    pub(super) limits: Limits,
}

impl DocumentWorker {
    pub fn new(limits: Limits) -> DocumentWorker {
        DocumentWorker {
            reader: Reader::new(limits.clone()),
            run: Run::new(limits.clone()),
            machine: None,
            matching: Matching::default(),
            scopes: Scopes::default(),
            messages: Messages::default(),
            limits,
        }
    }

    /// States that an automaton may have before it starts anew.
    pub fn set_max_states(&mut self, max_states: usize) {
        self.run.set_max_states(max_states);
        self.matching.set_max_states(max_states);
    }

    /// States, transitions and flushes of the automata.
    pub fn automata(&self) -> (usize, usize, u64) {
        let (states, transitions, flushes) = self.matching.automata();
        (states + self.run.states(), transitions + self.run.transitions(), flushes + self.run.flushes())
    }

    /// Who gets what of a document that comes in pieces. `is_text`: it is UTF-8 whatever its declaration says.
    pub fn document(
        &mut self,
        catalog: &Catalog,
        stream: &str,
        pieces: impl Iterator<Item = impl AsRef<[u8]>>,
        is_text: bool,
    ) -> Result<Batch, DocumentError> {
        let whole = self.read(catalog, stream, pieces, is_text)?;
        let mut batch = self.machine_batch();
        if catalog.indexed > 0 {
            self.add_results(catalog, None, &mut batch).map_err(|stop| placed(&self.reader, &whole, stop))?;
        }
        Ok(batch)
    }

    /// The same by reference: messages that cannot fail are left to be made when someone asks for them.
    pub fn references(
        &mut self,
        catalog: &Catalog,
        stream: &str,
        pieces: impl Iterator<Item = impl AsRef<[u8]>>,
        is_text: bool,
    ) -> Result<(Batch, Unmade), DocumentError> {
        let whole = self.read(catalog, stream, pieces, is_text)?;
        let mut batch = self.machine_batch();
        let mut unmade = Unmade::default();
        if catalog.indexed > 0 {
            self.add_results(catalog, Some(&mut unmade), &mut batch)
                .map_err(|stop| placed(&self.reader, &whole, stop))?;
        }
        if !unmade.is_empty() {
            unmade = unmade.with_source(self.matching.give_source());
        }
        Ok((batch, unmade))
    }

    /// Reads a document. If it is one piece, that is given back.
    fn read<P: AsRef<[u8]>>(
        &mut self,
        catalog: &Catalog,
        stream: &str,
        pieces: impl Iterator<Item = P>,
        is_text: bool,
    ) -> Result<Option<P>, DocumentError> {
        let machine = catalog.machine(stream);
        if !self.machine.as_ref().is_some_and(|known| Arc::ptr_eq(known, &machine)) {
            self.run.forget_set();
            self.machine = Some(Arc::clone(&machine));
        }
        self.reader.reset();
        if is_text {
            self.reader.set_encoding_utf8();
        }
        let DocumentWorker { reader, run, matching, limits, .. } = self;
        let mut runner = Runner { run, set: &machine.set };
        let has_machine = !machine.slots.is_empty() || catalog.indexed == 0;
        runner.begin(reader.names()).map_err(|stop| placed::<P>(reader, &None, stop))?;
        let whole = if catalog.indexed > 0 {
            let index = &catalog.index;
            matching.begin(index, reader.names(), stream, limits);
            let mut both = Both { index, matching, runner: has_machine.then_some(&mut runner) };
            let whole = reader.read(pieces, &mut both)?;
            matching.finish(index).map_err(|stop| placed(reader, &whole, stop))?;
            whole
        } else {
            reader.read(pieces, &mut runner)?
        };
        if has_machine {
            let ended = runner.finish(Source { base: 0, bytes: &[] }, reader.names(), 0);
            ended.map_err(|stop| placed(reader, &whole, stop))?;
        }
        Ok(whole)
    }

    /// What the machine found, for the subscriptions of the catalog.
    fn machine_batch(&mut self) -> Batch {
        let mut batch = std::mem::take(&mut self.run.batch);
        if let Some(machine) = &self.machine {
            batch.deliveries.iter_mut().for_each(|(output, _)| *output = machine.slots[*output as usize]);
            batch.errors.iter_mut().for_each(|(output, _)| *output = machine.slots[*output as usize]);
        }
        batch
    }

    /// The subscriptions that a document matches, in ascending order; without those whose evaluation failed.
    pub fn matches(
        &mut self,
        catalog: &Catalog,
        stream: &str,
        pieces: impl Iterator<Item = impl AsRef<[u8]>>,
        is_text: bool,
    ) -> Result<Vec<Slot>, DocumentError> {
        let whole = self.read(catalog, stream, pieces, is_text)?;
        let mut batch = self.machine_batch();
        let mut slots = Vec::new();
        if catalog.indexed > 0 {
            self.add_matches(catalog, &mut slots, &mut batch).map_err(|stop| placed(&self.reader, &whole, stop))?;
        }
        slots.extend(batch.deliveries.iter().map(|(slot, _)| *slot));
        slots.sort_unstable();
        slots.dedup();
        slots.retain(|slot| batch.errors.iter().all(|(failed, _)| failed != slot));
        Ok(slots)
    }
}

fn placed<P: AsRef<[u8]>>(reader: &Reader, whole: &Option<P>, stop: Stop) -> DocumentError {
    stop.at(reader.place(whole.as_ref().map(AsRef::as_ref)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::CompiledProgram;

    /// A path of descendant steps; the last but one may need a child with a value.
    fn program(names: &[&str], child: Option<(&str, &str)>) -> Arc<CompiledProgram> {
        let step = |from: usize, axis: &str, name: &str, role: &str, condition: &str| {
            let test = format!(r#"{{"kind":"name","uri":"","local":"{name}"}}"#);
            format!(
                r#"{{"from":{from},"axis":"{axis}","test":{test},"role":"{role}","condition":{condition},"keep":"nothing"}}"#
            )
        };
        let mut steps = Vec::new();
        for (place, name) in names.iter().enumerate() {
            let is_tested = child.is_some() && place + 2 == names.len();
            let condition = format!(r#"{{"op":"exists","step":{}}}"#, names.len() + 1);
            steps.push(step(place, "descendant", name, "trunk", if is_tested { &condition } else { "null" }));
        }
        if let Some((name, value)) = child {
            let test = format!(r#"{{"fn":"text","comparison":"=","value":"{value}"}}"#);
            steps.push(step(names.len() - 1, "child", name, "branch", &format!(r#"{{"op":"value","test":{test}}}"#)));
        }
        let sink = format!(r#"{{"kind":"nodes","origins":[{{"kind":"step","step":{}}}]}}"#, names.len());
        let steps = steps.join(",");
        let json = format!(r#"{{"version":1,"steps":[{steps}],"sink":{sink},"keep":"nothing"}}"#);
        Arc::new(CompiledProgram::from_json(json.as_bytes()).unwrap_or_else(|error| unreachable!("{error}")))
    }

    fn found(catalog: &Catalog, max_states: usize, document: &str) -> (Vec<(Slot, u64)>, u64) {
        let mut worker = DocumentWorker::new(Limits::default());
        worker.set_max_states(max_states);
        let batch = worker.document(catalog, "", std::iter::once(document), true);
        let mut batch = batch.unwrap_or_else(|error| unreachable!("{}", error.message));
        batch.explode();
        let place = |&(slot, fragment): &(Slot, u32)| (slot, batch.fragments[fragment as usize].offset);
        let mut found: Vec<_> = batch.deliveries.iter().map(place).collect();
        found.sort_unstable();
        (found, worker.automata().2)
    }

    #[test]
    fn an_automaton_that_is_flushed_again_and_again_finds_the_same() {
        let names = ["a", "b", "c", "d"];
        let mut catalog = Catalog::new(0);
        let mut slot = 0;
        for first in names {
            for second in names {
                for third in names {
                    catalog.add(slot, None, &program(&[first, second, third], None));
                    catalog.add(slot + 1, None, &program(&[first, second, third], Some(("x", "1"))));
                    slot += 2;
                }
            }
        }
        let document =
            "<a><b><x>1</x><c><d/><a><x>2</x><b/></a></c><d><x>1<a><b/></a></x><a><c/></a></d></b><c><b><x>1</x><d/></b></c></a>";
        let (wanted, flushes) = found(&catalog, 1 << 16, document);
        assert!(wanted.len() > 20, "{wanted:?}");
        assert_eq!(flushes, 0);
        for max_states in [1, 2, 5] {
            let (same, flushes) = found(&catalog, max_states, document);
            assert!(flushes > 3, "{flushes}");
            assert_eq!(same, wanted);
        }
    }
}
