"""Queries that name the stream whose documents they are about."""

from __future__ import annotations

import pytest

from penstock.errors import UnsupportedError
from penstock.plan.language import read_query

# What the same query is without a stream.
NAMED = {
    "stream('s')//a": "//a",
    "docType('s')/a/b": "/a/b",
    "doc('s')": "/",
    "document('s')//a[//b]": "//a[//b]",
    "count(stream('s')//a) > 1": "count(//a) > 1",
    "(stream('s')//a)[1]/b": "(//a)[1]/b",
    "some $x in stream('s')//a satisfies $x = '1'": "some $x in //a satisfies $x = '1'",
    "for $x in stream('s')//a return <r>{$x/b}</r>": "for $x in //a return <r>{$x/b}</r>",
    "for $x in stream('s')//a let $y := $x/b[c] return $y": "for $x in //a let $y := $x/b[c] return $y",
    "for $x in stream('s')//a[let $y := b return $y] return $x": "for $x in //a[let $y := b return $y] return $x",
    "<r>{for $x in stream('s')//a return $x/string()}</r>": "<r>{for $x in //a return $x/string()}</r>",
}


@pytest.mark.parametrize("query", NAMED)
def test_it_is_the_query_without_the_stream_for_documents_of_the_stream(query: str) -> None:
    for language in (None, "xquery"):
        named, plain = (read_query(text, {}, language) for text in (query, NAMED[query]))
        assert (named.expression, named.stream) == (plain.expression, "s")
        assert (named.language, plain.stream) == (plain.language, None)


@pytest.mark.parametrize(
    "query", ["//stream", "stream/doc", "//a[. = 'stream()']", "<doc>stream('s')</doc>", "document { 1 }"]
)
def test_the_words_alone_name_no_stream(query: str) -> None:
    assert read_query(query, {}).stream is None


REFUSED = {
    "for $x in stream('s')//a, $y in stream('s')//b return $x": ("a join of streams", 33),
    "stream('s')//a | doc('t')//a": ("a join of streams", 18),
    "//a[. = doc('s')//b]": ("a stream in a predicate or step", 9),
    "//a/stream('s')": ("a stream in a predicate or step", 5),
    "(1, 2) ! stream('s')": ("a stream in a predicate or step", 10),
    "let $x := stream('s')//a return $x": ("a stream in a 'let'", 11),
    "declare variable $x := stream('s')//a; $x": ("a stream in a 'let'", 24),
    "for $x in //a, $y in stream('s')//b return $x": ("a path of no stream beside one of a stream", 11),
    "a = stream('s')//b": ("a path of no stream beside one of a stream", 1),
    "for $x in stream('s')//a return .": ("a path of no stream beside one of a stream", 33),
    "stream(1)//a": ("a stream whose name is not a string", 1),
    "stream()//a": ("a stream whose name is not a string", 1),
    "stream('s', 't')//a": ("a stream whose name is not a string", 1),
}


@pytest.mark.parametrize(
    ("before", "after"),
    [("stream('s')" + "//a[" * 90 + "b", "]" * 90), ("(" * 190 + "stream('s')", ")" * 190 + "/a")],
)
def test_deep_queries(before: str, after: str) -> None:
    assert read_query(before + after, {}).stream == "s"


@pytest.mark.parametrize("query", REFUSED)
def test_where_it_would_not_be_the_only_source_it_is_refused(query: str) -> None:
    with pytest.raises(UnsupportedError) as caught:
        read_query(query, {})
    assert (caught.value.construct, caught.value.column) == REFUSED[query]
