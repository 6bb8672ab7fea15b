//! Lists of subscriptions: short ones lie one after the other, long ones are referred to.

use std::sync::Arc;

/// Number of a list.
pub type ListId = u32;

/// Lists that are added to while others refer to them. Whoever refers to any of them holds all of them: so it costs nothing
/// to refer to one more.
pub type Growing = Arc<boxcar::Vec<Box<[u32]>>>;

/// From so many on, a list is referred to; shorter ones are copied, which takes less than to count who refers to them.
const LONG: usize = 64;

/// The kind of a list is in the lowest bits of its number: short, long, or one of some that grow.
const KIND_BITS: u32 = 2;
const KINDS: ListId = (1 << KIND_BITS) - 1;
const SHORT: ListId = 0;
const IS_LONG: ListId = 1;
const FIRST_GROWING: ListId = 2;

#[derive(Default, Debug)]
pub struct Lists {
    /// Each has its length before it.
    short: Vec<u32>,
    long: Vec<Arc<[u32]>>,
    growing: [Option<Growing>; 2],
}

/// The number of a list among those that grow, of which there may be two.
#[inline]
pub fn growing(which: usize, place: u32) -> ListId {
    place << KIND_BITS | (FIRST_GROWING + which as ListId)
}

/// Its place there, if it is such a list; and which of them these are.
#[inline]
pub fn as_growing(list: ListId) -> Option<(usize, usize)> {
    let which = (list & KINDS).checked_sub(FIRST_GROWING)?;
    Some((which as usize, (list >> KIND_BITS) as usize))
}

impl Lists {
    pub fn get(&self, list: ListId) -> &[u32] {
        let place = (list >> KIND_BITS) as usize;
        match list & KINDS {
            SHORT => &self.short[place + 1..place + 1 + self.short[place] as usize],
            IS_LONG => &self.long[place],
            which => {
                let lists = self.growing[(which - FIRST_GROWING) as usize].as_ref();
                lists.and_then(|lists| lists.get(place)).map_or(&[], |list| list)
            }
        }
    }

    /// Whether a list is long enough to be referred to, instead of being copied.
    pub fn refers_to(list: &[u32]) -> bool {
        list.len() >= LONG
    }

    pub fn add(&mut self, list: &[u32]) -> ListId {
        if Lists::refers_to(list) {
            return self.refer(&list.into());
        }
        let place = self.short.len();
        self.short.push(list.len() as u32);
        self.short.extend_from_slice(list);
        (place as ListId) << KIND_BITS
    }

    /// Adds a list that is not referred to; its length is before it.
    #[inline]
    pub fn add_short(&mut self, list: &[u32]) -> ListId {
        let place = self.short.len();
        self.short.extend_from_slice(list);
        (place as ListId) << KIND_BITS
    }

    fn refer(&mut self, list: &Arc<[u32]>) -> ListId {
        self.long.push(Arc::clone(list));
        (self.long.len() as ListId - 1) << KIND_BITS | IS_LONG
    }

    /// From now on the numbers of lists that grow are those of these.
    pub fn set_growing(&mut self, which: usize, lists: &Growing) {
        self.growing[which] = Some(Arc::clone(lists));
    }

    /// Adds a list of others.
    #[inline]
    pub fn adopt(&mut self, others: &Lists, list: ListId) -> ListId {
        if list & KINDS == IS_LONG {
            self.refer(&others.long[(list >> KIND_BITS) as usize])
        } else {
            self.add(others.get(list))
        }
    }

    /// Keeps those that were there at some time.
    pub fn restore(&mut self, (short, long): (u32, u32)) {
        self.short.truncate(short as usize);
        self.long.truncate(long as usize);
    }

    /// What there is now.
    pub fn extent(&self) -> (u32, u32) {
        (self.short.len() as u32, self.long.len() as u32)
    }

    pub fn clear(&mut self) {
        self.short.clear();
        self.long.clear();
        self.growing = [None, None];
    }

    pub fn bytes(&self) -> usize {
        4 * self.short.len() + self.long.iter().map(|list| 32 + 4 * list.len()).sum::<usize>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_all_kinds_are_what_was_added() {
        let (short, long): (Vec<u32>, Vec<u32>) = ((3..9).collect(), (0..200).collect());
        let grown = Growing::default();
        let place = grown.push([7, 8].into()) as u32;
        let mut lists = Lists::default();
        lists.set_growing(1, &grown);
        let ids = [lists.add(&short), lists.add(&long), lists.add(&[]), growing(1, place)];
        let wanted: [&[u32]; 4] = [&short, &long, &[], &[7, 8]];
        assert_eq!(ids.map(|id| lists.get(id)), wanted);
        assert_eq!(ids.map(as_growing), [None, None, None, Some((1, 0))]);
        let mut others = Lists::default();
        others.add(&[1]);
        let adopted = ids.map(|id| others.adopt(&lists, id));
        assert_eq!(adopted.map(|id| others.get(id)), wanted);
    }

    #[test]
    fn what_was_added_later_can_be_taken_back() {
        let mut lists = Lists::default();
        let first = lists.add(&[1, 2]);
        let extent = lists.extent();
        lists.add(&[3]);
        lists.add(&(0..100).collect::<Vec<_>>());
        lists.restore(extent);
        assert_eq!((lists.get(first), lists.extent()), (&[1, 2][..], extent));
    }
}
