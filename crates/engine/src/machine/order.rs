//! Results in document order: each is held back while something before it is undecided.

use super::run::{Batch, Fragment, Run};
use super::set::Output;

#[derive(Default)]
pub struct Order {
    held: Vec<(Output, Fragment)>,
}

impl Order {
    /// Takes in new results and gives out those that nothing of the same subscription can precede any more.
    /// Without a run (the document has ended) that is all of them.
    pub fn arrange(&mut self, batch: Batch, run: Option<&Run>) -> Batch {
        for &(output, index) in &batch.deliveries {
            let one = &batch.fragments[index as usize];
            self.held.push((output, Fragment { kind: one.kind, text: one.text.clone(), offset: one.offset }));
        }
        self.held.sort_by_key(|(output, fragment)| (fragment.offset, *output));
        let mut ready = Batch { errors: batch.errors, ..Batch::default() };
        let mut held = Vec::new();
        for (output, fragment) in self.held.drain(..) {
            let waits = run.and_then(|run| run.open_from(output)).is_some_and(|first| first < fragment.offset);
            if waits {
                held.push((output, fragment));
            } else {
                ready.deliveries.push((output, ready.fragments.len() as u32));
                ready.fragments.push(fragment);
            }
        }
        self.held = held;
        ready
    }
}
