//! Errors: their class and place, the same however the document is cut.

#![allow(clippy::unwrap_used, clippy::panic)]

mod reader_support;

use penstock_engine::error::ErrorClass::{self, Namespace, NotWellFormed};
use penstock_engine::limits::Limits;
use penstock_engine::reader::Reader;
use reader_support::{feed, read};

fn check(document: &str, class: ErrorClass, line: u64, column: u64) {
    let error = match read(document) {
        Ok(_) => panic!("accepted: {document}"),
        Err(error) => error,
    };
    assert_eq!((error.class, error.line, error.column), (class, line, column), "{document}: {error}");
    let before: String = document.split_inclusive('\n').take(line as usize - 1).collect();
    let in_line: String = document[before.len()..].chars().take(column as usize - 1).collect();
    assert_eq!(error.offset as usize, before.len() + in_line.len(), "{document}: {error}");
}

#[test]
fn documents_that_do_not_end() {
    check("", NotWellFormed, 1, 1);
    check("  \n ", NotWellFormed, 2, 2);
    check("<a>", NotWellFormed, 1, 4);
    check("<a>\n<b", NotWellFormed, 2, 1);
    check("<a><!-- x", NotWellFormed, 1, 4);
    check("<a>é<![CDATA[x]]", NotWellFormed, 1, 15);
    check("<a>x</a", NotWellFormed, 1, 5);
    check("<a>x&am", NotWellFormed, 1, 5);
    check("<!DOCTYPE a [", NotWellFormed, 1, 14);
    check("<?xml version='1.0'", NotWellFormed, 1, 1);
}

#[test]
fn tags() {
    check("<a>\n<b></c></a>", NotWellFormed, 2, 4);
    check("<a></a></a>", NotWellFormed, 1, 8);
    check("<a/><b/>", NotWellFormed, 1, 5);
    check("< a/>", NotWellFormed, 1, 1);
    check("<1/>", NotWellFormed, 1, 2);
    check("<a b='1' b='2'/>", NotWellFormed, 1, 10);
    check("<a b='1'c='2'/>", NotWellFormed, 1, 9);
    check("<a b=1/>", NotWellFormed, 1, 6);
    check("<a b/>", NotWellFormed, 1, 5);
    check("<a b='<'/>", NotWellFormed, 1, 7);
    check("<a b='&'/>", NotWellFormed, 1, 7);
    check("<a / >", NotWellFormed, 1, 4);
    check("<a><b ></b x></a>", NotWellFormed, 1, 12);
}

#[test]
fn text_and_references() {
    check("x<a/>", NotWellFormed, 1, 1);
    check("<a/>x", NotWellFormed, 1, 5);
    check("<a/><![CDATA[x]]>", NotWellFormed, 1, 5);
    check("<a>x ]]> y</a>", NotWellFormed, 1, 6);
    check("<a>1 & 2</a>", NotWellFormed, 1, 6);
    check("<a>&#0;</a>", NotWellFormed, 1, 4);
    check("<a>&#xFFFE;</a>", NotWellFormed, 1, 4);
    check("<a>&#xD800;</a>", NotWellFormed, 1, 4);
    check("<a>&#x;</a>", NotWellFormed, 1, 4);
    check("<a>&unknown;</a>", NotWellFormed, 1, 4);
    check("<a>x\u{1}</a>", NotWellFormed, 1, 5);
    check("<a>x\u{ffff}</a>", NotWellFormed, 1, 5);
}

#[test]
fn comments_and_instructions() {
    check("<a><!-- -- --></a>", NotWellFormed, 1, 9);
    check("<a><!-- ---></a>", NotWellFormed, 1, 9);
    check("<a><!x></a>", NotWellFormed, 1, 4);
    check("<a><? x?></a>", NotWellFormed, 1, 4);
    check("<a><?x:y z?></a>", NotWellFormed, 1, 4);
    check("<a><?XML z?></a>", NotWellFormed, 1, 4);
    check(" <?xml version='1.0'?><a/>", NotWellFormed, 1, 2);
}

#[test]
fn the_declaration() {
    for wrong in [
        "<?xml?>",
        "<?xml encoding='utf-8'?>",
        "<?xml version='1.0' standalone='yes' encoding='utf-8'?>",
        "<?xml version='1.0' standalone='maybe'?>",
        "<?xml version='1.0'encoding='utf-8'?>",
        "<?xml version=1.0?>",
        "<?xml version='1.0' x='y'?>",
        "<?xml version='1.0' encoding='1'?>",
    ] {
        let error = read(format!("{wrong}<a/>")).unwrap_err();
        assert_eq!((error.line, error.column), (1, 1), "{wrong}: {error}");
    }
}

