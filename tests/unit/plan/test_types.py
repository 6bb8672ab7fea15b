"""What is known of an expression without a document."""

import pytest

from penstock.plan.build import build
from penstock.plan.types import is_positional, type_of, uses_focus, uses_last, uses_position
from penstock.syntax.xpath import parse


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("a", "nodes"),
        (".", "nodes"),
        ("/", "nodes"),
        ("a | b", "nodes"),
        ("(a)[1]", "nodes"),
        ("id('x')", "nodes"),
        ("1", "number"),
        ("-a", "number"),
        ("a + b", "number"),
        ("count(a)", "number"),
        ("avg(a)", "number"),
        ("'x'", "string"),
        ("concat(a, b)", "string"),
        ("a = b", "boolean"),
        ("a or b", "boolean"),
        ("some $x in a satisfies $x", "boolean"),
        ("if (a) then 1 else 2", "number"),
        ("if (a) then b else c", "nodes"),
        ("if (a) then 1 else 'x'", "any"),
        ("if (a) then 1 else (if (b) then 2 else 'x')", "any"),
    ],
)
def test_type(query: str, expected: str) -> None:
    assert type_of(build(parse(query), {})) == expected


@pytest.mark.parametrize(
    ("query", "position", "last", "positional"),
    [
        ("position() = 1", True, False, True),
        ("last() > 1", False, True, True),
        ("1", False, False, True),
        ("a", False, False, False),
        ("a[position() = 1]", False, False, False),
        ("(a)[last()]", False, False, False),
        ("a = 'x' and not(position() mod 2 = last())", True, True, True),
        ("if (b) then 1 else c", False, False, True),
        ("some $x in a satisfies $x = position()", True, False, True),
        ("count(a) = 1", False, False, False),
        ("string-length()", False, False, True),
    ],
)
def test_position(query: str, position: bool, last: bool, positional: bool) -> None:
    expr = build(parse(query), {})
    assert (uses_position(expr), uses_last(expr), is_positional(expr)) == (position, last, positional)


@pytest.mark.parametrize("query", ["a", ".", "string()", "position()", "1 + last()", "lang('en')", "id(a)", "/a = b"])
def test_uses_focus(query: str) -> None:
    assert uses_focus(build(parse(query), {}))


@pytest.mark.parametrize("query", ["1", "'x'", "/a", "//a[b = position()]", "id('x')", "concat('a', /b)"])
def test_does_not_use_focus(query: str) -> None:
    assert not uses_focus(build(parse(query), {}))
