"""Tests of an element's text, wherever the text comes from and however the document is cut."""

from __future__ import annotations

import pytest

import penstock

DOCTYPE = "<!DOCTYPE a [<!ENTITY e 'crown'><!ENTITY s '<i>cr</i>own'>]>"
LINES = {
    "plain": ("<l>the crown</l>", True),
    "none": ("<l>the clown</l>", False),
    "empty": ("<l/>", False),
    "in the markup only": ("<l crown='crown'><!--crown--></l>", False),
    "across a child": ("<l>cr<i>ow</i>n</l>", True),
    "across a comment": ("<l>cro<!-- -->wn</l>", True),
    "CDATA": ("<l>cro<![CDATA[wn]]></l>", True),
    "character reference": ("<l>c&#114;own</l>", True),
    "entity": ("<l>&e;</l>", True),
    "entity with markup": ("<l>&s;</l>", True),
    "across the end tag": ("<l>cro</l>wn", False),
    "behind the element": ("<l>x</l>crown", False),
}


def document(line: str) -> bytes:
    """Other lines around it: what was searched for them must not answer for this one."""
    return f"{DOCTYPE}<a><p><l>crow</l>{line}<l>rown</l></p><p><l>c</l></p></a>".encode()


@pytest.mark.parametrize("name", LINES)
@pytest.mark.parametrize("size", [1, 7, 1000])
@pytest.mark.parametrize("query", ["count(//p[l[contains(., 'crown')]])", "count(//l[contains(., 'crown')]/..)"])
def test_contains_sees_the_whole_text(name: str, size: int, query: str) -> None:
    line, found = LINES[name]
    broker = penstock.Broker(mode="FAILFAST")
    broker.subscribe("q", query)
    feed = broker.open()
    xml = document(line)
    for start in range(0, len(xml), size):
        feed.write(xml[start : start + size])
    assert [delivery.fragment for delivery in feed.close()] == ["1" if found else "0"]


@pytest.mark.parametrize("query", ["/a = 'x'", "boolean(/a[contains(., 'x')])", "boolean(/a[. = 'x' or b])"])
def test_value_of_the_document_element(query: str) -> None:
    assert penstock.evaluate(query, "<a>x</a>") == ["true"]
    assert penstock.evaluate(query, "<a>y</a>") == ["false"]


def test_nested_results_that_outlive_the_window() -> None:
    inner = "<b>" + "x" * 300_000 + "</b>"
    outer = f"<b k='1'>{inner}<c/></b>"
    broker = penstock.Broker(mode="FAILFAST")
    broker.subscribe("all", "//b")
    broker.subscribe("some", "//b[c]")
    feed = broker.open()
    xml = f"<a>{outer}</a>".encode()
    found = [one for start in range(0, len(xml), 4096) for one in feed.write(xml[start : start + 4096])]
    found += feed.close()
    assert {(one.subscription, one.fragment) for one in found} == {("all", inner), ("all", outer), ("some", outer)}
