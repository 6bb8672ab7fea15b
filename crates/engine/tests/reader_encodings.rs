//! Encodings: found, decoded, and refused when the bytes are not of them.

#![allow(clippy::unwrap_used, clippy::panic)]

mod reader_support;

use penstock_engine::error::ErrorClass::{Encoding, NotWellFormed};
use penstock_engine::limits::Limits;
use penstock_engine::reader::Reader;
use reader_support::{events, feed, read};

fn utf16(text: &str, little: bool) -> Vec<u8> {
    text.encode_utf16().flat_map(|unit| if little { unit.to_le_bytes() } else { unit.to_be_bytes() }).collect()
}

fn marked(mut bytes: Vec<u8>, mark: &[u8]) -> Vec<u8> {
    bytes.splice(0..0, mark.iter().copied());
    bytes
}

const EXPECTED: &str = "<a>\n\"é€😀\"\n</>\n";

#[test]
fn utf8_with_and_without_mark() {
    assert_eq!(events("<a>é€😀</a>"), EXPECTED);
    assert_eq!(events("\u{feff}<a>é€😀</a>"), EXPECTED);
    assert_eq!(events("\u{feff}<?xml version='1.0' encoding='UTF-8'?><a>é€😀</a>"), EXPECTED);
}

#[test]
fn utf16_with_and_without_mark() {
    for little in [true, false] {
        let mark: &[u8] = if little { b"\xff\xfe" } else { b"\xfe\xff" };
        assert_eq!(events(marked(utf16("<a>é€😀</a>", little), mark)), EXPECTED);
        assert_eq!(events(utf16("<a>é€😀</a>", little)), EXPECTED);
        let declared = "<?xml version='1.0' encoding='utf-16'?><a>é€😀</a>";
        assert_eq!(events(marked(utf16(declared, little), mark)), EXPECTED);
    }
}

#[test]
fn single_byte_encodings() {
    let latin1 = b"<?xml version='1.0' encoding='ISO-8859-1'?><a>\xe9\x80</a>";
    assert_eq!(events(latin1), "<a>\n\"é\\u{80}\"\n</>\n");
    let windows = b"<?xml version='1.0' encoding='windows-1252'?><a>\xe9\x80</a>";
    assert_eq!(events(windows), "<a>\n\"é€\"\n</>\n");
    let cyrillic = b"<?xml version='1.0' encoding='koi8-r'?><a>\xd4\xc5\xcb\xd3\xd4</a>";
    assert_eq!(events(cyrillic), "<a>\n\"текст\"\n</>\n");
}

#[test]
fn multi_byte_encodings() {
    let japanese = b"<?xml version='1.0' encoding='Shift_JIS'?><a>\x93\xfa\x96\x7b</a>";
    assert_eq!(events(japanese), "<a>\n\"日本\"\n</>\n");
}

#[test]
fn wrong_bytes_are_never_replaced() {
    for (document, class, offset) in [
        (&b"<a>\xc3\x28</a>"[..], Encoding, 3),
        (b"<a>x\xff</a>", Encoding, 4),
        (b"<a>\xed\xa0\x80</a>", Encoding, 3),
        (b"<a>\xe2\x82", Encoding, 3),
        (b"<?xml version='1.0' encoding='us-ascii'?><a>\xe9</a>", Encoding, 44),
        (b"<?xml version='1.0' encoding='Shift_JIS'?><a>\x93\xfa\x96", Encoding, 47),
        (b"<\0a\0>\0\x00\xd8x\0", Encoding, 6),
        (b"<\0a\0>\0x", Encoding, 6),
        (b"<a>\xef\xbf\xbe</a>", NotWellFormed, 3),
    ] {
        let error = read(document).unwrap_err();
        assert_eq!((error.class, error.offset), (class, offset), "{error}: {document:x?}");
    }
}

#[test]
fn an_earlier_error_comes_first() {
    let error = read(b"<a></b>\xff").unwrap_err();
    assert_eq!((error.class, error.offset), (NotWellFormed, 3));
    let error = read(b"<a b='1'c='2' \x01>").unwrap_err();
    assert_eq!(error.offset, 8);
}

#[test]
fn declarations_that_do_not_fit() {
    for document in [
        &b"<?xml version='1.0' encoding='utf-16'?><a/>"[..],
        b"<?xml version='1.0' encoding='nonesuch'?><a/>",
        b"\xef\xbb\xbf<?xml version='1.0' encoding='utf-16'?><a/>",
        &utf16("<?xml version='1.0' encoding='utf-8'?><a/>", true),
        &utf16("<?xml version='1.0' encoding='utf-16be'?><a/>", true),
    ] {
        assert_eq!(read(document).unwrap_err().class, Encoding);
    }
}

#[test]
fn text_has_no_encoding_to_declare() {
    let mut reader = Reader::new(Limits::default());
    for document in ["<?xml version='1.0' encoding='utf-16'?><a>é€😀</a>", "\u{feff}<a>é€😀</a>"] {
        for chunk in [0, 1, 3] {
            reader.reset();
            reader.set_encoding_utf8();
            assert_eq!(feed(&mut reader, document.as_bytes(), chunk).unwrap().events, EXPECTED);
        }
    }
}

#[test]
fn offsets_count_bytes_of_the_source() {
    let offset = |document: &[u8]| {
        let error = read(document).unwrap_err();
        (error.line, error.column, error.offset)
    };
    assert_eq!(offset("<é>\n€😀</b>".as_bytes()), (2, 3, 12));
    assert_eq!(offset(&marked(utf16("<é>\n€😀</b>", true), b"\xff\xfe")), (2, 3, 2 + 14));
    assert_eq!(offset(b"<?xml version='1.0' encoding='latin1'?>\n<a>\xe9\xe9</b>"), (2, 6, 45));
    assert_eq!(offset(b"<?xml version='1.0' encoding='gbk'?>\n<a>\xc4\xe3</b>"), (2, 5, 42));
}
