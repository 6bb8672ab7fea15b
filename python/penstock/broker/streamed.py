"""The subscriptions as a document that comes in chunks sees them: an unchanging set, linked for the engine."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from penstock.broker.delivery import Delivery
from penstock.errors import QueryError
from penstock.kernel.compile import compile_query
from penstock.kernel.engine import link

if TYPE_CHECKING:
    from collections.abc import Sequence

    from penstock.broker.documents import Document
    from penstock.broker.subscription import Subscription
    from penstock.kernel.compile import CompiledQuery
    from penstock.kernel.engine import Engine, Feed

# The subscriptions whose evaluation failed, and the reasons.
Failures = list[tuple[str, str]]


class Streamed:
    """The subscriptions that read one stream."""

    def __init__(self, subscriptions: Sequence[Subscription]) -> None:
        self._ids = [one.id for one in subscriptions]
        self._joining = frozenset(one.id for one in subscriptions if one.deliver == "document")
        self._linked = link(map(compiled, subscriptions), [(one.id, one.subscriber) for one in subscriptions])

    def open(self, engine: Engine, document: Document, *, ordered: bool) -> Feed:
        """A document that comes in chunks."""
        return engine.open(self._linked, *document, ordered)

    def failures(self, failed: list[tuple[int, str]]) -> Failures:
        """Failed evaluations by subscription."""
        return [(self._ids[output], message) for output, message in failed]

    def split(self, items: list[Delivery]) -> tuple[list[Delivery], dict[str, list[Delivery]]]:
        """Items to deliver as they are, and those of subscriptions that want one delivery a document."""
        if not self._joining:
            return items, {}
        single: list[Delivery] = []
        groups: dict[str, list[Delivery]] = {}
        for item in items:
            if item.subscription in self._joining:
                groups.setdefault(item.subscription, []).append(item)
            else:
                single.append(item)
        return single, groups


def compiled(subscription: Subscription) -> CompiledQuery:
    """The query at every stage of its way. The engine keeps only what it needs of it."""
    return compile_query(
        subscription.query,
        namespaces=subscription.namespaces,
        language=subscription.language,
        running=subscription.running,
        deliver_empty=subscription.deliver_empty,
    )


def settled(subscription: Subscription, found: CompiledQuery) -> Subscription:
    """The subscription with what its query says of itself: the language, and the stream that it names."""
    stream = subscription.stream if found.stream is None else found.stream
    if subscription.stream not in (None, stream):
        message = f"stream={subscription.stream!r} is given, but the query reads the stream {stream!r}"
        raise QueryError("PNST0010", message, query=subscription.query)
    if (subscription.language, subscription.stream) == (found.language, stream):
        return subscription
    return dataclasses.replace(subscription, language=found.language, stream=stream)


def join_items(items: list[Delivery]) -> Delivery:
    """Several items of one document and subscription as one delivery, in document order."""
    items = sorted(items, key=lambda item: item.sequence)
    first = items[0]
    fragment = "".join(item.fragment for item in items)
    header = (first.documents, first.stream, first.time, first.sequence)
    return Delivery(first.subscription, first.subscriber, "document", fragment, *header)
