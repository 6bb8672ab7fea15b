"""Cases of a conformance suite: a query, a document and what the query gives."""

from __future__ import annotations

import functools
import json
import os
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_HERE = Path(__file__).parent
_BESIDE_THE_REPOSITORY = _HERE.parents[2] / "shared" / "conformance"


@dataclass(frozen=True)
class Case:
    """One query on one document; `expected` is as the suite writes it."""

    id: str
    document: Path
    query: str
    namespaces: dict[str, str]
    expected: dict[str, Any]
    level: str | None


def folder() -> Path | None:
    """The conformance suite, if there is one: `PENSTOCK_CONFORMANCE`, or a folder beside the repository."""
    found = Path(os.environ.get("PENSTOCK_CONFORMANCE", _BESIDE_THE_REPOSITORY))
    return found if (found / "cases.jsonl").is_file() else None


@functools.cache
def shared_cases(file: str, language: str = "xpath") -> tuple[Case, ...]:
    """The cases of one file of the suite that are in this language."""
    root = folder()
    if root is None:
        return ()
    rows = [json.loads(line) for line in (root / file).read_text(encoding="utf-8").splitlines() if line.strip()]
    return tuple(
        Case(row["id"], root / row["doc"], row["query"], row.get("namespaces") or {}, row["expect"], row.get("level"))
        for row in rows
        if row["lang"] == language
    )


def known_failures() -> dict[str, str]:
    """Cases of the suite that fail, each with the reason. The list may only shrink."""
    failures: dict[str, str] = json.loads((_HERE / "known_failures.json").read_text(encoding="utf-8"))
    return failures


@dataclass(frozen=True)
class OwnCase:
    """A case of this repository: the results are compared letter by letter."""

    query: str
    results: list[str]
    kind: str | None


@dataclass(frozen=True)
class OwnSuite:
    """The cases of one file, which share a document."""

    name: str
    document: bytes
    namespaces: dict[str, str]
    language: str | None
    cases: tuple[OwnCase, ...]


def own_suites() -> list[OwnSuite]:
    """Every file of `own/`: `document`, `namespaces`, `language` and `cases`: query, results and perhaps their kind."""
    return [_own_suite(file) for file in sorted((_HERE / "own").glob("*.toml"))]


def _own_suite(file: Path) -> OwnSuite:
    data = tomllib.loads(file.read_text(encoding="utf-8"))
    cases = tuple(OwnCase(row[0], row[1], row[2] if len(row) > 2 else None) for row in data["cases"])
    return OwnSuite(file.stem, data["document"].encode(), data.get("namespaces", {}), data.get("language"), cases)
