"""The subscriptions as one document sees them: an unchanging set, linked for the engine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from penstock.broker.delivery import Delivery, FragmentMatch, Kind, Matches
from penstock.kernel.engine import Set, link

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from penstock.broker.subscription import Subscription
    from penstock.kernel.engine import Results


@dataclass(frozen=True, slots=True)
class Document:
    """What is known of a document besides its XML."""

    id: str
    stream: str
    time: datetime


class Snapshot:
    """The subscriptions that read one stream."""

    def __init__(self, subscriptions: Iterable[Subscription]) -> None:
        self.subscriptions = tuple(subscriptions)
        self.linked: Set = link(subscription.compiled for subscription in self.subscriptions)
        self._joining = frozenset(one.id for one in self.subscriptions if one.deliver == "document")

    def joins(self, subscription: str) -> bool:
        """Whether a subscription wants one delivery a document."""
        return subscription in self._joining

    def deliveries(self, results: Results, document: Document) -> list[Delivery]:
        """What a whole document gives: one delivery an item, or one for all items of the document."""
        items = self.items(results, document)
        if not self._joining:
            return items
        whole: dict[str, list[Delivery]] = {}
        for item in items:
            if item.subscription in self._joining:
                whole.setdefault(item.subscription, []).append(item)
        return [item for item in items if item.subscription not in self._joining] + [join_items(group) for group in whole.values()]

    def items(self, results: Results, document: Document) -> list[Delivery]:
        """One delivery a subscription and fragment; none for subscriptions whose evaluation failed."""
        fragments, pairs, errors = results
        failed = {output for output, _ in errors}
        documents = (document.id,)
        items = []
        for output, index in pairs:
            if output in failed:
                continue
            subscription = self.subscriptions[output]
            kind, text, offset = fragments[index]
            items.append(
                Delivery(
                    subscription.id,
                    subscription.subscriber,
                    cast("Kind", kind),
                    text,
                    documents,
                    document.stream,
                    document.time,
                    offset,
                )
            )
        return items

    def matches(self, results: Results, document: Document) -> Matches:
        """Each fragment once, with its subscriptions."""
        fragments, pairs, errors = results
        failed = {output for output, _ in errors}
        takers: dict[int, list[str]] = {}
        for output, index in pairs:
            if output not in failed:
                takers.setdefault(index, []).append(self.subscriptions[output].id)
        found = []
        for index, ids in takers.items():
            kind, text, offset = fragments[index]
            found.append(FragmentMatch(cast("Kind", kind), text, offset, tuple(ids)))
        return Matches(document.id, document.stream, document.time, tuple(found))


def join_items(items: list[Delivery]) -> Delivery:
    """Several items of one document and subscription as one delivery, in document order."""
    items.sort(key=lambda item: item.sequence)
    first = items[0]
    return Delivery(
        first.subscription,
        first.subscriber,
        "document",
        "".join(item.fragment for item in items),
        first.documents,
        first.stream,
        first.time,
        first.sequence,
    )
