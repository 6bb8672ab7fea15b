//! Results in document order: each is held back while something before it is undecided.

use super::run::{Batch, Run};

#[derive(Default)]
pub struct Order {
    held: Batch,
}

impl Order {
    /// Takes in new results and gives out those that nothing of the same subscription can precede any more.
    /// Without a run (the document has ended) that is all of them.
    pub fn arrange(&mut self, mut batch: Batch, run: Option<&Run>) -> Batch {
        let errors = std::mem::take(&mut batch.errors);
        let sources = [std::mem::take(&mut self.held), batch];
        let mut all = Vec::new();
        for (source, from) in sources.iter().enumerate() {
            for &(output, index) in &from.deliveries {
                all.push((from.fragments[index as usize].rank(), output, source, index as usize));
            }
        }
        all.sort_unstable();
        let mut ready = Batch::failed(errors);
        for (rank, output, source, index) in all {
            let waits = run.and_then(|run| run.open_from(output)).is_some_and(|first| first < rank);
            let to = if waits { &mut self.held } else { &mut ready };
            to.adopt(output, &sources[source], index);
        }
        ready
    }
}
