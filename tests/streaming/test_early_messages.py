"""Messages of FLWOR subscriptions leave a feed at the byte that makes their binding certain, in order of bindings."""

from __future__ import annotations

import pytest

import penstock
from streaming.marks import Moment, expected, moment, observed

FEED = '<f:feed xmlns:f="urn:f" xmlns="urn:d"><f:item xmlns:g="urn:g" g:k="1"><title>Tides</title></f:item></f:feed>'

MESSAGES = [
    moment("for $b in /a/b return <r>{$b/c}</r>", "<a><b><c>1</c></b>¦<b/>¦<x/></a>", "<r><c>1</c></r>", "<r/>"),
    moment(
        "for $b in /a/b where $b/c = 'x' return <r k='{$b/@k}' n='v'>{$b/d}</r>",
        "<a><b k='1'><c>x</c><d>1</d></b>¦<b><c>y</c></b><b k='2'><d>2</d><c>x</c></b>¦</a>",
        '<r k="1" n="v"><d>1</d></r>',
        '<r k="2" n="v"><d>2</d></r>',
    ),
    # A binding within another comes after it, although it ends before.
    moment(
        "for $b in //b return <r>{data($b/c)}</r>",
        "<a><b><c>1</c><b><c>2</c></b></b>¦<b><c>3</c></b>¦</a>",
        ("<r>1</r>", "<r>2</r>"),
        "<r>3</r>",
    ),
    # It waits only while it is undecided whether the outer one is a binding.
    moment(
        "for $b in //b[@k] return <r>{count($b//c)}</r>",
        "<a><b><b k='1'><c/></b>¦</b></a>",
        "<r>1</r>",
    ),
    moment("for $b in /a[x]/b return <r>{$b/c}</r>", "<a><b><c/></b><x>¦</x><b/>¦</a>", "<r><c/></r>", "<r/>"),
    # What an evaluator makes of a binding leaves as early as what is copied into a template.
    moment("for $b in /a/b return ($b/c, <n/>)", "<a><b><c/></b>¦<b/>¦</a>", ("<c/>", "<n/>"), "<n/>"),
    moment("for $b in /a/b return <r>{$b/@k}{$b/c[1]}</r>", "<a><b k='1'><c/><c/></b>¦</a>", '<r k="1"><c/></r>'),
    moment("for $b in /a/b, $c in $b/c return <r>{string($c/@k)}</r>", "<a><b><c k='1'/>¦</b></a>", "<r>1</r>"),
    moment(
        "for $b in /a/b let $c := $b/c where count($c) = 1 and not($b/d) return <r>{string-join($c, ',')}</r>",
        "<a><b><c>1</c></b>¦<b><c/><c/></b><b><c>2</c><d/></b></a>",
        "<r>1</r>",
    ),
    moment(
        "for $b in /a/b return <r>{if ($b/c) then for $d in $b/d order by $d return <e>{$d/text()}</e> else 1}</r>",
        "<a><b><c>x</c><d>2</d><d>1</d></b>¦<b/>¦</a>",
        "<r><e>1</e><e>2</e></r>",
        "<r>1</r>",
    ),
    # Bindings need not be elements.
    moment("for $t in //text() return <r/>", "<a>x&lt;<b¦/></a>", "<r/>"),
    moment(
        "for $t in /a/node() return <r>{$t}</r>",
        "<a>x&lt;<b¦/>¦<!--c-->¦<?p i?>¦</a>",
        "<r>x&lt;</r>",
        "<r><b/></r>",
        "<r><!--c--></r>",
        "<r><?p i?></r>",
    ),
    moment("for $k in //@k return <r>{data($k)}</r>", "<a><b k='1'/></a>∎", "<r>1</r>"),
    # What asks for more than the binding, or may fail, or gives one element for all, waits for the end.
    moment("for $b in /a/b return <r>{string($b/c)}</r>", "<a><b><c>1</c></b></a>∎", "<r>1</r>"),
    moment("for $b in /a/b return <r>{$b/c/@k}</r>", "<a><b><c k='1'/></b></a>∎", '<r k="1"/>'),
    moment("for $b in /a/b return <r>{$b/c}{$b/@k}</r>", "<a><b k='1'/></a>∎", '<r k="1"/>'),
    moment("for $b in /a/b return <r>{$b/c = 1}</r>", "<a><b><c>1</c></b></a>∎", "<r>true</r>"),
    moment("for $b in /a/b return string($b/@k)", "<a><b k='1'/><b k='2'/></a>∎", ("1", "2")),
    moment("for $b in /a/b return <r>{$b/../x}</r>", "<a><b/><x/></a>∎", "<r><x/></r>"),
    moment("for $b in /a/b return <r>{$b/c + 1}</r>", "<a><b><c>1</c></b></a>∎", "<r>2</r>"),
    moment("for $b in /a/b where $b/c > 0 return <r>{$b/c}</r>", "<a><b><c>1</c></b></a>∎", "<r><c>1</c></r>"),
    moment("for $b in /a/b order by $b/c return <r>{$b/c}</r>", "<a><b><c>1</c></b></a>∎", "<r><c>1</c></r>"),
    moment("<r>{for $b in /a/b return $b}</r>", "<a><b/></a>∎", "<r><b/></r>"),
]


