"""The subscriptions, as the engine keeps them."""

from __future__ import annotations

import dataclasses
import json
import logging
import threading
from typing import TYPE_CHECKING, Any

from penstock.broker.streamed import Streamed, compiled, settled
from penstock.broker.subscription import Options, Subscription
from penstock.errors import QueryError, StoreError
from penstock.kernel.engine import Subscriptions
from penstock.plan.language import is_surely_xquery

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from penstock.broker.delivery import Delivery
    from penstock.kernel.compile import CompiledQuery
    from penstock.kernel.engine import Given, PreparedQuery, Waiting

# A subscription, what the engine runs for it (None: it knows queries that differ only in constants), may it replace.
Entry = tuple[Subscription, "PreparedQuery | None", bool]

_log = logging.getLogger("penstock")


class Registry:
    """Any number of threads may read and change it; a document sees all that one call changes, or nothing of it."""

    def __init__(self, native: Subscriptions | None = None, options: Iterable[Options] = ()) -> None:
        self.native = native or Subscriptions()
        self._lock = threading.RLock()
        self._options: list[Options] = []
        self._numbers: dict[Options, int] = {}
        self._streamed: dict[str, Streamed] = {}
        self.callbacks: dict[str, Callable[[Delivery], Any]] = {}
        for one in options:
            self.number(one)

    @classmethod
    def load(cls, path: Path) -> Registry:
        """What `save` wrote; a file that is not that, is damaged or of another version is a StoreError."""
        try:
            native, attachment = Subscriptions.load(path)
        except ValueError as error:
            raise StoreError(f"{path}: {error}") from error
        options = [
            Options(language, tuple((prefix, uri) for prefix, uri in bindings), running, deliver, deliver_empty)
            for language, bindings, running, deliver, deliver_empty in json.loads(attachment)
        ]
        return cls(native, options)

    def save(self, path: Path) -> None:
        """Writes the subscriptions, compiled, to a file; callbacks are left out."""
        with self._lock:
            self.native.save(path, json.dumps(self._options).encode())

    def __len__(self) -> int:
        return len(self.native)

    def knows(self, rows: list[Given]) -> list[bool]:
        """Which rows can be added without a program, since the engine knows queries of the same shape."""
        return self.native.known(rows)

    def ready(self, subscription: Subscription) -> tuple[Subscription, PreparedQuery | None]:
        """The subscription with its language known, and what the engine needs to run it.

        A query that is wrong raises its error. The second query of a shape teaches the engine the shape: those after
        it need no compiling.
        """
        language = subscription.language or ("xquery" if is_surely_xquery(subscription.query) else "xpath")
        likely = dataclasses.replace(subscription, language=language)
        given = self.given(likely)
        if self.native.known([given])[0]:
            return likely, None
        found = compiled(subscription)
        subscription = settled(likely, found)
        number = given[4] if subscription is likely else self.number(subscription.options)
        probe = self.native.probe(number, subscription.query)
        # The stream that a query names is told by compiling it, so its shape must stay unknown.
        if probe is not None and found.stream is None:
            self._learn(number, subscription, found, probe)
        return subscription, self.native.prepare(found.native)

    def _learn(self, number: int, subscription: Subscription, found: CompiledQuery, probe: str) -> None:
        try:
            probed = compiled(dataclasses.replace(subscription, query=probe))
        except QueryError:
            # What looked like a literal is none, and nothing else may stand in its place.
            probed = found
        self.native.learn(number, subscription.query, found.native, probed.native)

    def add(self, entries: Sequence[Entry]) -> list[int]:
        """Adds each, or replaces its namesake if it may; returns the places of those that may not."""
        return self._change([], [(self.given(one, replace), program) for one, program, replace in entries], entries)

    def enter(self, waiting: Waiting) -> list[tuple[int, str]]:
        """The same for subscriptions that have no callbacks; returns also the queries of those that may not."""
        with self._lock:
            refused = self.native.enter(waiting)
            self._streamed.clear()
            return refused

    def drop(self, id: str) -> None:
        """Removes a subscription; an unknown id is a KeyError."""
        with self._lock:
            if id not in self.native:
                raise KeyError(id)
            self._change([id], [], ())

    def change(self, removed: Iterable[str], added: Sequence[tuple[Subscription, PreparedQuery | None]]) -> None:
        """Removes what is there of `removed`, then adds `added`, over namesakes."""
        entries = [(one, program, True) for one, program in added]
        self._change(list(removed), [(self.given(one, replace=True), program) for one, program in added], entries)

    def change_rows(self, removed: Iterable[str], added: list[tuple[Given, PreparedQuery | None]]) -> None:
        """The same for rows that may replace their namesakes, whose callbacks they keep."""
        self._change(list(removed), added, ())

    def call_back(self, delivery: Delivery) -> None:
        """Calls the callback of the delivery's subscription, if it has one."""
        callback = self.callbacks.get(delivery.subscription)
        if callback is None:
            return
        try:
            callback(delivery)
        except Exception:  # noqa: BLE001
            # One subscriber's fault must not cost the others their deliveries.
            _log.exception("the callback of subscription %s failed", delivery.subscription)

    def find(self, id: str) -> Subscription | None:
        """The subscription with this id, if there is one."""
        row = self.native.get(id)
        return None if row is None else self._subscription(*row)

    def get(self, id: str) -> Subscription:
        """As `Broker.get`."""
        found = self.find(id)
        if found is None:
            raise KeyError(id)
        return found

    def all(self) -> list[Subscription]:
        """As `Broker.subscriptions`."""
        return [self._subscription(*row) for row in self.native.all()]

    def streamed(self, stream: str) -> Streamed:
        """The subscriptions that read the stream, as they are now, for a document that comes in chunks."""
        with self._lock:
            streamed = self._streamed.get(stream)
            if streamed is None:
                readers = [one for one in self.all() if one.stream in (None, stream)]
                streamed = self._streamed[stream] = Streamed(readers)
            return streamed

    def number(self, options: Options) -> int:
        """What the engine knows options by; odd if results are joined."""
        number = self._numbers.get(options)
        if number is None:
            with self._lock:
                number = 2 * len(self._options) + (options.deliver == "document")
                number = self._numbers.setdefault(options, number)
                if number // 2 == len(self._options):
                    self._options.append(options)
        return number

    def given(self, one: Subscription, replace: bool = False) -> Given:
        """A subscription as the engine takes it."""
        return (one.id, one.query, one.subscriber, one.stream, self.number(one.options), replace)

    def subscription(self, given: Given) -> Subscription:
        """What was given to the engine."""
        return self._subscription(*given[:5])

    def _change(
        self, removed: list[str], rows: list[tuple[Given, PreparedQuery | None]], entries: Sequence[Entry]
    ) -> list[int]:
        with self._lock:
            refused = self.native.change(removed, rows)
            for id in removed:
                self.callbacks.pop(id, None)
            places = frozenset(refused)
            for place, (one, _, _) in enumerate(entries):
                if place not in places:
                    self._note_callback(one)
            self._streamed.clear()
            return refused

    def _note_callback(self, subscription: Subscription) -> None:
        if subscription.callback is None:
            self.callbacks.pop(subscription.id, None)
        else:
            self.callbacks[subscription.id] = subscription.callback

    def _subscription(
        self, id: str, query: str, subscriber: str | None, stream: str | None, options: int
    ) -> Subscription:
        language, namespaces, running, deliver, deliver_empty = self._options[options // 2]
        how = (running, deliver, deliver_empty, self.callbacks.get(id))
        return Subscription(id, query, language, stream, dict(namespaces), subscriber, *how)
