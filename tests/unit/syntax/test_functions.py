"""The signature table."""

import pytest

from penstock.syntax.functions import FUNCTIONS, UNSUPPORTED_FUNCTIONS

XPATH_1 = """
    last position count id local-name namespace-uri name string concat starts-with contains substring-before
    substring-after substring string-length normalize-space translate boolean not true false lang number sum floor
    ceiling round
"""
LATER = "avg min max exists empty matches ends-with lower-case upper-case"


def test_the_language_is_complete() -> None:
    assert set(FUNCTIONS) == {*XPATH_1.split(), *LATER.split()}
    assert not set(FUNCTIONS) & UNSUPPORTED_FUNCTIONS


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("last", "no arguments"),
        ("count", "1 argument"),
        ("contains", "2 arguments"),
        ("string", "0 or 1 arguments"),
        ("substring", "2 or 3 arguments"),
        ("concat", "2 arguments or more"),
    ],
)
def test_arity_in_words(name: str, text: str) -> None:
    assert FUNCTIONS[name].arity_text == text


def test_arity() -> None:
    assert [n for n in range(6) if FUNCTIONS["substring"].accepts(n)] == [2, 3]
    assert [n for n in range(6) if FUNCTIONS["concat"].accepts(n)] == [2, 3, 4, 5]
    assert [n for n in range(6) if FUNCTIONS["name"].accepts(n)] == [0, 1]
    assert FUNCTIONS["concat"].argument(4) == "string"