@pytest.mark.parametrize("ordered", [False, True])
@pytest.mark.parametrize("row", MESSAGES, ids=lambda row: row.query)
def test_messages(row: Moment, ordered: bool) -> None:
    assert observed(row, ordered=ordered) == expected(row)


def test_a_path_is_a_query_too() -> None:
    row = moment("/a/b", "<a><b>1</b>¦<b/>¦</a>", "<b>1</b>", "<b/>")
    assert observed(row, language="xquery") == expected(row)


@pytest.mark.parametrize(
    "query",
    [
        "declare namespace f = 'urn:f'; for $i in //f:item return <r>{$i/*:title}</r>",
        "declare namespace f = 'urn:f'; for $i in //f:item return <f:r xmlns:h='urn:h'>{$i/*:title}</f:r>",
        "declare namespace g = 'urn:g'; for $i in //*:item return <r xmlns='urn:d' k='{$i/@g:k}'>{$i/*:title}</r>",
        "declare default element namespace 'urn:d'; for $i in //*:item return <r>{$i/title/text()}</r>",
    ],
)
def test_namespaces_are_those_of_the_whole_document(query: str) -> None:
    broker = penstock.Broker()
    broker.subscribe("query", query)
    (whole,) = broker.publish(FEED)
    feed = broker.open()
    (early,) = feed.write(FEED[: FEED.index("</f:feed>")])
    assert (early.fragment, early.kind, early.sequence) == (whole.fragment, whole.kind, whole.sequence)
    assert feed.close() == []


def test_types_of_the_document_type_declaration_are_known() -> None:
    document = '<!DOCTYPE a [<!ATTLIST b k NMTOKENS #IMPLIED>]><a><b k=" x  &#39;y "/></a>'
    broker = penstock.Broker()
    broker.subscribe("message", """for $b in //b where $b/@k = "x 'y" return <r k='{$b/@k}'/>""")
    broker.subscribe("element", "//b")
    feed = broker.open()
    chunked = [one for start in range(len(document)) for one in feed.write(document[start : start + 1])] + feed.close()
    for found in (broker.publish(document), chunked):
        assert {one.subscription: one.fragment for one in found} == {
            "message": """<r k="x 'y"/>""",
            "element": '<b k="x &apos;y"/>',
        }


def test_messages_are_numbered_and_joined() -> None:
    broker = penstock.Broker()
    broker.subscribe("items", "for $b in //b where $b/c return <r>{$b/c/text()}</r>")
    broker.subscribe("whole", "for $b in //b where $b/c return <r>{$b/c/text()}</r>", deliver="document")
    broker.subscribe("nodes", "//b")
    document = "<a><b><c>1</c></b><b/><b><c>2&amp;</c><b><c>3</c></b></b></a>"
    feed = broker.open(ordered=True)
    found = [one for start in range(len(document)) for one in feed.write(document[start : start + 1])] + feed.close()
    items = [(one.sequence, one.fragment) for one in found if one.subscription == "items"]
    assert items == [(1, "<r>1</r>"), (2, "<r>2&amp;</r>"), (3, "<r>3</r>")]
    assert [one.fragment for one in found if one.subscription == "whole"] == ["<r>1</r><r>2&amp;</r><r>3</r>"]
    assert len([one for one in found if one.subscription == "nodes"]) == 4


def test_memory_is_that_of_one_binding() -> None:
    broker = penstock.Broker()
    broker.subscribe("items", "for $b in /a/b where $b/c = '1' return <r>{$b/c}</r>")
    feed = broker.open()
    feed.write("<a>")
    for _ in range(1000):
        assert len(feed.write("<b><c>1</c><d>" + "x" * 100 + "</d></b>")) == 1
        assert feed.buffered < 10_000
    feed.write("</a>")
    assert feed.close() == []
