//! A hash index over things stored elsewhere: hash and a comparison in, number of the thing out.

const EMPTY: u32 = u32::MAX;

#[derive(Clone, Copy)]
struct Slot {
    hash: u32,
    id: u32,
}

pub(super) struct Index {
    /// A power of two long, at most three quarters full.
    slots: Vec<Slot>,
    used: usize,
}

impl Index {
    pub(super) fn new() -> Index {
        Index { slots: vec![Slot { hash: 0, id: EMPTY }; 64], used: 0 }
    }

    pub(super) fn find(&self, hash: u64, same: impl Fn(u32) -> bool) -> Option<u32> {
        let mask = self.slots.len() - 1;
        let mut at = hash as usize & mask;
        loop {
            let slot = self.slots[at];
            if slot.id == EMPTY {
                return None;
            }
            if slot.hash == hash as u32 && same(slot.id) {
                return Some(slot.id);
            }
            at = (at + 1) & mask;
        }
    }

    /// Adds a thing that [`Index::find`] did not find.
    pub(super) fn insert(&mut self, hash: u64, id: u32) {
        if self.used * 4 >= self.slots.len() * 3 {
            let larger = vec![Slot { hash: 0, id: EMPTY }; self.slots.len() * 2];
            for slot in std::mem::replace(&mut self.slots, larger) {
                if slot.id != EMPTY {
                    self.place(slot);
                }
            }
        }
        self.used += 1;
        self.place(Slot { hash: hash as u32, id });
    }

    fn place(&mut self, slot: Slot) {
        let mask = self.slots.len() - 1;
        let mut at = slot.hash as usize & mask;
        while self.slots[at].id != EMPTY {
            at = (at + 1) & mask;
        }
        self.slots[at] = slot;
    }
}
