//! Spots: the ways of names from the root that documents have had, as far as the tests of subscriptions tell names apart.
//!
//! Documents of a kind have few of them. Where ways without conditions lead to depends on nothing else, so who gets the
//! nodes of a spot is remembered from document to document: see [`super::told`].

use super::table::Table;
use super::tests::{Marks, Symbol, Symbols, TestId};

/// Number of a spot; those above it have smaller ones.
pub type SpotId = u16;

pub const ROOT: SpotId = 0;
/// Spots that may be known.
const MOST: usize = SpotId::MAX as usize;
/// How deep they may be: all above a spot know of it.
const DEEPEST: usize = 64;

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
    /// How many are above it.
    depth: usize,
    children: Vec<SpotId>,
    /// Itself and all below it, oldest first.
    within: Vec<SpotId>,
    /// What may be passed below it.
    below: Marks,
}

/// The spots met so far.
pub struct Spots {
    /// What is remembered of spots by number holds for this generation of them.
    generation: u32,
    /// The first is the root.
    spots: Vec<Spot>,
    /// Of each: what it is, and what it is below.
    labels: Vec<(Label, SpotId)>,
    known: Table<(u64, SpotId)>,
    by_symbol: Vec<Vec<SpotId>>,
}

impl Default for Spots {
    fn default() -> Spots {
        let root = Spot { depth: 0, children: Vec::new(), within: vec![ROOT], below: 0 };
        Spots {
            generation: 0,
            spots: vec![root],
            labels: vec![(Label::default(), ROOT)],
            known: Table::default(),
            by_symbol: Vec::new(),
        }
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
    pub fn child(&mut self, above: SpotId, label: Label, symbols: &Symbols) -> Option<SpotId> {
        match self.find(above, label) {
            None => self.add(above, label, symbols.marks(label.symbol)),
            known => known,
        }
    }

    /// The same if it is known.
    #[inline]
    pub fn find(&self, above: SpotId, label: Label) -> Option<SpotId> {
        self.known.get(key(above, label)).map(|(_, spot)| *spot)
    }

    #[cold]
    fn add(&mut self, above: SpotId, label: Label, marks: Marks) -> Option<SpotId> {
        let depth = self.spots[above as usize].depth + 1;
        if depth > DEEPEST || self.is_full() {
            return None;
        }
        let spot = self.len() as SpotId;
        self.labels.push((label, above));
        self.spots.push(Spot { depth, children: Vec::new(), within: vec![spot], below: 0 });
        self.spots[above as usize].children.push(spot);
        self.known.add((key(above, label), spot));
        let symbol = label.symbol as usize;
        self.by_symbol.resize_with(self.by_symbol.len().max(symbol + 1), Vec::new);
        self.by_symbol[symbol].push(spot);
        let mut around = spot;
        while around != ROOT {
            around = self.labels[around as usize].1;
            let Spot { within, below, .. } = &mut self.spots[around as usize];
            within.push(spot);
            *below |= marks;
        }
        Some(spot)
    }

    /// Those of a spot and all below it that have this number or a higher one, oldest first.
    pub fn within(&self, spot: SpotId, from: SpotId) -> &[SpotId] {
        let within = &self.spots[spot as usize].within;
        &within[within.partition_point(|&one| one < from)..]
    }

    pub fn label(&self, spot: SpotId) -> Label {
        self.labels[spot as usize].0
    }

    pub fn children(&self, spot: SpotId) -> &[SpotId] {
        &self.spots[spot as usize].children
    }

    /// All spots of a symbol, oldest first.
    pub fn of_symbol(&self, symbol: Symbol) -> &[SpotId] {
        self.by_symbol.get(symbol as usize).map_or(&[], Vec::as_slice)
    }

    /// The tests that anything below a spot may pass.
    pub fn below(&self, spot: SpotId) -> Marks {
        self.spots[spot as usize].below
    }

    /// The spots above a spot, the nearest first.
    pub fn above(&self, spot: SpotId) -> impl Iterator<Item = SpotId> + '_ {
        let above = |&spot: &SpotId| Some(self.labels[spot as usize].1).filter(|_| spot != ROOT);
        std::iter::successors(above(&spot), above)
    }
}

/// By what a spot below another is known.
#[inline]
fn key(above: SpotId, label: Label) -> u64 {
    u64::from(above) << 32 | u64::from(label.symbol) << 1 | u64::from(label.is_attribute)
}
