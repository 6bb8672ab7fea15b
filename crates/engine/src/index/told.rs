//! Who gets the nodes at spots below an anchor, remembered from document to document.
//!
//! Most spots that are asked about tell of no one, and there are many: so each takes little memory, and those below one
//! anchor lie together.

use super::spots::SpotId;
use super::table::{Entry, Table};
use super::takers::{Takers, NO_ONE};

/// What is known of stems and the spots of their anchors.
#[derive(Default)]
pub struct Told {
    /// Many have but one such row: it is found without a search.
    first: Row,
    of_first: Option<u64>,
    others: Vec<Row>,
    /// Their places, by key.
    places: Table<(u64, u32)>,
}

/// The spots below one anchor that have been asked about.
#[derive(Default)]
pub struct Row {
    known: Table<Known>,
}

#[derive(Clone, Copy)]
struct Known {
    spot: SpotId,
    takers: Takers,
}

/// Spots are numbers of so many bits.
const SPOT_BITS: u32 = 16;

impl Entry for Known {
    /// The root, which is below nothing.
    const FREE: u64 = 0;

    fn free() -> Known {
        Known { spot: 0, takers: NO_ONE }
    }

    #[inline(always)]
    fn key(&self) -> u64 {
        self.spot.into()
    }
}

impl Told {
    /// What is known of a stem whose anchor is at a spot.
    #[inline]
    pub fn row(&mut self, stem: u32, anchor: SpotId) -> &mut Row {
        let key = key(stem, anchor);
        if *self.of_first.get_or_insert(key) == key {
            return &mut self.first;
        }
        let place = match self.places.get(key) {
            Some((_, place)) => *place as usize,
            None => self.add_row(key),
        };
        &mut self.others[place]
    }

    #[cold]
    fn add_row(&mut self, key: u64) -> usize {
        let place = self.others.len();
        self.places.add((key, place as u32));
        self.others.push(Row::default());
        place
    }

    /// Brings near what is known.
    #[inline]
    pub fn fetch(&self, stem: u32, anchor: SpotId) -> u64 {
        let key = key(stem, anchor);
        let row = match self.places.get(key) {
            _ if self.of_first == Some(key) => Some(&self.first),
            place => place.and_then(|(_, place)| self.others.get(*place as usize)),
        };
        row.map_or(0, |row| row.known.fetch_all())
    }
}

#[inline]
fn key(stem: u32, anchor: SpotId) -> u64 {
    u64::from(stem) << SPOT_BITS | u64::from(anchor)
}

impl Row {
    #[inline]
    pub fn get(&self, spot: SpotId) -> Option<Takers> {
        self.known.get(spot.into()).map(|known| known.takers)
    }

    /// Adds what a spot tells that was not asked about before; the bytes that takes.
    pub fn add(&mut self, spot: SpotId, takers: Takers) -> usize {
        self.known.add(Known { spot, takers })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lists::Lists;

    #[test]
    fn each_anchor_has_its_own_spots() {
        let (mut told, mut lists) = (Told::default(), Lists::default());
        let takers = |spot: SpotId, lists: &mut Lists| match spot % 3 {
            0 => NO_ONE,
            _ => Takers::of(&[spot], false, lists),
        };
        for (stem, anchor) in [(0, 0), (0, 1), (1, 0), (7, 65_535)] {
            let row = told.row(stem, anchor);
            for spot in (1..=65_535).step_by(1 + anchor as usize % 7) {
                assert_eq!(row.get(spot), None);
                row.add(spot, takers(spot, &mut lists));
            }
            for spot in (1..=65_535).step_by(1 + anchor as usize % 7) {
                assert_eq!(told.row(stem, anchor).get(spot), Some(takers(spot, &mut lists)));
            }
        }
    }
}
