//! Documents with the same root one after the other: each is read as if it were alone.

#![allow(clippy::unwrap_used, clippy::panic)]

mod reader_support;

use penstock_engine::limits::Limits;
use penstock_engine::reader::Reader;
use reader_support::{feed, read_whole};

const ROOTS: [&str; 8] = [
    "<p:a xmlns:p='urn:x' xmlns='urn:y'>",
    "<p:a xmlns:p='urn:x' xmlns='urn:z'>",
    "<p:a xmlns:p='urn:x' b='1'>",
    "<p:a xmlns:p='urn:&amp;'>",
    "<p:a xmlns:p='&e;'>",
    "<p:a xmlns:p=' urn:x '>",
    "<p:a xmlns:p='urn:x' xmlns:p='urn:y'>",
    "<p:a xmlns:p='urn:x' xmlns='urn:y'/>",
];

const PROLOGS: [&str; 5] = [
    "",
    "<?xml version='1.0'?>\n<!-- c -->",
    "<!DOCTYPE a [<!ENTITY e 'urn:e'>]>",
    "<!DOCTYPE a [<!ATTLIST p:a xmlns:p NMTOKEN #IMPLIED>]>",
    "<!DOCTYPE a [<!ENTITY e 'urn:f'><!ATTLIST p:a xmlns:p NMTOKEN #IMPLIED d CDATA 'f'>]>",
];

const CONTENTS: [&str; 4] =
    ["<p:b/><c/></p:a>", "<q:b/></p:a>", "<p:a xmlns:p='urn:x' xmlns='urn:y'><p:b/></p:a></p:a>", "</p:b>"];

#[test]
fn what_was_read_before_makes_no_difference() {
    let mut documents = Vec::new();
    for root in ROOTS {
        for prolog in PROLOGS {
            documents.extend(CONTENTS.map(|content| format!("{prolog}{root}{content}")));
        }
    }
    let alone = |document: &str| read_whole(&mut Reader::new(Limits::default()), document.as_bytes());
    let expected: Vec<_> = documents.iter().map(|document| alone(document)).collect();
    let mut reader = Reader::new(Limits::default());
    // In many orders.
    for step in 1..documents.len() {
        for place in (0..documents.len()).map(|number| number * step % documents.len()) {
            let (document, expected) = (documents[place].as_bytes(), &expected[place]);
            reader.reset();
            assert!(read_whole(&mut reader, document) == *expected, "{}", documents[place]);
            reader.reset();
            assert!(feed(&mut reader, document, 7) == *expected, "{} in chunks", documents[place]);
        }
    }
}
