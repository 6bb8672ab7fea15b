"""What `explain` says about delivery is what the engine does, event by event."""

from __future__ import annotations

import pytest

import penstock
from penstock.kernel.compile import compile_query
from penstock.plan.explain.describe import describe


@pytest.mark.parametrize(
    ("query", "said", "undecided", "decided"),
    [
        ("//a", "at its end tag", "<r><a>1</a", ">"),
        ("//a/@x", "at its element's start tag", "<r><a x='1'", ">"),
        ("//a/text()", "as soon as it is read", "<r><a>1", "</a>"),
        ("//a[not(b)]/c", "at the end of its parent a", "<r><a><c/></a", ">"),
        ("//a[count(.//b) > 1]/c", "at the end of its parent a", "<r><a><b/><c/><b/></a", ">"),
        ("//a[b]/c", "at its end tag at the earliest, at the end of its parent a at the latest", "<r><a><c/><b", "/>"),
        ("//a/b[last() - 1]", "at the end of the a it is found in", "<r><a><b/><b/></a", ">"),
        (
            "//a[ancestor::b[c]]",
            "at its end tag at the earliest, at the end of the enclosing b at the latest",
            "<b><a/><c",
            ">",
        ),
        ("//a[not(following-sibling::b)]", "at its parent's end", "<r><a/><c/></r", ">"),
        (
            "//a[following::b]",
            "at its end tag at the earliest, at the document's end at the latest",
            "<r><a/><c/><b",
            ">",
        ),
        ("//a[preceding-sibling::b]", "at its end tag", "<r><b/><a></a", ">"),
        ("count(//a)", "at the document's end", "<r><a/></r>", None),
        ("string(//a)", "at the document's end", "<r><a>1</a></r>", None),
        ("boolean(//a[b])", "true as soon as it is certain; false at the document's end", "<r><a><b", ">"),
        ("not(//a)", "false as soon as it is certain; true at the document's end", "<r><b/></r>", None),
    ],
)
def test_results_come_when_it_says(query: str, said: str, undecided: str, decided: str | None) -> None:
    assert describe("q", query, compile_query(query).program).delivered == said
    broker = penstock.Broker()
    broker.subscribe("q", query)
    feed = broker.open()
    assert feed.write(undecided) == []
    assert len(feed.close() if decided is None else feed.write(decided)) == 1


RECORD = "<x><r id='1'><a><b>1</b><b>2</b><c>3</c></a><d>4</d></r></x>"


@pytest.mark.parametrize(
    ("query", "verdict"),
    [
        ("//a", "streams"),
        ("//d/text()", "streams"),
        ("//r[@id = '1']//b", "streams"),
        ("//d[preceding::c]", "streams"),
        ("//a[z]", "streams"),
        ("count(//b)", "streams"),
        ("boolean(//z[y])", "streams"),
        ("//a[not(z)]/b", "element"),
        ("//r[count(.//b) = 2]/d", "element"),
        ("//a/b[last() - 1]", "element"),
        ("//a[../z]/c", "element"),
        ("//r/a[last()]", "element"),
        ("//a[following::z]/b", "document"),
        ("//a[//z]", "document"),
        ("/root[z]/x", "document"),
        ("/root", "document"),
        ("string(//z)", "document"),
        ("//c[preceding::b = .]", "document"),
        ("(//a)[last()]", "document"),
    ],
)
def test_memory_grows_only_where_it_says(query: str, verdict: str) -> None:
    assert describe("q", query, compile_query(query).program).verdict == verdict
    broker = penstock.Broker()
    broker.subscribe("q", query)
    feed = broker.open()
    feed.write("<root>" + 100 * RECORD)
    early = feed.buffered
    feed.write(900 * RECORD)
    late = feed.buffered
    assert late > 5 * early if verdict == "document" else late <= early + len(RECORD)
