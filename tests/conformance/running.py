"""Runs queries on a document in each of the ways that must not differ."""

from __future__ import annotations

import functools
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from penstock.errors import DocumentError, QueryError
from penstock.kernel.compile import CompiledQuery, compile_query
from penstock.kernel.engine import Subscriptions, link, make_engine

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from penstock.kernel.engine import Delivery

MODES = ("whole", "linked", "indexed", "evaluator", "chunks of 1", "chunks of 7", "chunks of 4096")
"""Each query alone; all of the document at once, streamed or in an index; by the evaluator; at once, in chunks."""

Query = tuple[str, tuple[tuple[str, str], ...], str | None]
Outcome = list[tuple[str, str]] | str
"""The kind and text of each result, or why there is none."""

_ENGINE = make_engine()
_TIME = datetime(2024, 1, 1, tzinfo=UTC)


def query(text: str, namespaces: Mapping[str, str], language: str | None = None) -> Query:
    """What `run` takes."""
    return text, tuple(sorted(namespaces.items())), language


def run(mode: str, document: bytes, queries: Sequence[Query]) -> list[Outcome]:
    """The outcome of each query."""
    compiled = [_compiled(*query, machine=mode != "evaluator") for query in queries]
    refused = {place: one for place, one in enumerate(compiled) if isinstance(one, str)}
    usable = {place: one for place, one in enumerate(compiled) if isinstance(one, CompiledQuery)}
    if mode in ("whole", "evaluator"):
        outcomes = {place: _together(mode, document, [one])[0] for place, one in usable.items()}
    else:
        outcomes = dict(zip(usable, _together(mode, document, list(usable.values())), strict=True))
    return [(refused | outcomes)[place] for place in range(len(queries))]


@functools.cache
def _compiled(
    text: str, namespaces: tuple[tuple[str, str], ...], language: str | None, *, machine: bool
) -> CompiledQuery | str:
    try:
        return compile_query(text, namespaces=dict(namespaces), language=language, deliver_empty=True, machine=machine)
    except QueryError as error:
        return str(error)


def _together(mode: str, document: bytes, queries: list[CompiledQuery]) -> list[Outcome]:
    outcomes: list[Outcome] = [[] for _ in queries]
    try:
        if not mode.startswith("chunks"):
            subscriptions = Subscriptions(0 if mode == "indexed" else len(queries))
            rows = [((str(place), "", None, None, 0, False), one.native) for place, one in enumerate(queries)]
            subscriptions.change([], rows)
            deliveries, failures = _ENGINE.publish(subscriptions, document, "", "", _TIME, grouped=False)
            _sort(deliveries, [(int(id), message) for id, message in failures], outcomes)
            return outcomes
        feed = _ENGINE.open(link(queries), "", "", _TIME, ordered=True)
        size = int(mode.rsplit(maxsplit=1)[-1])
        for start in range(0, len(document), size):
            _take(feed.write(document[start : start + size]), outcomes)
        _take(feed.close(), outcomes)
    except DocumentError as error:
        return [str(error) for _ in queries]
    return outcomes


def _take(step: tuple[list[Delivery], list[tuple[int, str]], DocumentError | None], outcomes: list[Outcome]) -> None:
    deliveries, failed, error = step
    if error is not None:
        raise error
    _sort(deliveries, failed, outcomes)


def _sort(deliveries: list[Delivery], failed: list[tuple[int, str]], outcomes: list[Outcome]) -> None:
    for delivery in deliveries:
        items = outcomes[int(delivery.subscription)]
        if isinstance(items, list):
            items.append((delivery.kind, delivery.fragment))
    for place, message in failed:
        outcomes[place] = message
