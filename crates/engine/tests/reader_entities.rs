//! Entities and default attributes, written into the expanded source.

#![allow(clippy::unwrap_used, clippy::panic)]

mod reader_support;

use penstock_engine::error::ErrorClass;
use reader_support::{events, read};

/// The expanded source of `<a>...</a>` after an internal subset.
fn expanded(subset: &str, body: &str) -> String {
    let trace = read(format!("<!DOCTYPE a [{subset}]>{body}")).unwrap();
    trace.element(0).to_string()
}

fn refused(subset: &str, body: &str) -> String {
    let error = read(format!("<!DOCTYPE a [{subset}]>{body}")).unwrap_err();
    assert_eq!(error.class, ErrorClass::NotWellFormed, "{error}");
    error.message
}

#[test]
fn entities_in_content_take_their_references_place() {
    assert_eq!(expanded("<!ENTITY e 'x'>", "<a>1&e;2&e;</a>"), "<a>1x2x</a>");
    assert_eq!(expanded("<!ENTITY e '<b>y</b>'>", "<a>&e;</a>"), "<a><b>y</b></a>");
    assert_eq!(expanded("<!ENTITY e ''>", "<a>1&e;2</a>"), "<a>12</a>");
    assert_eq!(expanded("<!ENTITY e '&f;&f;'><!ENTITY f '-&amp;-'>", "<a>&e;</a>"), "<a>-&amp;--&amp;-</a>");
    assert_eq!(expanded("<!ENTITY e SYSTEM 'e.xml'>", "<a>1&e;2</a>"), "<a>12</a>");
    assert_eq!(expanded("<!ENTITY e 'first'><!ENTITY e 'second'>", "<a>&e;</a>"), "<a>first</a>");
}

#[test]
fn a_text_node_goes_through_entities() {
    assert_eq!(events("<!DOCTYPE a [<!ENTITY e 'x<b/>y'>]><a>1&e;2</a>"), "<a>\n\"1x\"\n<b>\n</>\n\"y2\"\n</>\n");
    assert_eq!(events("<!DOCTYPE a [<!ENTITY e ']]'>]><a>&e;></a>"), "<a>\n\"]]>\"\n</>\n");
}

#[test]
fn character_references_in_entity_values_are_replaced_when_declared() {
    assert_eq!(events("<!DOCTYPE a [<!ENTITY e '&#60;b/>'>]><a>&e;</a>"), "<a>\n<b>\n</>\n</>\n");
    assert_eq!(events("<!DOCTYPE a [<!ENTITY e '&#38;#60;b/>'>]><a>&e;</a>"), "<a>\n\"<b/>\"\n</>\n");
    assert_eq!(events("<!DOCTYPE a [<!ENTITY e 'x&#13;&#10;y'>]><a>&e;</a>"), "<a>\n\"x\\r\\ny\"\n</>\n");
    assert_eq!(events("<!DOCTYPE a [<!ENTITY e 'x\r\ny'>]><a>&e;</a>"), "<a>\n\"x\\ny\"\n</>\n");
}

#[test]
fn predefined_entities_may_be_declared() {
    let subset = "<!ENTITY lt '&#38;#60;'><!ENTITY amp '&#38;#38;'>";
    assert_eq!(expanded(subset, "<a b='&lt;'>&lt;&amp;</a>"), "<a b='&lt;'>&lt;&amp;</a>");
}

#[test]
fn entities_in_values_stand_alone_between_the_quotes() {
    assert_eq!(expanded("<!ENTITY e 'x\"&#39;\ty'>", "<a b='1&e;2'/>"), "<a b='1x&quot;&apos; y2'/>");
    assert_eq!(
        expanded("<!ENTITY e '&f;&f;'><!ENTITY f '&lt;'>", "<a b='&e;' c=\"&f;\"/>"),
        "<a b='&lt;&lt;' c=\"&lt;\"/>"
    );
}

#[test]
fn default_attributes_are_added() {
    let subset = "<!ATTLIST a x CDATA '1' y CDATA #IMPLIED z CDATA #FIXED \"&#34;&amp;\">";
    assert_eq!(expanded(subset, "<a/>"), "<a x=\"1\" z=\"&quot;&amp;\"/>");
    assert_eq!(expanded(subset, "<a z='2' ></a>"), "<a z='2'  x=\"1\"></a>");
    assert_eq!(
        expanded("<!ATTLIST a x CDATA '1'><!ATTLIST a x CDATA '2' y CDATA '3'>", "<a/>"),
        "<a x=\"1\" y=\"3\"/>"
    );
}

