"""Documents with marks at the bytes where results are to come out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import penstock

MARK = "¦"
"""Stands behind the byte that makes a result certain and complete."""
END = "∎"
"""Stands for the end of the document, which only `close` tells."""


@dataclass(frozen=True)
class Moment:
    """A query, a marked document and what comes out at each mark; several results of one mark are a tuple."""

    query: str
    marked: str
    results: tuple[str | tuple[str, ...], ...]


def moment(query: str, marked: str, *results: str | tuple[str, ...]) -> Moment:
    """One row of a table."""
    return Moment(query, marked, results)


def expected(row: Moment) -> list[tuple[int | None, list[str]]]:
    """The number of bytes read (None: the document has ended) and the results that are out then and were not before."""
    offsets: list[int | None] = []
    read = 0
    for character in row.marked:
        if character == MARK:
            offsets.append(read)
        elif character == END:
            offsets.append(None)
        else:
            read += len(character.encode())
    at_each = [[result] if isinstance(result, str) else list(result) for result in row.results]
    return list(zip(offsets, at_each, strict=True))


def observed(row: Moment, *, ordered: bool = False, **parameters: Any) -> list[tuple[int | None, list[str]]]:
    """The same, as a broker does it when it is fed byte by byte."""
    broker = penstock.Broker(mode="FAILFAST")
    broker.subscribe("query", row.query, **parameters)
    document = row.marked.replace(MARK, "").replace(END, "").encode()
    out: list[tuple[int | None, list[str]]] = []
    feed = broker.open(ordered=ordered)
    for offset in range(len(document)):
        deliveries = feed.write(document[offset : offset + 1])
        if deliveries:
            out.append((offset + 1, [delivery.fragment for delivery in deliveries]))
    rest = feed.close()
    if rest:
        out.append((None, [delivery.fragment for delivery in rest]))
    return out
