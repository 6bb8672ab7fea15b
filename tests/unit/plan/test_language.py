"""Which language a query is taken for."""

from __future__ import annotations

import pytest

from penstock import QueryError, UnsupportedError
from penstock.plan.language import XPathQuery, XQueryQuery, read_query

XPATH = [
    "//a",
    "//a[b = 1]/c",
    "count(//a)",
    "some $x in //a satisfies $x = 1",
    "if (//a) then 1 else 2",
    "//a/count()",
]
XQUERY = [
    "for $x in //a return $x",
    "<a/>",
    "//a[b eq 1]",
    "(1, 2)",
    "1 to 3",
    "declare namespace p = 'u'; //p:a",
    "xquery version '3.1'; //a",
    "xquery (: which one? :) version '3.1'; //a",
    "//a/string()",
    "string-join(//a, ',')",
    "'a' || 'b'",
    "()",
]


@pytest.mark.parametrize("query", XPATH)
def test_what_can_be_read_as_xpath_is_xpath(query: str) -> None:
    assert isinstance(read_query(query, {}), XPathQuery)


@pytest.mark.parametrize("query", XQUERY)
def test_the_rest_is_xquery(query: str) -> None:
    assert isinstance(read_query(query, {}), XQueryQuery)
    with pytest.raises(UnsupportedError):
        read_query(query, {}, "xpath")


def test_the_parameter_settles_it() -> None:
    assert isinstance(read_query("count(//a)", {}, "xquery"), XQueryQuery)
    assert isinstance(read_query("count(//a)", {}, "xpath"), XPathQuery)


@pytest.mark.parametrize(
    ("query", "code", "column"),
    [
        ("//a[", "XPST0003", 5),
        ("//a[b lt", "XPST0003", 9),
        ("//p:a", "XPST0081", 1),
        ("count(1)", "XPTY0004", 1),
        ("for $x in //a", "XPST0003", 14),
        ("for $x in //a return $y", "XPST0008", 22),
        ("for $x in stream('s')//a, $y in stream('t')//a return $x", "PNST0003", 33),
        ("for $x in collection('s')//a return $x", "PNST0004", 11),
        ("frobnicate(//a)", "XPST0017", 1),
    ],
)
def test_the_error_is_of_the_language_that_reads_further(query: str, code: str, column: int) -> None:
    with pytest.raises(QueryError) as caught:
        read_query(query, {})
    assert caught.value.code == code
    if column > 1:
        assert caught.value.column == column
