//! Which values may concern anyone, told before they are looked up.

use super::values::ConstantId;

/// A set of constants in which some cannot be told from others: most nodes of the trie have few, so that it tells most
/// others apart.
pub type Hints = u64;

/// What stands for a text that a value, or its beginning or end, must equal.
#[inline]
pub fn of_text(text: &[u8]) -> Hints {
    // Values of a place begin alike and are of like length (`item17`, `item18`): their ends tell more.
    let end = match *text {
        [.., a, b, c] => u32::from_le_bytes([a, b, c, text[0]]),
        [first, ..] => u32::from(first),
        [] => 0,
    };
    1 << ((end ^ (text.len() as u32) << 24).wrapping_mul(0x9E37_79B1) >> 26)
}

/// What stands for a constant that is known by its number.
#[inline]
pub fn of_constant(constant: ConstantId) -> Hints {
    1 << (constant % Hints::BITS)
}
