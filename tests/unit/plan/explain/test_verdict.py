"""Which queries stream, which wait for an element's end, which for the document's."""

from __future__ import annotations

import pytest

from penstock.plan.build import build
from penstock.plan.explain.describe import describe
from penstock.plan.explain.view import QueryView
from penstock.plan.lower import evaluated, lower
from penstock.rules import rewrite
from penstock.syntax.xpath import parse


def view(query: str, *, running: bool = False) -> QueryView:
    return describe("q", query, lower(rewrite(build(parse(query), {}, query)), running=running))


@pytest.mark.parametrize(
    ("query", "because"),
    [
        ("//a", "memory is bounded by one a"),
        ("//a | //b", "memory is bounded by one a or b"),
        ("//a[b]", "memory is bounded by one a"),
        ("//a[@x]/@y", "each result leaves as soon as it is read"),
        ("//a/text()", "each result leaves as soon as it is read"),
        ("//a[preceding::b]", "memory is bounded by one a"),
        ("//a[b]/following::c", "memory is bounded by one c"),
        ("count(//a)", "only the number so far is held"),
        ("boolean(//a[b])", "nothing of the document is held"),
    ],
)
def test_streams(query: str, because: str) -> None:
    found = view(query)
    assert (found.verdict, found.because) == ("streams", because)


@pytest.mark.parametrize(
    ("query", "element"),
    [
        ("//a[b]/c", "a"),
        ("//a[b]//c/d", "a"),
        ("//a[b]/c[d]/e", "a"),
        ("//x/a[last()]", "x"),
        ("//a[ancestor::b[c]]", "b"),
        ("//a[count(.//b) > 1]", "a"),
        ("//a/b[last() - 1]", "a"),
        ("boolean(//a[count(.//b) > 1])", "a"),
        ("sum(//a[b]/c)", "a"),
    ],
)
def test_waits_for_an_element(query: str, element: str) -> None:
    found = view(query)
    assert found.verdict == "element"
    assert found.because.endswith(f"memory is bounded by one {element}")


@pytest.mark.parametrize(
    ("query", "because"),
    [
        ("//b[preceding::a/@id = @ref]", "a comparison of two computed values"),
        ("(//a[b])[1]", "the nodes and the source of the whole document are held"),
        ("string(//a)", "its value is computed from the whole document"),
        ("//a[following::b]", "[following::b]"),
        ("//a[c and //b]", "[//b]"),
        ("/feed[x]/entry", "the end of feed, the document element, because of [x]"),
        ("/feed/entry[last()]", "because of [following-sibling::entry]"),
        ("/*", "a result is the document element"),
        ("//*", "a result is the document element"),
        ("/feed | //a[b]/c", "a result is the document element"),
        ("count(//a[b]) > 2", "a count of nodes that are not certain at their start tag"),
        ("boolean(//a[following::b])", "[following::b]"),
    ],
)
def test_waits_for_the_document(query: str, because: str) -> None:
    found = view(query)
    assert found.verdict == "document"
    assert because in found.because


def test_a_reason_is_given_for_all_that_is_evaluated() -> None:
    (path,) = view("//a[count(.//b) > 2]/c").paths
    (condition,) = path.steps[1].conditions
    assert (condition.by, condition.reason, condition.latest.moment) == ("evaluator", "a count", "end")
    (path,) = view("//a/b[last() - 1]").paths
    assert path.rest is not None
    assert path.rest.reason == "a position that depends on what comes later"


def test_the_evaluator_alone_holds_the_document() -> None:
    program = evaluated(build(parse("//a"), {}))
    assert describe("q", "//a", program).verdict == "document"


def test_what_is_held() -> None:
    assert view("//a/@x").holds == ()
    assert view("//a[b]/@x").holds == ("each @x until it is delivered or dropped",)
    assert view("count(//a[b]/c)").holds == ("a mark for each c that is undecided", "one number")
    assert view("sum(//a)").holds == (
        "the text of each a while it is open",
        "one number, and those that come while one before them is undecided",
    )
    assert view("string(//a)").holds == ("the nodes of the whole document",)
