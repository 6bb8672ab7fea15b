//! Lists of subscriptions: short ones lie one after the other, long ones are shared.

use std::sync::Arc;

/// Number of a list.
pub type ListId = u32;

/// From so many on, a list is referred to; shorter ones are copied, which takes less than to count who refers to them.
const LONG: usize = 64;
const IS_LONG: ListId = 1;

#[derive(Default, Debug)]
pub struct Lists {
    /// Each has its length before it.
    short: Vec<u32>,
    long: Vec<Arc<[u32]>>,
}

impl Lists {
    pub fn get(&self, list: ListId) -> &[u32] {
        let place = (list >> 1) as usize;
        if list & IS_LONG != 0 {
            &self.long[place]
        } else {
            &self.short[place + 1..place + 1 + self.short[place] as usize]
        }
    }

    pub fn add(&mut self, list: &[u32]) -> ListId {
        if list.len() >= LONG {
            return self.refer(&list.into());
        }
        let place = self.short.len();
        self.short.push(list.len() as u32);
        self.short.extend_from_slice(list);
        (place as ListId) << 1
    }

    /// Adds a list by reference.
    pub fn refer(&mut self, list: &Arc<[u32]>) -> ListId {
        self.long.push(Arc::clone(list));
        (self.long.len() as ListId - 1) << 1 | IS_LONG
    }

    /// Adds a list of others.
    #[inline]
    pub fn adopt(&mut self, others: &Lists, list: ListId) -> ListId {
        if list & IS_LONG != 0 {
            self.refer(&others.long[(list >> 1) as usize])
        } else {
            self.add(others.get(list))
        }
    }

    /// Adds all lists of others; what became of their numbers.
    pub fn absorb(&mut self, others: &Lists) -> impl Fn(ListId) -> ListId {
        let (short, long) = (self.short.len() as ListId, self.long.len() as ListId);
        self.short.extend_from_slice(&others.short);
        self.long.extend_from_slice(&others.long);
        move |list| list + ((if list & IS_LONG != 0 { long } else { short }) << 1)
    }

    /// How many of them are long.
    pub fn long(&self) -> usize {
        self.long.len()
    }

    /// Which of the long ones a list is.
    pub fn as_long(&self, list: ListId) -> Option<usize> {
        (list & IS_LONG != 0).then_some((list >> 1) as usize)
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

    pub fn is_empty(&self) -> bool {
        self.short.is_empty() && self.long.is_empty()
    }

    pub fn clear(&mut self) {
        self.short.clear();
        self.long.clear();
    }

    pub fn bytes(&self) -> usize {
        4 * self.short.len() + self.long.iter().map(|list| 32 + 4 * list.len()).sum::<usize>()
    }
}
