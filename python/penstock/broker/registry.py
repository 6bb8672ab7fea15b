"""The subscriptions, and what of them each stream's documents are matched against."""

from __future__ import annotations

import threading
from collections import Counter
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
        self._readers: Counter[str | None] = Counter()
        self.callbacks: dict[str, Callable[[Delivery], Any]] = {}

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
            id,
            query,
            language,
            stream,
            namespaces,
            window,
            publish,
            subscriber,
            running,
            deliver,
            deliver_empty,
            callback,
        )
        with self._lock:
            self._add(subscription, replace=replace)
        return subscription

    def subscribe_many(self, rows: Iterable[tuple[str, str] | Mapping[str, Any]]) -> Registered:
        """As `Broker.subscribe_many`; readers see all of the rows or none."""
        prepared: list[tuple[Subscription, bool]] = []
        accepted: list[Subscription] = []
        rejected: list[Rejected] = []
        for row in rows:
            parameters: dict[str, Any] = dict(row) if isinstance(row, Mapping) else {"id": row[0], "query": row[1]}
            replace = bool(parameters.pop("replace", False))
            try:
                prepared.append((self._prepare_row(parameters), replace))
            except QueryError as error:
                rejected.append(Rejected(parameters.get("id"), error))
        with self._lock:
            for subscription, replace in prepared:
                try:
                    self._add(subscription, replace=replace)
                except QueryError as error:
                    rejected.append(Rejected(subscription.id, error))
                else:
                    accepted.append(subscription)
        return Registered(tuple(accepted), tuple(rejected))

    def unsubscribe(self, id: str) -> None:
        """As `Broker.unsubscribe`."""
        with self._lock:
            self._drop(self._subscriptions[id])

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
        compiled = compile_query(
            query, namespaces=bindings, language=language, running=running, deliver_empty=deliver_empty
        )
        return Subscription(
            id, query, "xpath", stream, bindings, subscriber, running, deliver, deliver_empty, callback, compiled
        )

    def _prepare_row(self, parameters: dict[str, Any]) -> Subscription:
        unknown = parameters.keys() - _PARAMETERS
        missing = {"id", "query"} - parameters.keys()
        if unknown or missing:
            wrong = f"does not know {', '.join(sorted(unknown))}" if unknown else f"needs {', '.join(sorted(missing))}"
            raise QueryError("PNST0010", f"a subscription {wrong}", query=parameters.get("query"))
        return self._prepare(**{**_DEFAULTS, **parameters})

    def _add(self, subscription: Subscription, *, replace: bool) -> None:
        old = self._subscriptions.get(subscription.id)
        if old is not None:
            if not replace:
                raise QueryError("PNST0011", f"a subscription {old.id!r} exists already", query=subscription.query)
            self._drop(old)
        self._subscriptions[subscription.id] = subscription
        self._readers[subscription.stream] += 1
        if subscription.callback is not None:
            self.callbacks[subscription.id] = subscription.callback
        self._snapshots.clear()

    def _drop(self, subscription: Subscription) -> None:
        del self._subscriptions[subscription.id]
        self._readers[subscription.stream] -= 1
        self.callbacks.pop(subscription.id, None)
        self._snapshots.clear()


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
_PARAMETERS = frozenset({"id", "query", *_DEFAULTS})
