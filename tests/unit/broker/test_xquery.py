"""Subscriptions in XQuery: what is delivered, and what is not."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

import penstock
from penstock import Broker, DocumentError, QueryError, UnsupportedError

BOOKS = (
    '<bib><book id="1"><title>Tea &amp; time</title><price>20</price></book>'
    '<book id="2"><title>Rivers</title><price>9</price></book></bib>'
)
TITLES = "for $b in //book order by $b/title return <t id='{$b/@id}'>{$b/title/text()}</t>"


def delivered(query: str, xml: str = BOOKS, **parameters: object) -> list[tuple[str, str]]:
    broker = Broker()
    broker.subscribe("q", query, **parameters)
    return [(found.kind, found.fragment) for found in broker.publish(xml)]


def test_one_delivery_an_item_in_the_order_of_the_query() -> None:
    assert delivered(TITLES) == [("element", '<t id="2">Rivers</t>'), ("element", '<t id="1">Tea &amp; time</t>')]


def test_one_delivery_a_document() -> None:
    assert delivered(TITLES, deliver="document") == [("document", '<t id="2">Rivers</t><t id="1">Tea &amp; time</t>')]


def test_sequence_numbers_grow_and_ids_are_stable() -> None:
    broker = Broker()
    assert broker.subscribe("q", TITLES).language == "xquery"
    first, second = broker.publish(BOOKS, id="d")
    assert first.sequence < second.sequence
    assert [one.match_id for one in broker.publish(BOOKS, id="d")] == [first.match_id, second.match_id]


@pytest.mark.parametrize(
    ("query", "kinds"),
    [
        ("//book[1]/@id, //title/text(), 1, 'x', true()", ["attribute", "text", "text", "atomic", "atomic", "atomic"]),
        ("comment {'c'}, processing-instruction p {'d'}", ["comment", "pi"]),
        ("1, /, document {<a/>}", ["atomic", "document", "document"]),
    ],
)
def test_kinds(query: str, kinds: list[str]) -> None:
    assert [kind for kind, _ in delivered(query, language="xquery")] == kinds


def test_the_document_itself_is_delivered_whole() -> None:
    assert delivered("(1, /)", f"<?xml version='1.0'?>{BOOKS}") == [("atomic", "1"), ("document", BOOKS)]


@pytest.mark.parametrize("query", ["//a eq 'x'", "false()", "''", "()", "//a/text()", "if (//a) then 'x' else ''"])
def test_what_says_nothing_is_not_delivered(query: str) -> None:
    assert delivered(query, language="xquery") == []


def test_it_is_delivered_to_those_who_ask_for_it() -> None:
    assert delivered("false()", language="xquery", deliver_empty=True) == [("atomic", "false")]
    assert delivered("'false'", language="xquery") == [("atomic", "false")]
    assert delivered("(false(), '')", language="xquery") == [("atomic", "false"), ("atomic", "")]


BARREN = [
    "<r>{for $a in //a return $a}</r>",
    "<r><s>{for $a in //a return $a}</s>{1}</r>",
    "element r {for $a in //a return $a}",
    "let $x := 1 return <r n='{$x}'>{for $a in //a return $a}</r>",
    "if (//book) then <r>{for $a in //a return $a}</r> else ()",
    "<r>{count(for $a in //a return $a)}</r>",
    "<r a='{for $a in //a return 1}'/>",
]


@pytest.mark.parametrize("query", BARREN)
def test_a_constructor_around_flwors_that_give_nothing_is_not_delivered(query: str) -> None:
    assert delivered(query) == []
    assert len(delivered(query, deliver_empty=True)) == 1
    assert len(penstock.evaluate(query, BOOKS)) == 1
    assert len(delivered(query, "<bib><book/><a/></bib>")) == 1


def test_a_constructor_without_flwors_is_always_delivered() -> None:
    assert delivered("<r>{//a}</r>") == [("element", "<r/>")]


def test_each_constructor_answers_for_itself() -> None:
    query = "<r>{for $a in //a return $a}</r>, <s>{for $b in //book return $b/@id/string()}</s>"
    assert delivered(query) == [("element", "<s>1 2</s>")]
    assert delivered("for $b in //book return <r>{for $a in $b/a return $a}</r>") == [("element", "<r/>")] * 2


def test_an_error_costs_only_its_own_subscription() -> None:
    broker = Broker()
    broker.subscribe("one", "for $b in exactly-one(//book) return $b/title")
    broker.subscribe("all", "//book/@id")
    assert [found.fragment for found in broker.publish(BOOKS, id="two")] == ["1", "2"]
    (letter,) = broker.dead_letters
    assert (letter.document, letter.subscription, letter.error_class) == ("two", "one", "evaluation")
    assert letter.message.startswith("FORG0005: ")
    with pytest.raises(DocumentError, match="FORG0005"):
        penstock.evaluate("exactly-one(//book)", BOOKS)


def test_chunks_and_tables() -> None:
    broker = Broker()
    broker.subscribe("q", TITLES)
    with broker.open() as feed:
        assert [found for byte in BOOKS.encode() for found in feed.write(bytes([byte]))] == []
        assert [found.fragment for found in feed.close()] == ['<t id="2">Rivers</t>', '<t id="1">Tea &amp; time</t>']
    table = broker.publish_batch(pa.table({"xml": [BOOKS, "<x/>"]}))
    assert table["fragment"].to_pylist() == ['<t id="2">Rivers</t>', '<t id="1">Tea &amp; time</t>']
    assert broker.matches(BOOKS) == ["q"]


def test_namespaces_given_and_declared() -> None:
    document = '<p:a xmlns:p="urn:p"><p:b/></p:a>'
    assert delivered("<r>{//x:b}</r>", document, namespaces={"x": "urn:p"}) == [
        ("element", '<r><p:b xmlns:p="urn:p"/></r>')
    ]
    query = "declare namespace y = 'urn:p'; declare default element namespace 'urn:d'; <y:r><s/>{//y:b}</y:r>"
    assert delivered(query, document) == [
        ("element", '<y:r xmlns:y="urn:p"><s xmlns="urn:d"/><p:b xmlns:p="urn:p"/></y:r>')
    ]


def test_copied_elements_keep_their_bytes() -> None:
    document = "<a><b  x = '1'><![CDATA[<]]>&#65;<c></c></b></a>"
    assert delivered("<r>{/a/b}</r>", document) == [("element", "<r><b  x = '1'><![CDATA[<]]>&#65;<c></c></b></r>")]


def test_an_element_in_no_namespace_stays_there() -> None:
    assert delivered("<r xmlns='urn:r'>{//*:b}</r>", "<a><b><c/></b></a>") == [
        ("element", '<r xmlns="urn:r"><b xmlns=""><c/></b></r>')
    ]


def test_a_version_is_looked_at_in_each_query() -> None:
    broker = Broker()
    for number in range(3):
        broker.subscribe(f"{number}", f"xquery version '3.1'; for $b in //book where $b/@id = '{number}' return <b/>")
    with pytest.raises(UnsupportedError, match=r"version .3\.2. of XQuery") as caught:
        broker.subscribe("x", "xquery version '3.2'; for $b in //book where $b/@id = '1' return <b/>")
    assert (caught.value.code, caught.value.column) == ("XQST0031", 16)
    assert "^^^^^" in str(caught.value)


def test_options_and_parameters_of_joins() -> None:
    broker = Broker()
    with pytest.raises(UnsupportedError):
        broker.subscribe("q", "declare option penstock:window '5 minutes'; //a")
    with pytest.raises(QueryError) as unknown:
        broker.subscribe("q", "declare option penstock:speed 'high'; //a")
    assert unknown.value.code == "PNST0012"
    with pytest.raises(QueryError) as running:
        broker.subscribe("q", "count(for $a in //a return $a)", running=True)
    assert running.value.code == "PNST0007"


def test_a_store_keeps_the_language(tmp_path: Path) -> None:
    store = f"sqlite:///{tmp_path}/subscriptions.db"
    Broker(store=store).subscribe("n", "string(exactly-one(//title))", language="xquery")
    reader = Broker(store=store)
    assert reader.get("n").language == "xquery"
    assert reader.publish(BOOKS) == []
    assert reader.dead_letters[0].message.startswith("FORG0005")


def test_a_query_that_costs_too_much_fails_alone() -> None:
    doubling = " ".join(f"let $x{n} := <a>{{$x{n - 1}, $x{n - 1}}}</a>" for n in range(1, 60))
    costly = {
        "doubling": f"let $x0 := <a>text</a> {doubling} return $x59",
        "counting": "count(1 to 1000000000)",
        "growing": "string-join(for $a in 1 to 100000 return string-join(for $b in 1 to 100000 return 'long text'))",
        "nesting": "let $a0 := <a/> "
        + " ".join(f"let $a{n} := <a>{{$a{n - 1}}}</a>" for n in range(1, 1100))
        + " return $a1099",
    }
    broker = Broker(limits={"evaluation_steps": 10_000_000})
    broker.subscribe("fair", "//book/@id")
    for id, query in costly.items():
        broker.subscribe(id, query)
    assert [found.subscription for found in broker.publish(BOOKS)] == ["fair", "fair"]
    assert {letter.subscription for letter in broker.dead_letters} == set(costly)
    assert all("more steps than the limit allows" in letter.message for letter in broker.dead_letters)


def test_explain() -> None:
    broker = Broker()
    broker.subscribe("q", "for $b in //book return  <t>{$b/title}</t>")
    assert "in a feed for each binding at its end tag, else at the document's end" in broker.explain("q")
    broker.subscribe("s", "for $b in //book order by $b/title return  <t>{$b/title}</t>")
    text = broker.explain("s")
    assert "evaluator: for $b in //book order by $b/title return <t>{$b/title}</t>  -> result" in text
    assert "waits for the document's end" in text
    broker.subscribe("n", "count(for $b in //book return $b)")
    assert "the nodes of the whole document" in broker.explain("n")


def test_whole_numbers_of_any_length_are_compared() -> None:
    query = "for $b in //b where $b/n = 12345678901234567890 return <r>{12345678901234567890 + 1}</r>"
    document = "<a><b><n>12345678901234567890</n></b><b><n>1</n></b></a>"
    assert penstock.evaluate(query, document) == ["<r>12345678901234567891</r>"]
