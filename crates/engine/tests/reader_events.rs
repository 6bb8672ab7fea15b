//! The events of small documents, the same however they are cut.

#![allow(clippy::unwrap_used, clippy::panic)]

mod reader_support;

use reader_support::{events, read};

fn check(document: &str, expected: &[&str]) {
    let found = events(document);
    assert_eq!(found.lines().collect::<Vec<_>>(), expected, "{document}");
}

#[test]
fn elements_and_text() {
    check("<a/>", &["<a>", "</>"]);
    check("<a></a>", &["<a>", "</>"]);
    check("<a ></a\n>", &["<a>", "</>"]);
    check("<a>x<b>y</b>z</a>", &["<a>", "\"x\"", "<b>", "\"y\"", "</>", "\"z\"", "</>"]);
    check("<a>\n <b/>\n</a>", &["<a>", "\"\\n \"", "<b>", "</>", "\"\\n\"", "</>"]);
    check(
        "<a-name.longer-than-16.bytes><another-long-element-name/></a-name.longer-than-16.bytes>",
        &["<a-name.longer-than-16.bytes>", "<another-long-element-name>", "</>", "</>"],
    );
    check("<é>é€😀</é>", &["<é>", "\"é€😀\"", "</>"]);
}

#[test]
fn names_that_share_ends_are_told_apart() {
    let names = ["ab", "abc", "abcdefgh", "abcdefghi", "abcdefgX-abcdefgh", "abcdefgX.abcdefgh"];
    for name in names {
        for other in names {
            let document = format!("<{name}><{other} {name}='1' {other}_='2'/></{name}>");
            let expected = format!("<{name}>\n<{other} {name}=\"1\" {other}_=\"2\">\n</>\n</>\n");
            assert_eq!(events(&document), expected);
        }
    }
}

#[test]
fn references_and_line_ends_in_text() {
    check("<a>&lt;&amp;&gt;&quot;&apos;&#65;&#x1F600;</a>", &["<a>", "\"<&>\\\"'A😀\"", "</>"]);
    check("<a>one\r\ntwo\rthree\n&#13;</a>", &["<a>", "\"one\\ntwo\\nthree\\n\\r\"", "</>"]);
    check("<a>]] ]&gt; ]]&gt;]</a>", &["<a>", "\"]] ]> ]]>]\"", "</>"]);
}

#[test]
fn a_cdata_section_continues_a_text_node() {
    check("<a>x<![CDATA[<y>&amp;]]]]>z</a>", &["<a>", "\"x<y>&amp;]]z\"", "</>"]);
    check("<a><![CDATA[]]></a>", &["<a>", "</>"]);
    check("<a><![CDATA[]]>x<![CDATA[\r\n]]></a>", &["<a>", "\"x\\n\"", "</>"]);
    check("<a><![CDATA[1]]><![CDATA[2]]><b/></a>", &["<a>", "\"12\"", "<b>", "</>", "</>"]);
}

#[test]
fn a_text_piece_of_a_section_begins_with_its_markup() {
    let trace = read("<a>x<![CDATA[y]]></a>").unwrap();
    assert_eq!(trace.expanded(), "<a>x<![CDATA[y]]></a>");
}

#[test]
fn comments_and_instructions_end_text() {
    check("<a>x<!--c-->y<?t d e?>z</a>", &["<a>", "\"x\"", "comment \"c\"", "\"y\"", "pi t \"d e\"", "\"z\"", "</>"]);
    check(
        "<?p?><!----><a/><!-- - --><?q  r ?>\n",
        &["pi p \"\"", "comment \"\"", "<a>", "</>", "comment \" - \"", "pi q \"r \""],
    );
    check("<a><?t ??></a>", &["<a>", "pi t \"?\"", "</>"]);
    check("<a><!-- > <b> ]]> & --></a>", &["<a>", "comment \" > <b> ]]> & \"", "</>"]);
}

#[test]
fn attributes() {
    check("<a b='1' c=\"2\"/>", &["<a b=\"1\" c=\"2\">", "</>"]);
    check("<a b = '>' c\n=\n\"'\" />", &["<a b=\">\" c=\"'\">", "</>"]);
    check("<a b='x\ty\r\nz&#10;&lt;&amp;'/>", &["<a b=\"x y z\\n<&\">", "</>"]);
    check("<a b=''/>", &["<a b=\"\">", "</>"]);
    check("<a xml:lang='de'/>", &["<a xml:lang{http://www.w3.org/XML/1998/namespace}=\"de\">", "</>"]);
}

#[test]
fn namespaces() {
    check("<a xmlns='u'><b/></a>", &["<a{u} [=u]>", "<b{u} [=u]>", "</>", "</>"]);
    check(
        "<p:a p:x='1' x='2' xmlns:p='u'><p:b/></p:a>",
        &["<p:a{u} p:x{u}=\"1\" x=\"2\" [p=u]>", "<p:b{u} [p=u]>", "</>", "</>"],
    );
    check(
        "<a xmlns='u'><b xmlns=''><c/></b><d/></a>",
        &["<a{u} [=u]>", "<b>", "<c>", "</>", "</>", "<d{u} [=u]>", "</>", "</>"],
    );
    check(
        "<p:a xmlns:p='u'><p:a xmlns:p='v'/><p:a/></p:a>",
        &["<p:a{u} [p=u]>", "<p:a{v} [p=v]>", "</>", "<p:a{u} [p=u]>", "</>", "</>"],
    );
    check("<a xmlns:p='u&amp;v'/>", &["<a [p=u&v]>", "</>"]);
    check("<a xmlns:xml='http://www.w3.org/XML/1998/namespace'/>", &["<a>", "</>"]);
}

#[test]
fn the_declaration_and_the_doctype_are_no_events() {
    check("<?xml version='1.0' encoding='utf-8' standalone='yes' ?>\n<a/>", &["<a>", "</>"]);
    check("<!DOCTYPE a><a/>", &["<a>", "</>"]);
    check(
        "<!DOCTYPE a PUBLIC '-//x' \"s'>[\" [ <!ELEMENT a (#PCDATA)> <!-- ]> --> <?p ]> ?> %e; ] ><a/>",
        &["<a>", "</>"],
    );
}

#[test]
fn offsets_cut_elements_out_of_the_source() {
    let trace = read("<?xml version='1.0'?><a> <b x='1'>t</b><c/> </a><!--e-->").unwrap();
    assert_eq!(trace.element(0), "<a> <b x='1'>t</b><c/> </a>");
    assert_eq!(trace.element(1), "<b x='1'>t</b>");
    assert_eq!(trace.element(2), "<c/>");
}

#[test]
fn a_long_document_is_let_go_in_order() {
    let item = "<item id='7'>some text &amp; more<![CDATA[ <cdata> ]]><!-- c --></item>\r\n";
    let document = format!("<list>{}</list>", item.repeat(5_000));
    let trace = read(&document).unwrap();
    assert_eq!(trace.expanded(), document);
    assert_eq!(trace.elements.len(), 5_001);
    assert_eq!(trace.element(5_000), item.trim_end());
}
