"""Errors of XQuery queries: code, place and what they name."""

from __future__ import annotations

import pytest

from penstock.errors import QueryError, UnsupportedError
from penstock.plan.xquery.build import build
from penstock.syntax.xquery.prolog import parse

UNSUPPORTED = {
    "declare function local:f() { 1 }; local:f()": "a function declaration",
    "declare variable $x external; $x": "an external variable",
    "declare variable $x as xs:integer := 1; $x": "a type declaration",
    "declare copy-namespaces no-preserve, inherit; 1": "a copy-namespaces declaration",
    "declare construction strip; 1": "a construction declaration",
    "declare base-uri 'x'; 1": "a base URI declaration",
    "declare decimal-format f NaN = 'n'; 1": "a decimal format declaration",
    "declare context item := 1; .": "a context item declaration",
    "declare %private function f() { 1 }; 1": "an annotation",
    "declare default function namespace 'x'; 1": "a default function namespace",
    "declare default collation 'x'; 1": "a default collation",
    "declare option penstock:window '5 minutes'; 1": "the option penstock:window without a join",
    "xquery version '9.9'; 1": "version '9.9' of XQuery",
    "xquery version '3.1'; module namespace p = 'x';": "a library module",
    "module namespace p = 'x';": "a library module",
    "import schema 'x'; 1": "an import of a schema",
    "import module 'x'; 1": "an import of a module",
    "for sliding window $w in //a return $w": "a window clause",
    "for $x as element() in //a return $x": "a type declaration",
    "let $x as xs:integer := 1 return $x": "a type declaration",
    "for $x in //a order by $x collation 'c' return $x": "a collation",
    "some $x as xs:string in //a satisfies $x": "a type declaration",
    "every $x in //a, $y as item() in //b satisfies $x = $y": "a type declaration",
    "compare('a', 'b', 'http://c')": "a collation",
    "fn:contains('a', 'b', //c)": "a collation",
    "starts-with('a', 'b', 'c')": "a collation",
    "ends-with('a', 'b', 'c')": "a collation",
    "substring-before('a', 'b', 'c')": "a collation",
    "substring-after('a', 'b', 'c')": "a collation",
    "deep-equal(//a, //b, 'c')": "a collation",
    "index-of(//a, 'b', 'c')": "a collation",
    "distinct-values(//a, 'c')": "a collation",
    "min(//a, 'c')": "a collation",
    "max(//a, 'c')": "a collation",
    "math:sqrt(2)": "the function math:sqrt()",
    "map:size(//a)": "the function map:size()",
    "array:head(//a)": "the function array:head()",
    "declare namespace m = 'http://www.w3.org/2005/xpath-functions/math'; m:pi()": "the function m:pi()",
    "switch (1) case 1 return 2 default return 3": "a 'switch' expression",
    "typeswitch (1) case xs:integer return 2 default return 3": "a 'typeswitch' expression",
    "try { 1 } catch * { 2 }": "a 'try' expression",
    "validate { <a/> }": "a 'validate' expression",
    "function($x) { $x }": "an inline function",
    "count#1": "a named function reference",
    "(# p:x #) { 1 }": "an extension expression",
    "``[a `{1}` b]``": "a string constructor",
    "validate strict { <a/> }": "a 'validate' expression",
    "?a": "the lookup operator '?'",
    "//schema-element(a)": "the node test schema-element()",
    "item()": "the node test item()",
    "map { 'a': 1 }": "a map constructor",
    "array { 1 }": "an array constructor",
    "[1, 2]": "an array constructor",
    "1 instance of xs:integer": "the type test 'instance of'",
    "1 treat as xs:integer": "the type assertion 'treat as'",
    "//a => count()": "the arrow operator '=>'",
    "//a?b": "the lookup operator '?'",
    "$f(1)": "a dynamic function call",
    "namespace p { 'x' }": "a namespace constructor",
    "insert node <a/> into //b": "an update",
    "delete nodes //a": "an update",
    "self::document-node()": "the node test document-node()",
    "self::attribute()": "the node test attribute() on the self axis",
    "//element(a, xs:integer)": "a node test with a type",
    "//namespace::*": "the namespace axis in XQuery",
    "1 cast as xs:date": "the type date",
    "xs:dateTime('x')": "the type dateTime",
    "current-dateTime()": "the function current-dateTime()",
    "parse-json('1')": "the function parse-json()",
    "collection('news')//a": "the stream function collection()",
    "fn:doc('a.xml')//a": "the stream function doc()",
}


@pytest.mark.parametrize("query", UNSUPPORTED)
def test_what_is_not_supported_is_named(query: str) -> None:
    with pytest.raises(UnsupportedError) as caught:
        build(parse(query), {}, query)
    assert caught.value.construct == UNSUPPORTED[query]
    assert caught.value.line is not None


