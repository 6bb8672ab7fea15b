//! Documents that are read where they lie: the same events, errors and places as when they come in chunks, wherever a step of
//! the check for good characters ends.

#![allow(clippy::unwrap_used, clippy::panic)]

mod reader_support;

use penstock_engine::error::{DocumentError, ErrorClass};
use penstock_engine::limits::Limits;
use penstock_engine::reader::Reader;
use reader_support::{feed, read_whole, Trace};

/// The document is checked in steps of so many bytes.
const STEP: usize = 64 << 10;

const DTD: &str = "<!DOCTYPE a [<!ENTITY e 'x<b>y</b>z'><!ATTLIST d f CDATA 'g'>]>";

/// What is read whole, once it has been found to be the same in chunks; and the place behind it.
fn agreed_with(limits: &Limits, document: &[u8]) -> Result<(Trace, (u64, u64, u64)), DocumentError> {
    let mut reader = Reader::new(limits.clone());
    let whole = read_whole(&mut reader, document).map(|trace| (trace, reader.place(Some(document))));
    for chunk in [0, 1000] {
        reader.reset();
        let cut = feed(&mut reader, document, chunk).map(|trace| (trace, reader.place(None)));
        assert!(cut == whole, "chunks of {chunk}");
    }
    whole
}

fn agreed(document: impl AsRef<[u8]>) -> Result<(Trace, (u64, u64, u64)), DocumentError> {
    agreed_with(&Limits::default(), document.as_ref())
}

/// `<a>`, lines of text, and `middle`, so that the step ends `before` bytes behind its beginning.
fn around_step(prolog: &str, middle: &str, before: usize) -> String {
    let line = "a line of text, and <b>an element</b>\n";
    let mut document = format!("{prolog}<a>");
    let room = STEP - before;
    while document.len() + line.len() <= room {
        document.push_str(line);
    }
    document.push_str(&" ".repeat(room - document.len()));
    document.push_str(middle);
    document
}

#[test]
fn whatever_stands_where_a_step_ends() {
    let middles = [
        "\u{e9}\u{20ac}\u{10348}",
        "<c d='1' \u{e9}='\u{20ac}'>t</c>",
        "x\r\ny\rz\r",
        "&lt;&#233;&#x20AC;&amp;",
        "<![CDATA[ a ]] > \u{20ac} ]]>",
        "<!-- \u{20ac} -->",
        "<?target \u{20ac}?>",
        "<c xmlns='urn:x' xmlns:y='urn:y' y:d='1'><y:e/></c>",
    ];
    for middle in middles {
        for before in 0..middle.len() + 2 {
            let document = around_step("", middle, before);
            let rest = if before % 8 == 0 { "\n<b>more</b>".repeat(6000) } else { String::new() };
            agreed(format!("{document}{rest}</a>")).unwrap();
        }
    }
}

#[test]
fn what_must_be_written_in() {
    for middle in ["&e;", "<d/>", "<d f='1'/>", "<d f='&e;'/>", "<c>&e;&e;</c>"] {
        for before in (0..middle.len() + 2).step_by(2) {
            let document = around_step(DTD, middle, before);
            let rest = "\n<b>more &e;</b>\u{20ac}".repeat(2000);
            let whole = agreed(format!("{document}{rest}</a>"));
            assert_eq!(whole.is_err(), middle == "<d f='&e;'/>", "{whole:?}");
        }
    }
}

