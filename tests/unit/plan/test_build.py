"""Names, calls, types and rewriting on the way to the normal form."""

import pytest

from penstock.errors import QueryError, UnsupportedError
from penstock.plan import normal
from penstock.plan.build import build
from penstock.plan.language import read_query
from penstock.plan.text import query_text
from penstock.syntax.xpath import parse

NAMESPACES = {"": "urn:d", "p": "urn:p", "atom": "urn:atom", "fn": "http://www.w3.org/2005/xpath-functions"}

NORMALISED = [
    # context defaults
    ("string()", "string(.)"),
    ("name() = 'a'", "name(.) = 'a'"),
    ("normalize-space() = string-length()", "normalize-space(.) = string-length(.)"),
    ("a[number() > position()]", "a[number(.) > position()]"),
    ("last()", "last()"),
    ("lang('en')", "lang('en')"),
    # self::node()
    (".", "."),
    ("./.", "."),
    ("./a", "a"),
    ("a/.", "a"),
    ("a/./b", "a/b"),
    ("/.", "/"),
    ("/./a", "/a"),
    ("self::node()[1]/a", "self::node()[1]/a"),
    ("(a | b)/.", "a | b"),
    # fusing of //
    ("//a", "/descendant::a"),
    (".//a[b]", "descendant::a[b]"),
    ("//a//b", "/descendant::a/descendant::b"),
    ("//a[1]", "//a[1]"),
    ("//a[b][last()]", "//a[b][last()]"),
    ("//a[position() = 1]", "//a[position() = 1]"),
    ("//a[count(b)]", "//a[count(b)]"),
    ("//a[if (b) then 1 else c]", "//a[if (b) then 1 else c]"),
    ("//a[b[1]]", "/descendant::a[b[1]]"),
    ("//a[b[last()] = 'x']", "/descendant::a[b[last()] = 'x']"),
    ("//a[not(position() = 2)]", "//a[not(position() = 2)]"),
    ("//a[(b)[1]]", "/descendant::a[(b)[1]]"),
    ("//self::a", "/descendant-or-self::a"),
    ("//descendant::a", "/descendant::a"),
    ("//.//a", "/descendant::a"),
    ("//@id", "//@id"),
    ("//.", "/descendant-or-self::node()"),
    ("//..", "//.."),
    ("a//text()", "a/descendant::text()"),
    ("descendant-or-self::node()[x]/a", "descendant-or-self::node()[x]/a"),
    # paths and filters
    ("(a/b)/c[1]", "a/b/c[1]"),
    ("(/)/a", "/a"),
    ("(//a)[1]", "(/descendant::a)[1]"),
    ("(//a)[1]/b", "(/descendant::a)[1]/b"),
    ("(//a)[b]", "/descendant::a[b]"),
    ("(//a)[b][1][c]", "(/descendant::a[b])[1][c]"),
    ("((a)[1])[2]", "(a)[1][2]"),
    ("(a | b)[c]", "(a | b)[c]"),
    ("(a)[b]/c", "a[b]/c"),
    # flattening
    ("a or (b or c)", "a or b or c"),
    ("(a and b) and c", "a and b and c"),
    ("a | (b | c)", "a | b | c"),
    ("a and (b or c)", "a and (b or c)"),
    # boolean() where only the truth is asked
    ("a[boolean(b)]", "a[b]"),
    ("a[exists(b)]", "a[b]"),
    ("a[empty(b)]", "a[not(b)]"),
    ("exists(a)", "boolean(a)"),
    ("empty(a)", "not(a)"),
    ("a[boolean(1)]", "a[boolean(1)]"),
    ("boolean(1) and not(boolean(b))", "1 and not(b)"),
    ("if (boolean(a)) then 1 else 2", "if (a) then 1 else 2"),
    # sugar of the papers
    ("//a/count()", "count(/descendant::a)"),
    ("SPEECH[LINE contains 'love']", "SPEECH[LINE[contains(., 'love')]]"),
    ("//LINE contains 'love'", "boolean(/descendant::LINE[contains(., 'love')])"),
    ("(a)[1] contains /b", "boolean((a)[1][contains(., /b)])"),
    (". contains 'love'", "contains(., 'love')"),
    ("'abc' contains b", "contains('abc', b)"),
    ("-1", "-1"),
]


@pytest.mark.parametrize(("query", "text"), NORMALISED)
def test_normal_form(query: str, text: str) -> None:
    expr = build(parse(query), {})
    assert query_text(expr) == text
    # What is normal stays as it is.
    assert build(parse(text), {}) == expr


def test_infix_contains_keeps_the_context_of_its_right_side() -> None:
    expr = build(parse("a contains b"), {})
    assert isinstance(expr, normal.Quantified)
    assert not expr.every
    assert expr.domain == build(parse("a"), {})
    assert expr.satisfies == normal.Call("contains", (normal.Variable(expr.variable), build(parse("b"), {})))


