"""What is said about queries that are not grammatical, and where."""

import pytest

from penstock.errors import QueryError, UnsupportedError
from penstock.syntax.xpath import parse

ERRORS = [
    # query, column, expected, found
    ("", 1, ("an expression",), "the end of the query"),
    ("//a[", 5, ("an expression",), "the end of the query"),
    ("//a[@x", 7, ("']'", "an operator"), "the end of the query"),
    ("//a]", 4, ("the end of the query", "an operator"), "']'"),
    ("//", 3, ("a name", "'*'", "a node test"), "the end of the query"),
    ("a/", 3, ("a name", "'*'", "a node test"), "the end of the query"),
    ("///a", 3, ("a name", "'*'", "a node test"), "'/'"),
    ("a b", 3, ("the end of the query", "an operator"), "the name 'b'"),
    ("a- b", 4, ("the end of the query", "an operator"), "the name 'b'"),
    ("a 5", 3, ("the end of the query", "an operator"), "the number 5"),
    ("a = ", 5, ("an expression",), "the end of the query"),
    ("a | -b", 5, ("an expression",), "'-'"),
    ("(a", 3, ("')'", "an operator"), "the end of the query"),
    ("count(a", 8, ("')'", "','", "an operator"), "the end of the query"),
    ("count(a,)", 9, ("an expression",), "')'"),
    ("@", 2, ("a name", "'*'", "a node test"), "the end of the query"),
    ("$1", 2, ("a variable's name",), "the number 1"),
    ("text(1)", 6, ("')'",), "the number 1"),
    ("processing-instruction(x)", 24, ("')'", "a string"), "the name 'x'"),
    ("if (a) b", 8, ("'then'",), "the name 'b'"),
    ("if (a) then b", 14, ("'else'", "an operator"), "the end of the query"),
    ("some $x on a satisfies b", 9, ("'in'",), "the name 'on'"),
    ("some $x in a", 13, ("'satisfies'", "','", "an operator"), "the end of the query"),
    ("'abc", 1, ('"\'"',), "'"),
    ("a (: b", 3, ("':)'",), "(:"),
    ("a & b", 3, (), "&"),
    ("a\x00b", 2, (), "\x00"),
]


@pytest.mark.parametrize(("query", "column", "expected", "found"), ERRORS)
def test_expected_and_found(query: str, column: int, expected: tuple[str, ...], found: str) -> None:
    with pytest.raises(QueryError) as caught:
        parse(query)
    error = caught.value
    assert (error.code, error.line, error.column) == ("XPST0003", 1, column)
    assert (error.expected, error.found) == (expected, found)
    assert not isinstance(error, UnsupportedError)


@pytest.mark.parametrize(
    ("query", "suggestion"),
    [
        ("//a/chld::b", "'child'"),
        ("acnestor::b", "'ancestor'"),
        ("following-siblings::b", "'following-sibling'"),
        ("LINE contians 'love'", "'contains'"),
        (".[a]", "'self::node()[...]'"),
        ("a/..[b]", "'parent::node()[...]'"),
        ("a eq b", "'='"),
    ],
)
def test_suggestions(query: str, suggestion: str) -> None:
    with pytest.raises(QueryError, match="did you mean") as caught:
        parse(query)
    assert caught.value.suggestion == suggestion


def test_message_shows_the_line_with_a_caret() -> None:
    with pytest.raises(QueryError) as caught:
        parse("//book\n  [price >> 10]\n/title")
    assert str(caught.value) == (
        "PNST0003 at line 2, column 10: the node comparison '>>' is not supported\n    [price >> 10]\n           ^^"
    )


def test_caret_of_an_error_at_the_end() -> None:
    with pytest.raises(QueryError) as caught:
        parse("//a[b")
    assert str(caught.value).splitlines()[1:] == ["  //a[b", "       ^"]


def test_long_lines_are_cut_around_the_caret() -> None:
    with pytest.raises(QueryError) as caught:
        parse("a/" * 500 + "+" + "/a" * 500)
    line, carets = str(caught.value).splitlines()[1:]
    assert len(line) < 120
    assert line[carets.index("^")] == "+"
    assert caught.value.column == 1001


UNSUPPORTED = [
    ("for $x in a return $x", "a 'for' expression", 1),
    ("let $x := a return $x", "a 'let' expression", 1),
    ("some $y in for $x in a return $x satisfies b", "a 'for' expression", 12),
    ("(1, 2)", "a sequence of expressions", 3),
    ("a, b", "a sequence of expressions", 2),
    ("()", "an empty sequence", 1),
    ("1 to 5", "the range operator 'to'", 3),
    ("a eq b", "the value comparison 'eq'", 3),
    ("a[b ne c]", "the value comparison 'ne'", 5),
    ("a lt b", "the value comparison 'lt'", 3),
    ("a le b", "the value comparison 'le'", 3),
    ("a gt b", "the value comparison 'gt'", 3),
    ("a ge b", "the value comparison 'ge'", 3),
    ("a is b", "the node comparison 'is'", 3),
    ("a << b", "the node comparison '<<'", 3),
    ("a idiv b", "the operator 'idiv'", 3),
    ("a union b", "the operator 'union'", 3),
    ("a intersect b", "the operator 'intersect'", 3),
    ("a except b", "the operator 'except'", 3),
    ("a instance of xs:string", "the type test 'instance of'", 3),
    ("a treat as item()", "the type assertion 'treat as'", 3),
    ("a castable as xs:date", "the type test 'castable as'", 3),
    ("a cast as xs:date", "the conversion 'cast as'", 3),
    ("a || b", "the concatenation operator '||'", 3),
    ("a ! b", "the map operator '!'", 3),
    ("a => count()", "the arrow operator '=>'", 3),
    ("$x?name", "the lookup operator '?'", 3),
    ("count#1", "a named function reference", 6),
    ("$f(1)", "a dynamic function call", 3),
    ("+1", "unary plus", 1),
    ("[1, 2]", "an array constructor", 1),
    ("array { 1 }", "an array constructor", 1),
    ("map { 'a' : 1 }", "a map constructor", 1),
    ("function($x) { $x }", "an inline function", 1),
    ("switch (a) case 1 return 2 default return 3", "a 'switch' expression", 1),
    ("typeswitch (a) default return 3", "a 'typeswitch' expression", 1),
    ("try { a } catch * { b }", "a 'try' expression", 1),
    ("<a>{//b}</a>", "an element constructor", 1),
    ("element a { //b }", "an element constructor", 1),
    ("text { 'a' }", "a text constructor", 1),
    ("declare namespace p = 'urn:p'; p:a", "a prolog declaration", 1),
    ("import module namespace p = 'urn:p'; p:a", "an import", 1),
    ("a/element(b)", "the node test element()", 3),
    ("document-node()", "the node test document-node()", 1),
    ("a/string()", "a function call as a step", 3),
    ("a/p:f()", "a function call as a step", 3),
    ("a//count()", "a function call as a step", 4),
    ("a/count(b)", "a function call as a step", 3),
    ("a/(b | c)", "an expression as a step", 3),
    ("a/'b'", "an expression as a step", 3),
    ("$p:x", "a variable name with a namespace", 2),
]


@pytest.mark.parametrize(("query", "construct", "column"), UNSUPPORTED)
def test_unsupported_constructs_are_named(query: str, construct: str, column: int) -> None:
    with pytest.raises(UnsupportedError) as caught:
        parse(query)
    error = caught.value
    assert (error.code, error.construct, error.column) == ("PNST0003", construct, column)
    assert construct in str(error)