REFUSED = {
    "for $x in //a": ("XPST0003", 1, 14),
    "for $x in //a\nwhere $x return": ("XPST0003", 2, 16),
    "for $x //a return $x": ("XPST0003", 1, 8),
    "let $x = 1 return $x": ("XPST0003", 1, 8),
    "<a>": ("XPST0003", 1, 1),
    "<a></b>": ("XPST0003", 1, 4),
    "<a b=1/>": ("XPST0003", 1, 6),
    "<a b='<'/>": ("XPST0003", 1, 7),
    "<a b='1'c='2'/>": ("XPST0003", 1, 9),
    "<a>}</a>": ("XPST0003", 1, 4),
    "<a>{1</a>": ("XPST0003", 1, 9),
    "<a>&nbsp;</a>": ("XPST0003", 1, 4),
    "<a>&#0;</a>": ("XQST0090", 1, 4),
    "'a & b'": ("XPST0003", 1, 4),
    "<!-- a -- b -->": ("XPST0003", 1, 1),
    "<?xml a?>": ("XPST0003", 1, 1),
    "<a><![CDATA[x</a>": ("XPST0003", 1, 4),
    "1 = 2 = 3": ("XPST0003", 1, 7),
    "1 to 2 to 3": ("XPST0003", 1, 8),
    "(1, 2": ("XPST0003", 1, 6),
    "1,": ("XPST0003", 1, 3),
    "if (1) then 2": ("XPST0003", 1, 14),
    "some $x in 1": ("XPST0003", 1, 13),
    "xquery version 3.1; 1": ("XPST0003", 1, 16),
    "xquery version '3.1' 1": ("XPST0003", 1, 22),
    "xquery version '3.1' encoding ''; 1": ("XQST0087", 1, 31),
    "declare namespace p = ; 1": ("XPST0003", 1, 23),
    "declare namespace p = 'x' 1": ("XPST0003", 1, 27),
    "declare namespace p = 'x'; declare namespace p = 'y'; 1": ("XQST0033", 1, 28),
    "declare default element namespace 'x'; declare default element namespace 'y'; 1": ("XQST0066", 1, 40),
    "declare namespace xml = 'x'; 1": ("XQST0070", 1, 1),
    "declare variable $x := 1; declare variable $x := 2; $x": ("XQST0049", 1, 27),
    "declare variable $x := $y; declare variable $y := 2; $x": ("XPST0008", 1, 24),
    "<a xmlns:p='{1}'/>": ("XQST0022", 1, 4),
    "<a xmlns:p='x' xmlns:p='y'/>": ("XQST0071", 1, 16),
    "<a xmlns:p=''/>": ("XQST0085", 1, 4),
    "<a b='1' b='2'/>": ("XQST0040", 1, 10),
    "<p:a/>": ("XPST0081", 1, 2),
    "$x": ("XPST0008", 1, 1),
    "for $x in $x return 1": ("XPST0008", 1, 11),
    "for $x at $x in //a return 1": ("XQST0089", 1, 5),
    "for $x in //a group by $y return 1": ("XQST0094", 1, 24),
    "frobnicate(1)": ("XPST0017", 1, 1),
    "count(1, 2)": ("XPST0017", 1, 1),
    "contains(1, 2, 3, 4)": ("XPST0017", 1, 1),
    "maths:sqrt(2)": ("XPST0081", 1, 1),
    "//math:a": ("XPST0081", 1, 3),
    "declare namespace math = 'urn:own'; math:sqrt(2)": ("XPST0017", 1, 37),
    "xs:integer()": ("XPST0017", 1, 1),
    "matches('a', '[')": ("FORX0002", 1, 14),
    "replace('a', 'a', 'b', 'g')": ("FORX0001", 1, 24),
    "declare option penstock:colour 'red'; 1": ("PNST0012", 1, 1),
    "declare option q:x 'red'; 1": ("XPST0081", 1, 1),
    "attribute xmlns {1}": ("XQDY0044", 1, 11),
    "9" * 50: ("FOAR0002", 1, 1),
}


@pytest.mark.parametrize("query", REFUSED)
def test_what_is_wrong_is_shown_in_its_place(query: str) -> None:
    with pytest.raises(QueryError) as caught:
        build(parse(query), {}, query)
    assert not isinstance(caught.value, UnsupportedError)
    assert (caught.value.code, caught.value.line, caught.value.column) == REFUSED[query]
    assert "^" in str(caught.value)


def test_depth_is_limited() -> None:
    for query in ("(" * 300 + "1" + ")" * 300, "<a>" * 300 + "</a>" * 300, "<a>{" * 250 + "}</a>" * 250):
        with pytest.raises(QueryError) as caught:
            build(parse(query), {}, query)
        assert caught.value.code == "PNST0002"


def test_long_chains_are_limited_as_well() -> None:
    for query in ("1" + " + 1" * 5000, "-" * 5000 + "1", "1" + " ! 1" * 5000, "$x" + "/string()" * 5000):
        with pytest.raises(QueryError) as caught:
            build(parse(query), {}, query)
        assert caught.value.code == "PNST0002"
    parse("1" + " or 1" * 5000)


def test_length_is_limited() -> None:
    with pytest.raises(QueryError) as caught:
        parse("1" * 70_000)
    assert caught.value.code == "PNST0001"
