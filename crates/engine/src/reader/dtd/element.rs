//! `<!ELEMENT name model>`: only checked.

use super::super::failure::Outcome;
use super::Cursor;

pub(super) fn read(cursor: &mut Cursor<'_>) -> Outcome<()> {
    cursor.need_space()?;
    cursor.qname()?;
    cursor.need_space()?;
    if !cursor.eat(b'(') {
        match cursor.run() {
            b"EMPTY" | b"ANY" => return cursor.close(),
            _ => return Err(cursor.wrong("EMPTY, ANY or '(' is expected here")),
        }
    }
    cursor.space();
    if cursor.eat(b'#') {
        mixed(cursor)?;
    } else {
        children(cursor)?;
    }
    cursor.close()
}

/// After `(#`.
fn mixed(cursor: &mut Cursor<'_>) -> Outcome<()> {
    if cursor.run() != b"PCDATA" {
        return Err(cursor.wrong("PCDATA is expected after '#'"));
    }
    let mut names = false;
    loop {
        cursor.space();
        if cursor.eat(b')') {
            return if cursor.eat(b'*') || !names { Ok(()) } else { Err(cursor.wrong("')*' is expected here")) };
        }
        if !cursor.eat(b'|') {
            return Err(cursor.wrong("'|' or ')' is expected here"));
        }
        cursor.space();
        cursor.qname()?;
        names = true;
    }
}

/// After the first `(`. Each open group keeps its connector, 0 before the first.
fn children(cursor: &mut Cursor<'_>) -> Outcome<()> {
    let mut groups = vec![0_u8];
    loop {
        cursor.space();
        if cursor.eat(b'(') {
            groups.push(0);
            continue;
        }
        cursor.qname()?;
        occurrence(cursor);
        loop {
            cursor.space();
            let Some(connector) = groups.last_mut() else { return Ok(()) };
            match cursor.peek() {
                Some(b')') => {
                    cursor.eat(b')');
                    occurrence(cursor);
                    groups.pop();
                    if groups.is_empty() {
                        return Ok(());
                    }
                }
                Some(found @ (b',' | b'|')) if *connector == 0 || *connector == found => {
                    *connector = found;
                    cursor.eat(found);
                    break;
                }
                _ => return Err(cursor.wrong("')' or the group's ',' or '|' is expected here")),
            }
        }
    }
}

fn occurrence(cursor: &mut Cursor<'_>) {
    if let Some(mark @ (b'?' | b'*' | b'+')) = cursor.peek() {
        cursor.eat(mark);
    }
}
