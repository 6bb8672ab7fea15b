"""The subscriptions as one document sees them: an unchanging set, linked for the engine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from penstock.broker.delivery import Delivery, FragmentMatch, Matches
from penstock.kernel.engine import link

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from penstock.broker.subscription import Subscription
    from penstock.kernel.engine import Engine, Feed

# The subscriptions whose evaluation failed, and the reasons.
Failures = list[tuple[str, str]]


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
        self._joining = frozenset(one.id for one in self.subscriptions if one.deliver == "document")
        targets = ((one.id, one.subscriber) for one in self.subscriptions)
        joining = {place for place, one in enumerate(self.subscriptions) if one.deliver == "document"}
        self.linked = link((one.compiled for one in self.subscriptions), targets, joining)

    def deliveries(self, engine: Engine, xml: object, document: Document) -> tuple[list[Delivery], Failures]:
        """What a whole document gives, in document order."""
        items, failed = engine.deliveries(self.linked, xml, document.id, document.stream, document.time)
        if self._joining:
            items, groups = self.split(items)
            items += [join_items(group) for group in groups.values()]
        return items, self.failures(failed)

    def open(self, engine: Engine, document: Document, *, ordered: bool) -> Feed:
        """A document that comes in chunks."""
        return engine.open(self.linked, document.id, document.stream, document.time, ordered)

    def matches(self, engine: Engine, xml: object, document: Document) -> tuple[Matches, Failures]:
        """Each fragment once, with its subscriptions."""
        fragments, pairs, failed = engine.matches(self.linked, xml)
        takers: dict[int, list[str]] = {}
        failed_outputs = {output for output, _ in failed}
        for output, index in pairs:
            if output not in failed_outputs:
                takers.setdefault(index, []).append(self.subscriptions[output].id)
        found = []
        for index, ids in takers.items():
            kind, text, offset = fragments[index]
            found.append(FragmentMatch(kind, text, offset, tuple(ids)))
        return Matches(document.id, document.stream, document.time, tuple(found)), self.failures(failed)

    def matching_ids(self, engine: Engine, xml: object) -> list[str]:
        """The ids of the subscriptions that match, oldest first."""
        _, pairs, failed = engine.matches(self.linked, xml)
        outputs = {output for output, _ in pairs} - {output for output, _ in failed}
        return [self.subscriptions[output].id for output in sorted(outputs)]

    def failures(self, failed: list[tuple[int, str]]) -> Failures:
        """Failed evaluations by subscription."""
        return [(self.subscriptions[output].id, message) for output, message in failed]

    def split(self, items: list[Delivery]) -> tuple[list[Delivery], dict[str, list[Delivery]]]:
        """Items to deliver as they are, and those of subscriptions that want one delivery a document."""
        single: list[Delivery] = []
        groups: dict[str, list[Delivery]] = {}
        for item in items:
            if item.subscription in self._joining:
                groups.setdefault(item.subscription, []).append(item)
            else:
                single.append(item)
        return single, groups


def join_items(items: list[Delivery]) -> Delivery:
    """Several items of one document and subscription as one delivery, in document order."""
    items = sorted(items, key=lambda item: item.sequence)
    first = items[0]
    fragment = "".join(item.fragment for item in items)
    header = (first.documents, first.stream, first.time, first.sequence)
    return Delivery(first.subscription, first.subscriber, "document", fragment, *header)


def exploded(matches: Matches, snapshot: Snapshot) -> list[Delivery]:
    """One delivery a fragment and subscription."""
    subscribers = {one.id: one.subscriber for one in snapshot.subscriptions}
    header = ((matches.document,), matches.stream, matches.time)
    return [
        Delivery(id, subscribers[id], one.kind, one.fragment, *header, one.sequence)
        for one in matches.fragments
        for id in one.subscriptions
    ]
