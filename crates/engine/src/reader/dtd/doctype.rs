//! The head of a document type declaration.

use super::super::failure::Outcome;
use super::{Cursor, Dtd};

/// Reads `<!DOCTYPE name ExternalID? [` or the same with `>`; true when an internal subset follows.
pub(in super::super) fn read_header(header: &[u8], at: usize, dtd: &mut Dtd) -> Outcome<bool> {
    let mut cursor = Cursor::new(header, at);
    cursor.skip(b"<!DOCTYPE");
    cursor.need_space()?;
    cursor.qname()?;
    let spaced = cursor.space();
    if spaced && !matches!(cursor.peek(), Some(b'[' | b'>')) {
        match cursor.run() {
            b"SYSTEM" => {}
            b"PUBLIC" => {
                cursor.need_space()?;
                cursor.public_id()?;
            }
            _ => return Err(cursor.wrong("SYSTEM, PUBLIC, '[' or '>' is expected here")),
        }
        cursor.need_space()?;
        cursor.literal()?;
        dtd.incomplete = true;
        cursor.space();
    }
    if cursor.eat(b'[') {
        return Ok(true);
    }
    cursor.close()?;
    Ok(false)
}
