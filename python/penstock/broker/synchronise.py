"""A registry that follows a store: what is changed here is written there first, what others change is taken over."""

from __future__ import annotations

import logging
import threading
import time
from typing import TYPE_CHECKING

from penstock.broker.prepare import restored, stored_row
from penstock.broker.subscription import Rejected
from penstock.errors import QueryError, StoreError
from penstock.store import CompactedError, ConflictError, subscribing, unsubscribing

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import timedelta

    from penstock.broker.registry import Entry, Registry
    from penstock.broker.subscription import Subscription
    from penstock.kernel.engine import Given, Program
    from penstock.store import LogEntry, Store, SubscriptionRow

_log = logging.getLogger("penstock")


class Synchronised:
    """Changes as a `Registry` does, by way of the store. Whether an id exists, the store decides."""

    def __init__(self, store: Store, registry: Registry, every: timedelta, version: int | None = None) -> None:
        self._store = store
        self._registry = registry
        self._every = every.total_seconds()
        self._lock = threading.RLock()
        self._rejected: dict[str, Rejected] = {}
        self._version = 0
        self._load(store.version() if version is None else version)
        self._due = time.monotonic() + self._every

    @property
    def rejected(self) -> list[Rejected]:
        """Rows of the store that this version of Penstock cannot run, and why."""
        with self._lock:
            return list(self._rejected.values())

    def add(self, entries: Sequence[Entry]) -> list[int]:
        """As `Registry.add`."""
        changes = [subscribing(stored_row(one), replace=replace) for one, _, replace in entries]
        with self._lock:
            version, refused = self._store.apply_possible(changes)
            places = frozenset(refused)
            accepted = [(one, program) for place, (one, program, _) in enumerate(entries) if place not in places]
            if accepted:
                self._take_over(version - 1)
                self._registry.change((), accepted)
                for one, _ in accepted:
                    self._rejected.pop(one.id, None)
                self._version = version
            else:
                self._take_over(version)
        return list(refused)

    def add_rows(self, rows: list[tuple[Given, Program | None]]) -> list[int]:
        """As `Registry.add_rows`."""
        return self.add([(self._registry.subscription(given), program, given[-1]) for given, program in rows])

    def drop(self, id: str) -> None:
        """As `Registry.drop`."""
        with self._lock:
            try:
                version = self._store.apply([unsubscribing(id)])
            except ConflictError as error:
                self.refresh()
                raise KeyError(id) from error
            self._take_over(version - 1)
            self._registry.change((id,), ())
            self._rejected.pop(id, None)
            self._version = version

    def refresh(self) -> None:
        """Takes over what others have changed."""
        with self._lock:
            self._take_over(self._store.version())

    def move(self, version: int) -> None:
        """Makes the registry what the store was at a version, compiling only what differs."""
        with self._lock:
            if version < self._version:
                self._load(version)
            else:
                self._take_over(version)

    def refresh_if_due(self) -> None:
        """The same, from time to time, by one thread, while the others go on. A store that is away stops nothing."""
        if time.monotonic() < self._due or not self._lock.acquire(blocking=False):
            return
        try:
            self.refresh()
        except StoreError as error:
            _log.warning("the subscriptions of version %d stay in force: %s", self._version, error)
        finally:
            self._due = time.monotonic() + self._every
            self._lock.release()

    def _take_over(self, version: int) -> None:
        if version <= self._version:
            return
        last: dict[str, LogEntry] = {}
        try:
            for entry in self._store.changes(self._version, version):
                # Out and in again: the order of the rows is that of their last changes.
                last.pop(entry.id, None)
                last[entry.id] = entry
        except CompactedError:
            self._load(version)
            return
        removed = [entry.id for entry in last.values() if entry.row is None]
        added = self._restored(entry.row for entry in last.values() if entry.row is not None)
        for id in removed:
            self._rejected.pop(id, None)
        # What was replaced by something that cannot run here must not run on.
        self._registry.change([*removed, *self._rejected], added)
        self._version = version

    def _load(self, version: int) -> None:
        """Makes the registry what the store is, compiling only what has changed."""
        rows = list(self._store.snapshot(version))
        kept = {row.id for row in rows}
        removed = [one.id for one in self._registry.all() if one.id not in kept]
        self._rejected.clear()
        added = self._restored(rows)
        self._registry.change([*removed, *self._rejected], added)
        self._version = version

    def _restored(self, rows: Iterable[SubscriptionRow]) -> list[tuple[Subscription, Program | None]]:
        """What rows add to the registry; one that cannot be run is remembered. Callbacks of this process stay."""
        added = []
        for row in rows:
            known = self._registry.find(row.id)
            self._rejected.pop(row.id, None)
            if known is not None and stored_row(known) == row:
                continue
            try:
                one = restored(row, None if known is None else known.callback)
                added.append((one, self._registry.program(one)))
            except QueryError as error:
                self._rejected[row.id] = Rejected(row.id, error)
        return added
