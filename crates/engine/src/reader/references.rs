//! References: `&#10;`, `&#xA;`, `&amp;`, `&name;`.

use super::chars::{is_char, is_ncname, name_end};
use super::failure::{malformed, Outcome};

pub(super) enum Reference<'a> {
    /// A character reference or one of the five predefined entities.
    Character(char),
    General(&'a [u8]),
}

/// The reference at `at` (where `&` stands) and where it ends; `None` when the text ends inside it.
pub(super) fn read_reference(bytes: &[u8], at: usize) -> Outcome<Option<(Reference<'_>, usize)>> {
    let numeric = bytes.get(at + 1) == Some(&b'#');
    let body = at + 1 + usize::from(numeric);
    let end = name_end(bytes, body);
    let Some(&after) = bytes.get(end) else { return Ok(None) };
    let name = &bytes[body..end];
    if after != b';' || name.is_empty() {
        return Err(malformed(at, "'&' must begin a reference such as '&amp;' or '&#38;'"));
    }
    let reference = if numeric {
        let Some(c) = character(name) else {
            return Err(malformed(at, "a character reference names no XML character"));
        };
        Reference::Character(c)
    } else {
        match predefined(name) {
            Some(c) => Reference::Character(c),
            None if std::str::from_utf8(name).is_ok_and(is_ncname) => Reference::General(name),
            None => return Err(malformed(at, "an entity reference has a malformed name")),
        }
    };
    Ok(Some((reference, end + 1)))
}

fn predefined(name: &[u8]) -> Option<char> {
    Some(match name {
        b"amp" => '&',
        b"lt" => '<',
        b"gt" => '>',
        b"quot" => '"',
        b"apos" => '\'',
        _ => return None,
    })
}

/// The character that `digits` (after `&#`) names: `10` or `xA`.
fn character(digits: &[u8]) -> Option<char> {
    let (digits, radix) = match digits.split_first() {
        Some((b'x', hexadecimal)) => (hexadecimal, 16),
        _ => (digits, 10),
    };
    if digits.is_empty() {
        return None;
    }
    let mut value = 0_u32;
    for &digit in digits {
        value = value.checked_mul(radix)?.checked_add(char::from(digit).to_digit(radix)?)?;
    }
    char::from_u32(value).filter(|&c| is_char(c))
}
