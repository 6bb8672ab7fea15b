"""The subscriptions, and what of them each stream's documents are matched against."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from penstock.broker.snapshot import Snapshot
from penstock.broker.subscription import Registered, Rejected, Subscription
from penstock.errors import QueryError, UnsupportedError
from penstock.kernel.compile import compile_query

if TYPE_CHECKING:
    from penstock.broker.delivery import Delivery
    from penstock.broker.subscription import Deliver

# Stands for every stream that no subscription names.
_OTHER_STREAMS = None


class Registry:
    """Changes under a lock; readers take a snapshot, made when a stream is first read after a change."""

    def __init__(self, namespaces: Mapping[str, str]) -> None:
        self._namespaces = dict(namespaces)
        self._lock = threading.RLock()
        self._subscriptions: dict[str, Subscription] = {}
        self._snapshots: dict[str | None, Snapshot] = {}
        self._streams: frozenset[str] = frozenset()
        self.callbacks: Mapping[str, Callable[[Delivery], Any]] = {}

    def __len__(self) -> int:
        return len(self._subscriptions)

    def subscribe(
        self,
        id: str,
        query: str,
        *,
        language: str | None = None,
        stream: str | None = None,
        namespaces: Mapping[str, str] | None = None,
        window: str | None = None,
        publish: str | None = None,
        subscriber: str | None = None,
        running: bool = False,
        deliver: Deliver = "item",
        deliver_empty: bool = False,
        replace: bool = False,
        callback: Callable[[Delivery], Any] | None = None,
    ) -> Subscription:
        """As `Broker.subscribe`."""
        subscription = self._prepare(
            id, query, language, stream, namespaces, window, publish, subscriber, running, deliver, deliver_empty, callback
        )
        with self._lock:
            self._add(subscription, replace=replace)
            self._changed()
        return subscription

    def subscribe_many(self, rows: Iterable[tuple[str, str] | Mapping[str, Any]]) -> Registered:
        """As `Broker.subscribe_many`; readers see all of the rows or none."""
        accepted: list[Subscription] = []
        rejected: list[Rejected] = []
        with self._lock:
            for row in rows:
                parameters = dict(row) if isinstance(row, Mapping) else {"id": row[0], "query": row[1]}
                replace = parameters.pop("replace", False)
                try:
                    subscription = self._prepare(**{**_DEFAULTS, **parameters})
                    self._add(subscription, replace=replace)
                except QueryError as error:
                    rejected.append(Rejected(parameters.get("id"), error))
                else:
                    accepted.append(subscription)
            self._changed()
        return Registered(tuple(accepted), tuple(rejected))

    def unsubscribe(self, id: str) -> None:
        """As `Broker.unsubscribe`."""
        with self._lock:
            del self._subscriptions[id]
            self._changed()

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
            key = stream if stream in self._streams else _OTHER_STREAMS
            snapshot = self._snapshots.get(key)
            if snapshot is None:
                readers = (one for one in self._subscriptions.values() if one.stream in (None, key))
                snapshot = self._snapshots[key] = Snapshot(readers)
            return snapshot

    def _prepare(
        self,
        id: str,
        query: str,
        language: str | None,
        stream: str | None,
        namespaces: Mapping[str, str] | None,
        window: str | None,
        publish: str | None,
        subscriber: str | None,
        running: bool,
        deliver: Deliver,
        deliver_empty: bool,
        callback: Callable[[Delivery], Any] | None,
    ) -> Subscription:
        for name, value in (("window", window), ("publish", publish)):
            if value is not None:
                raise UnsupportedError("PNST0009", f"{name}= needs a join query", construct=name, query=query)
        if deliver not in ("item", "document"):
            raise QueryError("PNST0010", f"deliver={deliver!r} is neither 'item' nor 'document'", query=query)
        bindings = self._namespaces | dict(namespaces or {})
        compiled = compile_query(query, namespaces=bindings, language=language, running=running, deliver_empty=deliver_empty)
        return Subscription(
            id, query, "xpath", stream, bindings, subscriber, running, deliver, deliver_empty, callback, compiled
        )

    def _add(self, subscription: Subscription, *, replace: bool) -> None:
        if subscription.id in self._subscriptions and not replace:
            raise QueryError("PNST0011", f"a subscription {subscription.id!r} exists already", query=subscription.query)
        self._subscriptions[subscription.id] = subscription

    def _changed(self) -> None:
        self._snapshots = {}
        everyone = self._subscriptions.values()
        self._streams = frozenset(one.stream for one in everyone if one.stream is not None)
        self.callbacks = {one.id: one.callback for one in everyone if one.callback is not None}


_DEFAULTS: Mapping[str, Any] = {
    "language": None,
    "stream": None,
    "namespaces": None,
    "window": None,
    "publish": None,
    "subscriber": None,
    "running": False,
    "deliver": "item",
    "deliver_empty": False,
    "callback": None,
}
