//! The nodes that the patterns of subscriptions have selected.

use crate::index::Slot;
use crate::tape::Node;

/// Gathered in any order; read by subscription, nodes in document order, each once.
#[derive(Clone, Default)]
pub struct Selected {
    /// Subscription and node.
    pairs: Vec<u64>,
    slots: Vec<(Slot, u32)>,
    nodes: Vec<Node>,
}

impl Selected {
    #[inline]
    pub fn add(&mut self, slot: Slot, nodes: &[Node]) {
        self.pairs.extend(nodes.iter().map(|&node| u64::from(slot) << 32 | u64::from(node)));
    }

    /// How many pairs of a subscription and a node were added.
    pub fn len(&self) -> usize {
        self.pairs.len()
    }

    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    /// All were added.
    pub fn sorted(mut self) -> Selected {
        self.pairs.sort_unstable();
        self.pairs.dedup();
        for &pair in &self.pairs {
            let slot = (pair >> 32) as Slot;
            if self.slots.last().is_none_or(|&(last, _)| last != slot) {
                self.slots.push((slot, self.nodes.len() as u32));
            }
            self.nodes.push(pair as Node);
        }
        self
    }

    pub fn iter(&self) -> impl Iterator<Item = (Slot, &[Node])> {
        self.slots.iter().enumerate().map(|(place, &(slot, first))| {
            let end = self.slots.get(place + 1).map_or(self.nodes.len(), |&(_, next)| next as usize);
            (slot, &self.nodes[first as usize..end])
        })
    }
}
