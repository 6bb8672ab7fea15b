"""What W1 asks of a query: the least speed, in multiples of expat's."""

from __future__ import annotations

from penstock.kernel.compile import compile_query
from penstock.plan.explain.describe import describe

_STREAMED = 2.5
_LEAST = 1.0
_FEW = 0.01
"""Results are few when they have less than this share of the document's bytes."""


def least_speed(query: str, input_bytes: int, output_characters: int) -> float:
    """The higher bar is for queries with few results that need not wait for the document's end.

    There is no bar for a query whose output is as large as its input.

    >>> least_speed("//item[price > 400]/name", 1_000_000, 9_999)
    2.5
    >>> least_speed("//item[price > 400]/name", 1_000_000, 10_000)
    1.0
    >>> least_speed("//item[count(//item) > 400]/name", 1_000_000, 9_999)
    1.0
    >>> least_speed("//item", 1_000_000, 1_000_000)
    0.0
    """
    if output_characters >= input_bytes:
        return 0.0
    verdict = describe("query", query, compile_query(query).program).verdict
    return _STREAMED if verdict != "document" and output_characters < _FEW * input_bytes else _LEAST
