"""Regular expressions of `matches` as XML Schema and XPath define them."""

import pytest

from penstock.errors import QueryError, UnsupportedError
from penstock.span import Span
from penstock.syntax.pattern import MAX_QUANTITY, check_flags, check_pattern

SPAN = Span(0, 1)

VALID = [
    "",
    "abc",
    "^a.c$",
    "a|b||c",
    "(a|b)+?c*?d??",
    "(?:ab){2,3}c{4}d{5,}?",
    "[a-z]",
    "[^a-z0-9_]",
    "[-a]",
    "[a-]",
    "[a-z-[aeiou]]",
    "[\\d\\s\\-\\]]",
    "\\p{L}\\P{Nd}\\p{IsBasicLatin}",
    "\\i\\c*\\.\\$\\^\\\\",
    "[^^]",
    "[+*?(){}|.$]",
    "a{0}",
    f"a{{{MAX_QUANTITY}}}",
]
INVALID = [
    "(",
    ")",
    "a)",
    "(a",
    "[",
    "[]",
    "[a",
    "]",
    "}",
    "*",
    "a**",
    "|*",
    "(*a)",
    "a{",
    "a{x}",
    "a{,3}",
    "a{3,2}",
    f"a{{{MAX_QUANTITY + 1}}}",
    "a{" + "9" * 10_000 + "}",
    "[z-a]",
    "[a-\\d]",
    "[\\d-z]",
    "[a[b]]",
    "[a-[b]c]",
    "\\",
    "\\e",
    "\\0",
    "[\\1]",
    "\\p{Xx}",
    "\\p",
    "\\b",
    "(?=a)",
    "(?<n>a)",
    "(" * 1_000 + ")" * 1_000,
    "[a-" * 1_000,
]


@pytest.mark.parametrize("pattern", VALID)
def test_valid(pattern: str) -> None:
    check_pattern(pattern, None, SPAN)


@pytest.mark.parametrize("pattern", INVALID)
def test_invalid(pattern: str) -> None:
    with pytest.raises(QueryError) as caught:
        check_pattern(pattern, None, SPAN)
    assert caught.value.code == "FORX0002"


def test_back_references_are_unsupported() -> None:
    with pytest.raises(UnsupportedError) as caught:
        check_pattern("(a)\\1", None, SPAN)
    assert caught.value.code == "PNST0005"


def test_white_space_under_the_flag_x() -> None:
    check_pattern("a {2} [ ] ( ?: b )", None, SPAN, ignore_space=True)
    with pytest.raises(QueryError):
        check_pattern("a [] b", None, SPAN, ignore_space=True)


def test_flags() -> None:
    check_flags("smixq", None, SPAN)
    with pytest.raises(QueryError, match="no regular expression flag 'g'") as caught:
        check_flags("ig", None, SPAN)
    assert caught.value.code == "FORX0001"
