"""The verdicts in words, and how many queries got which."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from penstock.plan.explain.view import QueryView, Verdict


@dataclass(frozen=True, slots=True)
class Words:
    one: str
    many: str


VERDICTS: dict[Verdict, Words] = {
    "streams": Words("streams", "stream"),
    "element": Words("waits for an element's end", "wait for an element's end"),
    "document": Words("waits for the document's end", "wait for the document's end"),
}


def counts(views: Sequence[QueryView]) -> dict[Verdict, int]:
    """How many queries got each verdict."""
    found = Counter(view.verdict for view in views)
    return {verdict: found[verdict] for verdict in VERDICTS}


def summary(views: Sequence[QueryView]) -> str:
    """One line about many queries."""
    total = f"{len(views)} {'query' if len(views) == 1 else 'queries'}"
    parts = [
        f"{number} {words.one if number == 1 else words.many}"
        for words, number in zip(VERDICTS.values(), counts(views).values(), strict=True)
    ]
    return f"{total}: {', '.join(parts)}"