#[test]
fn default_namespace_declarations_count() {
    let document = "<!DOCTYPE a [<!ATTLIST p:a xmlns:p CDATA 'u' p:x CDATA 'v'>]><p:a/>";
    assert_eq!(events(document), "<p:a{u} p:x{u}=\"v\" [p=u]>\n</>\n");
}

#[test]
fn declared_types_normalise_values() {
    let document =
        "<!DOCTYPE a [<!ATTLIST a i ID #IMPLIED n NMTOKENS '  p  q ' c CDATA #IMPLIED>]><a i=' 1 ' c=' 1 '/>";
    assert_eq!(events(document), "<a #i=\"1\" c=\" 1 \" ~n=\"p q\">\n</>\n");
}

#[test]
fn unknown_entities_are_nothing_when_declarations_are_elsewhere() {
    assert_eq!(events("<!DOCTYPE a SYSTEM 'a.dtd'><a b='1&u;2'>&u;</a>"), "<a b=\"12\">\n</>\n");
    assert_eq!(events("<!DOCTYPE a [%p;]><a>1&u;2</a>"), "<a>\n\"12\"\n</>\n");
    // What follows a parameter entity reference that was not read is not used.
    assert_eq!(events("<!DOCTYPE a [%p;<!ENTITY e 'x'><!ATTLIST a b CDATA '1'>]><a>&e;</a>"), "<a>\n</>\n");
    let standalone = "<?xml version='1.0' standalone='yes'?><!DOCTYPE a SYSTEM 'a.dtd' [%p;<!ENTITY e 'x'>]>";
    assert_eq!(events(format!("{standalone}<a>&e;</a>")), "<a>\n\"x\"\n</>\n");
    assert!(read(format!("{standalone}<a>&u;</a>")).is_err());
}

#[test]
fn entities_are_well_formed_by_themselves() {
    assert!(refused("<!ENTITY e '<b>'>", "<a>&e;</b></a>").contains("does not end in it"));
    assert!(refused("<!ENTITY e '</a>'>", "<a>&e;").contains("begins outside an entity"));
    assert!(refused("<!ENTITY e '</b><b>'>", "<a><b>&e;</b></a>").contains("begins outside an entity"));
    assert!(refused("<!ENTITY e '<b'>", "<a>&e;/></a>").contains("ends inside a tag"));
    assert!(refused("<!ENTITY e '<!-- '>", "<a>&e;--></a>").contains("ends inside a comment"));
    assert!(refused("<!ENTITY e '<![CDATA['>", "<a>&e;]]></a>").contains("ends inside a CDATA"));
    assert!(refused("<!ENTITY e '&#38;'>", "<a>&e;amp;</a>").contains("does not end in ';'"));
}

#[test]
fn bad_references_are_refused() {
    assert!(refused("<!ENTITY e '&f;'><!ENTITY f '&e;'>", "<a>&e;</a>").contains("refers to itself"));
    assert!(refused("<!ENTITY e '&f;'><!ENTITY f '&e;'>", "<a b='&e;'/>").contains("refers to itself"));
    assert!(refused("<!ENTITY e '&#60;'>", "<a b='&e;'/>").contains("'<'"));
    assert!(refused("<!ENTITY e SYSTEM 'e'>", "<a b='&e;'/>").contains("external"));
    assert!(refused("<!ENTITY e SYSTEM 'e' NDATA n>", "<a>&e;</a>").contains("unparsed"));
    assert!(refused("", "<a>&e;</a>").contains("not declared"));
    assert!(refused("<!ENTITY % e 'x'>", "<a>&e;</a>").contains("not declared"));
}

#[test]
fn many_references_in_a_long_document() {
    let subset = "<!ENTITY e 'some <b>bold</b> text'><!ENTITY f '&e;, &e;'>";
    let document = format!("<!DOCTYPE a [{subset}]><a>{}</a>", "<i k='v'>&f;</i>\n".repeat(8_000));
    let trace = read(&document).unwrap();
    assert_eq!(
        trace.element(0),
        document[document.find("<a>").unwrap()..].replace("&f;", "some <b>bold</b> text, some <b>bold</b> text")
    );
}