#[test]
fn the_doctype() {
    check("<a/><!DOCTYPE a>", NotWellFormed, 1, 5);
    check("<!DOCTYPE a><!DOCTYPE a><a/>", NotWellFormed, 1, 13);
    check("<!DOCTYPE><a/>", NotWellFormed, 1, 10);
    check("<!DOCTYPE a SYSTEM><a/>", NotWellFormed, 1, 19);
    check("<!DOCTYPE a PUBLIC '{' 'x'><a/>", NotWellFormed, 1, 21);
    check("<!DOCTYPE a [x]><a/>", NotWellFormed, 1, 14);
    check("<!DOCTYPE a [\n<!ELEMENT a (b|c,d)>]><a/>", NotWellFormed, 2, 17);
    check("<!DOCTYPE a [<!ELEMENT a (#PCDATA|b)>]><a/>", NotWellFormed, 1, 37);
    check("<!DOCTYPE a [<!ATTLIST a b WORD 'x'>]><a/>", NotWellFormed, 1, 32);
    check("<!DOCTYPE a [<!ATTLIST a b CDATA '<'>]><a/>", NotWellFormed, 1, 35);
    check("<!DOCTYPE a [<!ENTITY e 'x'y>]><a/>", NotWellFormed, 1, 28);
    check("<!DOCTYPE a [<!ENTITY e '%p;'>]><a/>", NotWellFormed, 1, 26);
    check("<!DOCTYPE a [<!ENTITY p:e 'x'>]><a/>", NotWellFormed, 1, 23);
    check("<!DOCTYPE a [<![INCLUDE[]]>]><a/>", NotWellFormed, 1, 14);
    check("<!DOCTYPE a []x><a/>", NotWellFormed, 1, 15);
}

#[test]
fn namespaces() {
    check("<p:a/>", Namespace, 1, 2);
    check("<a p:b=''/>", Namespace, 1, 4);
    check("<a xmlns:p=''/>", Namespace, 1, 4);
    check("<a xmlns:xmlns='u'/>", Namespace, 1, 4);
    check("<a xmlns:xml='u'/>", Namespace, 1, 4);
    check("<a xmlns:p='http://www.w3.org/XML/1998/namespace'/>", Namespace, 1, 4);
    check("<a xmlns='http://www.w3.org/2000/xmlns/'/>", Namespace, 1, 4);
    check("<xmlns:a/>", Namespace, 1, 2);
    check("<a><b xmlns:p='u'/><p:c/></a>", Namespace, 1, 21);
    check("<a><b xmlns='u'/><b xmlns:='u'/></a>", NotWellFormed, 1, 21);
    check("<a xmlns:p='u' xmlns:q='u' p:x='' q:x=''/>", Namespace, 1, 35);
    check("<a xmlns:p='u' xmlns:p='v'/>", NotWellFormed, 1, 16);
    check("<a:b:c xmlns:a='u'/>", NotWellFormed, 1, 2);
    check("<:a/>", NotWellFormed, 1, 2);
    check("<a:/>", NotWellFormed, 1, 2);
}

#[test]
fn an_error_in_an_entity_is_placed_at_its_reference() {
    check("<!DOCTYPE a [<!ENTITY e 'text<b></c>'>]>\n<a>\n  &e; </a>", NotWellFormed, 3, 3);
    check("<!DOCTYPE a [<!ENTITY e 'longer than the reference'>]>\n<a>é&e;<b></a>", NotWellFormed, 2, 11);
    check("<!DOCTYPE a [<!ATTLIST b c CDATA 'default'>]>\n<a><b/><b/>\n</c>", NotWellFormed, 3, 1);
}

#[test]
fn lines_end_as_xml_says() {
    let error = read("<a>\r\n\r\n\r</b>").unwrap_err();
    assert_eq!((error.line, error.column, error.offset), (4, 1, 8));
}

#[test]
fn the_place_is_right_far_into_a_document() {
    let lines = 20_000;
    let document = format!("<a>\n{}</b>", "<i>ü</i>\n".repeat(lines));
    let error = read(&document).unwrap_err();
    assert_eq!((error.line, error.column), (lines as u64 + 2, 1));
    assert_eq!(error.offset as usize, document.len() - "</b>".len());
}

#[test]
fn a_reader_is_as_new_after_an_error() {
    let mut reader = Reader::new(Limits::default());
    assert!(feed(&mut reader, b"<!DOCTYPE a [<!ENTITY e 'x'>]><a xmlns:p='u'><b>&e;</a>", 0).is_err());
    assert!(feed(&mut reader, b"<a/>", 0).is_err(), "only a reset makes it usable again");
    reader.reset();
    assert!(feed(&mut reader, b"<a>&e;</a>", 0).is_err());
    reader.reset();
    assert!(feed(&mut reader, b"<p:a/>", 0).is_err());
    reader.reset();
    assert_eq!(feed(&mut reader, b"<a>x</a>", 0).unwrap().events, "<a>\n\"x\"\n</>\n");
}

#[test]
fn names_are_made_of_the_fourth_editions_characters() {
    for good in ["ä", "Ω", "עברית", "عربي", "हिन्दी", "日本語", "한국어", "a·1", "_x", "a\u{300}"]
    {
        assert!(read(format!("<{good} {good}=''/>")).is_ok(), "{good}");
    }
    for bad in ["1", "·", "-a", "a×", "a😀", "a\u{feff}", "€", "\u{300}a", "ሀ", "a\u{20000}"] {
        assert!(read(format!("<{bad}/>")).is_err(), "{bad}");
        assert!(read(format!("<a {bad}=''/>")).is_err(), "{bad}");
    }
}