@pytest.mark.parametrize(
    ("query", "uri", "local"),
    [
        ("a", "urn:d", "a"),
        ("p:a", "urn:p", "a"),
        ("p:*", "urn:p", None),
        ("*:a", None, "a"),
        ("*", None, None),
        ("Q{}a", "", "a"),
        ("Q{urn:q}a", "urn:q", "a"),
        ("@a", "", "a"),
        ("@p:a", "urn:p", "a"),
        ("@*", None, None),
        ("namespace::a", "", "a"),
        ("ancestor::a", "urn:d", "a"),
        ("@xml:lang", "http://www.w3.org/XML/1998/namespace", "lang"),
    ],
)
def test_names(query: str, uri: str | None, local: str | None) -> None:
    path = build(parse(query), NAMESPACES)
    assert isinstance(path, normal.Path)
    assert path.steps[0].test == normal.NameTest(uri, local)


def test_no_namespace_without_a_default() -> None:
    path = build(parse("a"), {})
    assert path == normal.Path(normal.Context(), (normal.Step("child", normal.NameTest("", "a")),))


def test_functions_may_have_their_prefix() -> None:
    assert build(parse("fn:count(a)"), NAMESPACES) == build(parse("count(a)"), NAMESPACES)


ERRORS = [
    ("p:a/q:b", "XPST0081", 5, None),
    ("@atmo:b", "XPST0081", 2, "'atom'"),
    ("foo:bar(1)", "XPST0081", 1, None),
    ("p:bar(1)", "XPST0017", 1, None),
    ("a[nomalize-space()]", "XPST0017", 3, "normalize-space()"),
    ("starts-whit(a, b)", "XPST0017", 1, "starts-with()"),
    ("frobnicate()", "XPST0017", 1, None),
    ("count()", "XPST0017", 1, None),
    ("contains(a)", "XPST0017", 1, None),
    ("concat('a')", "XPST0017", 1, None),
    ("position(1)", "XPST0017", 1, None),
    ("$x", "XPST0008", 1, None),
    ("some $item in a satisfies $itm = 1", "XPST0008", 27, "$item"),
    ("(some $x in a satisfies $x) and $x", "XPST0008", 33, None),
    ("some $x in $x satisfies 1", "XPST0008", 12, None),
    ("count(1)", "XPTY0004", 7, None),
    ("name('a')", "XPTY0004", 6, None),
    ("a | 1", "XPTY0004", 5, None),
    ("'a'[1]", "XPTY0004", 1, None),
    ("some $x in 1 satisfies $x", "XPTY0004", 12, None),
    ("sum(if (a) then b else 1)", "XPTY0004", 5, None),
    ("string(a)/b", "XPTY0019", 1, None),
    ("matches(a, '(')", "FORX0002", 12, None),
    ("matches(a, 'b', 'g')", "FORX0001", 17, None),
    ("matches(a, '(b)\\1')", "PNST0005", 12, None),
]


@pytest.mark.parametrize(("query", "code", "column", "suggestion"), ERRORS)
def test_errors(query: str, code: str, column: int, suggestion: str | None) -> None:
    with pytest.raises(QueryError) as caught:
        build(parse(query), NAMESPACES, query)
    error = caught.value
    assert (error.code, error.line, error.column, error.suggestion) == (code, 1, column, suggestion)


@pytest.mark.parametrize(
    "name", ["tokenize", "replace", "string-join", "distinct-values", "abs", "current-dateTime", "math:exp"]
)
def test_functions_of_later_standards_are_named(name: str) -> None:
    query = f"//a[{name}(b)]"
    with pytest.raises(UnsupportedError) as caught:
        build(parse(query), {}, query)
    assert (caught.value.code, caught.value.construct, caught.value.column) == ("PNST0004", f"the function {name}()", 5)


@pytest.mark.parametrize(
    ("query", "construct", "column"),
    [
        ("//a[contains(b, 'c', 'd')]", "a collation", 22),
        ("max(//a, 'd')", "a collation", 10),
        ("//a[some $x as xs:string in b satisfies $x]", "a type declaration", 13),
    ],
)
def test_constructs_of_later_standards_are_named(query: str, construct: str, column: int) -> None:
    for language in (None, "xpath", "xquery"):
        with pytest.raises(UnsupportedError) as caught:
            read_query(query, {}, language)
        assert (caught.value.code, caught.value.construct, caught.value.column) == ("PNST0003", construct, column)


def test_patterns_that_are_not_known_yet_or_not_patterns_are_left_alone() -> None:
    build(parse("matches(a, b)"), {})
    build(parse("matches(a, '(', 'q')"), {})
    build(parse("matches(a, '[ ] {2}', 'x')"), {})


def test_errors_without_the_text_still_have_a_span() -> None:
    with pytest.raises(QueryError) as caught:
        build(parse("a/p:b"), {})
    assert caught.value.span == (2, 5)
    assert caught.value.line is None
