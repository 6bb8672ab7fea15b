"""Errors: their table, their text, their way through a pickle."""

import pickle
import re
from pathlib import Path

import pytest

from penstock.errors import (
    CODES,
    OWN_CODES,
    DocumentError,
    PenstockError,
    QueryError,
    SchemaError,
    UnsupportedError,
)
from penstock.plan.build import build
from penstock.span import Span
from penstock.syntax.xpath import parse

DOCUMENTATION = Path(__file__).parents[2] / "docs" / "errors.md"

# A query for each code that reading a query can raise.
TRIGGERS = {
    "XPST0003": "//a[",
    "XPST0008": "$x",
    "XPST0017": "frobnicate()",
    "XPST0081": "p:a",
    "XPTY0004": "count(1)",
    "XPTY0019": "'a'/b",
    "FORX0001": "matches(a, 'b', 'g')",
    "FORX0002": "matches(a, '[')",
    "PNST0001": "a" * 70_000,
    "PNST0002": "(" * 300,
    "PNST0003": "for $x in a return $x",
    "PNST0004": "tokenize(a)",
    "PNST0005": "matches(a, '(b)\\1')",
}


@pytest.mark.parametrize("code", TRIGGERS)
def test_every_code_can_be_triggered(code: str) -> None:
    with pytest.raises(QueryError) as caught:
        build(parse(TRIGGERS[code]), {})
    assert caught.value.code == code
    assert code in CODES


def test_the_documentation_lists_every_code_with_its_meaning() -> None:
    rows = re.findall(r"^\| `([A-Z]{4}\d{4})` \| (.*?) \|", DOCUMENTATION.read_text(encoding="utf-8"), re.MULTILINE)
    assert dict(rows) == dict(CODES)
    assert len(rows) == len(CODES)


def test_own_codes_look_alike() -> None:
    assert all(re.fullmatch(r"PNST\d{4}", code) for code in OWN_CODES)


def test_unknown_codes_are_not_raised_by_mistake() -> None:
    with pytest.raises(ValueError, match="PNST9999"):
        QueryError("PNST9999", "no such code")


def test_hierarchy() -> None:
    assert issubclass(UnsupportedError, QueryError)
    assert all(issubclass(kind, PenstockError) for kind in (QueryError, DocumentError, SchemaError))


def test_text_without_a_place() -> None:
    assert str(QueryError("PNST0001", "too long")) == "PNST0001: too long"


def test_text_with_a_place() -> None:
    error = QueryError(
        "XPST0017", "there is no function cont()", query="\tcont(a)", span=Span(1, 5), suggestion="count()"
    )
    assert (error.line, error.column) == (1, 2)
    assert str(error) == (
        "XPST0017 at line 1, column 2: there is no function cont(); did you mean count()?\n  \tcont(a)\n  \t^^^^"
    )


@pytest.mark.parametrize(
    "error",
    [
        QueryError("XPST0003", "m", query="a b", span=Span(2, 3), expected=("x", "y"), found="b", suggestion="c"),
        UnsupportedError("PNST0003", "m", construct="a map", query="map {}", span=Span(0, 3)),
        QueryError("PNST0001", "m"),
        DocumentError("syntax", "mismatched tag", 3, 7, 42),
        SchemaError("no root element"),
    ],
)
def test_errors_survive_a_pickle(error: PenstockError) -> None:
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is type(error)
    assert vars(copy) == vars(error)
    assert str(copy) == str(error)
    assert copy.args == error.args


def test_document_error_tells_where() -> None:
    assert (
        str(DocumentError("syntax", "mismatched tag", 3, 7, 42))
        == "syntax at line 3, column 7 (byte 42): mismatched tag"
    )
