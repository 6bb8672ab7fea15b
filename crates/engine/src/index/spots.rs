//! Spots: the ways of names from the root that documents have had, as far as the tests of subscriptions tell names apart.
//!
//! Documents of a kind have few of them. Where ways without conditions lead to depends on nothing else, so who gets the
//! nodes of a spot is remembered from document to document: see [`super::told`].

use super::reached::LONGEST;
use super::table::Table;
use super::tests::{Marks, Symbol, Symbols, TestId};

/// Number of a spot; those above it have smaller ones.
pub type SpotId = u16;

pub const ROOT: SpotId = 0;
/// Spots that may be known.
const MOST: usize = SpotId::MAX as usize;

/// What a node is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Label {
    pub symbol: Symbol,
    pub is_attribute: bool,
}

impl Label {
    pub fn passes(self, symbols: &Symbols, test: TestId, is_attribute: bool) -> bool {
        self.is_attribute == is_attribute && symbols.passes(self.symbol, test)
    }

    pub fn marks(self, symbols: &Symbols) -> Marks {
        symbols.marks(self.symbol)
    }
}

struct Spot {
    above: SpotId,
    label: Label,
    /// How many are above it.
    depth: usize,
    /// Where its places within each of those begin, the root first; then comes that within itself.
    first_place: u32,
    /// Itself and all below it, oldest first.
    within: Vec<SpotId>,
}

/// The spots met so far.
pub struct Spots {
    /// What is remembered of spots by number holds for this generation of them.
    generation: u32,
    /// The first is the root.
    spots: Vec<Spot>,
    children: Table<(u64, SpotId)>,
    places: Vec<SpotId>,
}

impl Default for Spots {
    fn default() -> Spots {
        let root = Spot { above: ROOT, label: Label::default(), depth: 0, first_place: 0, within: vec![ROOT] };
        Spots { generation: 0, spots: vec![root], children: Table::default(), places: vec![0] }
    }
}

impl Spots {
    /// Forgets all spots.
    pub fn clear(&mut self) {
        *self = Spots { generation: self.generation.wrapping_add(1), ..Spots::default() };
    }

    pub fn is_full(&self) -> bool {
        self.len() >= MOST
    }

    pub fn len(&self) -> usize {
        self.spots.len()
    }

    pub fn generation(&self) -> u32 {
        self.generation
    }

    /// The spot of something below a spot; None if there are too many, or it is too deep.
    #[inline]
    pub fn child(&mut self, above: SpotId, label: Label) -> Option<SpotId> {
        let key = u64::from(above) << 32 | u64::from(label.symbol) << 1 | u64::from(label.is_attribute);
        match self.children.get(key) {
            Some((_, spot)) => Some(*spot),
            None => self.add(key, above, label),
        }
    }

    #[cold]
    fn add(&mut self, key: u64, above: SpotId, label: Label) -> Option<SpotId> {
        let depth = self.spots[above as usize].depth + 1;
        if depth > LONGEST || self.is_full() {
            return None;
        }
        let (spot, first) = (self.len() as SpotId, self.places.len());
        let first_place = first as u32;
        self.spots.push(Spot { above, label, depth, first_place, within: vec![spot] });
        self.children.add((key, spot));
        self.places.resize(first + depth + 1, 0);
        let mut around = spot;
        while around != ROOT {
            around = self.spots[around as usize].above;
            let Spot { depth, within, .. } = &mut self.spots[around as usize];
            self.places[first + *depth] = within.len() as SpotId;
            within.push(spot);
        }
        Some(spot)
    }

    /// A spot and all below it, oldest first.
    #[inline]
    pub fn within(&self, spot: SpotId) -> &[SpotId] {
        &self.spots[spot as usize].within
    }

    /// How many spots are above a spot.
    pub fn depth(&self, spot: SpotId) -> usize {
        self.spots[spot as usize].depth
    }

    /// By what the places of a spot are known.
    #[inline]
    pub fn first_place(&self, spot: SpotId) -> u32 {
        self.spots[spot as usize].first_place
    }

    /// The place of a spot, known by its first place, among those within the one above it that is at a depth.
    #[inline]
    pub fn place(&self, first_place: u32, depth: usize) -> usize {
        self.places[first_place as usize + depth].into()
    }

    pub fn label(&self, spot: SpotId) -> Label {
        self.spots[spot as usize].label
    }

    /// The labels on the way from a spot down to another.
    pub fn labels(&self, above: SpotId, spot: SpotId, labels: &mut Vec<Label>) {
        labels.clear();
        let mut at = spot;
        while at != above {
            let Spot { above, label, .. } = self.spots[at as usize];
            labels.push(label);
            at = above;
        }
        labels.reverse();
    }
}
