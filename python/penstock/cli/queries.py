"""Queries from the command line and from files."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from penstock.cli.failure import Failure

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Entry:
    """A query with a name to report it by."""

    id: str
    query: str
    namespaces: dict[str, str] = field(default_factory=dict)


def read_queries(texts: tuple[str, ...], listing: Path | None) -> Iterator[Entry]:
    """The queries given as `texts`, then those of the file."""
    for number, text in enumerate(texts, start=1):
        yield Entry(f"query {number}", text)
    if listing is not None:
        for number, line in enumerate(listing.read_text(encoding="utf-8").splitlines(), start=1):
            if line.strip() and not line.lstrip().startswith("#"):
                yield _entry(line.strip(), f"line {number}")


def _entry(line: str, place: str) -> Entry:
    if not line.startswith("{"):
        return Entry(place, line)
    try:
        row = json.loads(line)
        return Entry(str(row.get("id", place)), row["query"], dict(row.get("namespaces") or {}))
    except (json.JSONDecodeError, KeyError, TypeError) as error:
        raise Failure(f"{place} is not a JSON object with a query: {error}") from error
