"""The subscriptions, and what of them each stream's documents are matched against."""

from __future__ import annotations

import threading
from collections import Counter
from typing import TYPE_CHECKING, Any

from penstock.broker.snapshot import Snapshot

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from penstock.broker.delivery import Delivery
    from penstock.broker.subscription import Subscription

# Stands for every stream that no subscription names.
_OTHER_STREAMS = None


class Registry:
    """Changes under a lock; readers take a snapshot, made when a stream is first read after a change."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._subscriptions: dict[str, Subscription] = {}
        self._snapshots: dict[str | None, Snapshot] = {}
        self._readers: Counter[str | None] = Counter()
        self.callbacks: dict[str, Callable[[Delivery], Any]] = {}

    def __len__(self) -> int:
        return len(self._subscriptions)

    def add(self, subscriptions: Sequence[tuple[Subscription, bool]]) -> list[int]:
        """Adds each, or replaces its namesake if the flag says so; returns the places of those that it may not.

        Readers see all of them or none.
        """
        with self._lock:
            return [place for place, one in enumerate(subscriptions) if not self._add(*one)]

    def drop(self, id: str) -> None:
        """Removes a subscription; an unknown id is a KeyError."""
        with self._lock:
            self._drop(self._subscriptions[id])

    def change(self, removed: Iterable[str], added: Iterable[Subscription]) -> None:
        """Removes what is there of `removed`, then adds `added`, over namesakes. Readers see all of it or nothing."""
        with self._lock:
            for id in removed:
                if id in self._subscriptions:
                    self._drop(self._subscriptions[id])
            for subscription in added:
                self._add(subscription, True)

    def find(self, id: str) -> Subscription | None:
        """The subscription with this id, if there is one."""
        return self._subscriptions.get(id)

    def get(self, id: str) -> Subscription:
        """As `Broker.get`."""
        return self._subscriptions[id]

    def all(self) -> list[Subscription]:
        """As `Broker.subscriptions`."""
        with self._lock:
            return list(self._subscriptions.values())

    def snapshot(self, stream: str) -> Snapshot:
        """The subscriptions that read the stream, as they are now."""
        with self._lock:
            key = stream if self._readers[stream] else _OTHER_STREAMS
            snapshot = self._snapshots.get(key)
            if snapshot is None:
                readers = (one for one in self._subscriptions.values() if one.stream in (None, key))
                snapshot = self._snapshots[key] = Snapshot(readers)
            return snapshot

    def _add(self, subscription: Subscription, replace: bool) -> bool:
        old = self._subscriptions.get(subscription.id)
        if old is not None:
            if not replace:
                return False
            self._drop(old)
        self._subscriptions[subscription.id] = subscription
        self._readers[subscription.stream] += 1
        if subscription.callback is not None:
            self.callbacks[subscription.id] = subscription.callback
        self._snapshots.clear()
        return True

    def _drop(self, subscription: Subscription) -> None:
        del self._subscriptions[subscription.id]
        self._readers[subscription.stream] -= 1
        self.callbacks.pop(subscription.id, None)
        self._snapshots.clear()
