//! The places of a byte in a text that has many of them. They are found for many bytes at once, so that the next is known
//! before what stands at the last has been looked at.

use std::ops::Range;

use wide::u8x16;

use super::words::{equal, BLOCK};

const STRETCH: usize = 4 * BLOCK;

/// All places of a byte within a range.
pub(super) struct Occurrences<'t> {
    bytes: &'t [u8],
    byte: u8,
    /// Those among the 64 bytes from `at` on that are left.
    bits: u64,
    at: usize,
    end: usize,
}

impl<'t> Occurrences<'t> {
    #[inline]
    pub(super) fn of(byte: u8, bytes: &'t [u8], Range { start, end }: Range<usize>) -> Occurrences<'t> {
        let mut all = Occurrences { bytes, byte, bits: 0, at: start, end };
        all.look();
        all
    }

    #[inline(always)]
    fn look(&mut self) {
        // What lies behind is looked at too, rather than byte by byte.
        let beyond = (self.at + STRETCH).saturating_sub(self.end).min(STRETCH);
        let within = u64::MAX.checked_shr(beyond as u32).unwrap_or(0);
        self.bits = bits_64(self.bytes, self.at, self.byte) & within;
    }
}

impl Iterator for Occurrences<'_> {
    type Item = usize;

    #[inline(always)]
    fn next(&mut self) -> Option<usize> {
        while self.bits == 0 {
            self.at += STRETCH;
            if self.at >= self.end {
                return None;
            }
            self.look();
        }
        let place = self.at + self.bits.trailing_zeros() as usize;
        self.bits &= self.bits - 1;
        Some(place)
    }
}

/// Which of the next 64 bytes are `byte`.
#[inline(always)]
fn bits_64(bytes: &[u8], at: usize, byte: u8) -> u64 {
    let rest = bytes.get(at..).unwrap_or_default();
    let Some(blocks) = rest.first_chunk::<STRETCH>() else {
        return rest.iter().rev().fold(0, |bits, &other| bits << 1 | u64::from(other == byte));
    };
    let (blocks, _) = blocks.as_chunks::<BLOCK>();
    let bits = |block: &[u8; BLOCK]| u64::from(equal(u8x16::from(*block), byte).to_bitmask());
    blocks.iter().rev().fold(0, |all, block| all << BLOCK | bits(block))
}