#[test]
fn errors_far_behind() {
    let wrongs: [(&[u8], ErrorClass); 8] = [
        (b"</b>", ErrorClass::NotWellFormed),
        (b"<b c='1' c='2'/>", ErrorClass::NotWellFormed),
        (b"a & b", ErrorClass::NotWellFormed),
        (b"]]>", ErrorClass::NotWellFormed),
        (b"\x01", ErrorClass::NotWellFormed),
        (b"\xef\xbf\xbf", ErrorClass::NotWellFormed),
        (b"\xc3(", ErrorClass::Encoding),
        (b"<x:y/>", ErrorClass::Namespace),
    ];
    for (wrong, class) in wrongs {
        for before in 0..wrong.len() + 2 {
            for steps in [0, 2] {
                let mut document = b"<a>\n".to_vec();
                document.extend(std::iter::repeat_n(b"a line\n\n", steps * STEP / 8).flatten());
                document.extend_from_slice(&around_step("", "", before).as_bytes()[b"<a>".len()..]);
                let (line, offset) = (document.iter().filter(|&&byte| byte == b'\n').count() + 1, document.len());
                document.extend_from_slice(wrong);
                document.extend_from_slice(b"</a>");
                let error = agreed(&document).unwrap_err();
                assert_eq!((error.class, error.line), (class, line as u64), "{error}");
                assert!((offset..offset + wrong.len()).contains(&(error.offset as usize)), "{error} {offset}");
            }
        }
    }
}

#[test]
fn documents_that_end_too_early() {
    for end in ["", "<b", "<!-- ", "<![CDATA[x", "&am", "</a", "\r", "]", "x"] {
        for before in 0..end.len() + 1 {
            agreed(around_step("", end, before)).unwrap_err();
        }
    }
    let mut document = around_step("", "", 0).into_bytes();
    document.extend_from_slice(b"\xe2\x82");
    assert_eq!(agreed(&document).unwrap_err().class, ErrorClass::Encoding);
}

#[test]
fn marks_and_other_encodings() {
    let document = around_step("", "<c>\u{e9}\u{20ac}</c>", 7) + &"<d>\u{e9}</d>\r\n".repeat(9000) + "</a>";
    let (plain, _) = agreed(&document).unwrap();
    let (marked, place) = agreed(format!("\u{feff}{document}")).unwrap();
    assert_eq!(marked, plain);
    assert_eq!(place.2 as usize, document.len() + 3);
    let (declared, _) = agreed(format!("<?xml version='1.0' encoding='utf-8'?>{document}")).unwrap();
    assert_eq!(declared.events, plain.events);
    let utf16: Vec<u8> = document.encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert_eq!(agreed([&b"\xff\xfe"[..], &utf16].concat()).unwrap().0, plain);
    let latin = format!("<?xml version='1.0' encoding='iso-8859-1'?>{}", document.replace('\u{20ac}', ""));
    let latin: Vec<u8> = latin.chars().map(|one| one as u8).collect();
    assert!(agreed(latin).unwrap().0.events.contains('\u{e9}'));
    let wrong = format!("<?xml version='1.0' encoding='unknown'?>{document}");
    assert_eq!(agreed(wrong).unwrap_err().class, ErrorClass::Encoding);
}

#[test]
fn limits_of_whole_documents() {
    let document = around_step("\u{feff}", "\u{20ac}", 1) + &"<d>\u{e9}</d>\r\n".repeat(9000) + "</a>";
    for document_bytes in [0, 3, 1000, STEP as u64, document.len() as u64 - 1, document.len() as u64] {
        let limits = Limits { document_bytes, ..Limits::default() };
        let whole = read_whole(&mut Reader::new(limits.clone()), document.as_bytes());
        let fed = feed(&mut Reader::new(limits), document.as_bytes(), 0);
        assert_eq!(whole, fed);
        assert_eq!(whole.is_ok(), document_bytes == document.len() as u64);
    }
    let long = format!("<a><!--{}--></a>", "x".repeat(3 << 20));
    let limits = Limits { attribute_bytes: 1 << 20, ..Limits::default() };
    let whole = read_whole(&mut Reader::new(limits.clone()), long.as_bytes()).unwrap_err();
    assert_eq!(whole.class, ErrorClass::Limit);
    assert_eq!(whole, feed(&mut Reader::new(limits), long.as_bytes(), 0).unwrap_err());
}
