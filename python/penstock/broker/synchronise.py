"""A registry that follows a store: what is changed here is written there first, what others change is taken over."""

from __future__ import annotations

import logging
import threading
import time
from typing import TYPE_CHECKING

from penstock.broker.prepare import stored_row
from penstock.broker.restoring import restored_at_once, restored_in_steps
from penstock.errors import StoreError
from penstock.store import CompactedError, ConflictError, subscribing, unsubscribing

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import timedelta
    from pathlib import Path

    from penstock.broker.registry import Entry, Registry
    from penstock.broker.subscription import Rejected
    from penstock.kernel.engine import Known, Waiting
    from penstock.store import LogEntry, Store, SubscriptionRow

_log = logging.getLogger("penstock")


class Synchronised:
    """Changes as a `Registry` does, by way of the store. Whether an id exists, the store decides."""

    def __init__(self, store: Store, registry: Registry, every: timedelta, *, holds: int | None = None) -> None:
        """The registry is empty, or holds a version of the store already."""
        self._store = store
        self._registry = registry
        self._every = every.total_seconds()
        self._lock = threading.RLock()
        self._rejected: dict[str, Rejected] = {}
        self._version = self._filled() if holds is None else holds
        self._due = time.monotonic() + self._every

    @property
    def rejected(self) -> list[Rejected]:
        """Rows of the store that this version of Penstock cannot run, and why.

        Not those of the version that the registry held at the beginning.
        """
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

    def enter(self, waiting: Waiting) -> list[tuple[int, str]]:
        """As `Registry.enter`."""
        rows = waiting.take()
        refused = self.add([(self._registry.subscription(given), query, given[-1]) for given, query in rows])
        return [(place, rows[place][0][1]) for place in refused]

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
                self._go_back(version)
            else:
                self._take_over(version)

    def save(self, path: Path) -> int:
        """As `Registry.save`; returns the version of the store that the file holds."""
        with self._lock:
            self._registry.save(path)
            return self._version

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
        self._change(
            [entry.id for entry in last.values() if entry.row is None],
            [entry.row for entry in last.values() if entry.row is not None],
            self._registry.native.get,
        )
        self._version = version

    def _go_back(self, version: int) -> None:
        ids = {entry.id for entry in self._store.changes(version, self._version)}
        rows = list(self._store.snapshot(version, ids))
        self._change(list(ids.difference(row.id for row in rows)), rows, self._registry.native.get)
        self._version = version

    def _load(self, version: int) -> None:
        """Makes the registry what the store is, compiling only what has changed."""
        held = {row[0]: row for row in self._registry.native.all()}
        rows = list(self._store.snapshot(version))
        wanted = {row.id for row in rows}
        self._rejected.clear()
        self._change([id for id in held if id not in wanted], rows, held.get)
        self._version = version

    def _change(self, removed: list[str], rows: list[SubscriptionRow], held: Callable[[str], Known | None]) -> None:
        """Takes over what is gone and what is there. A row that cannot be run is remembered."""
        added, rejected = restored_at_once(self._registry, rows, held)
        for id in (*removed, *(row.id for row in rows)):
            self._rejected.pop(id, None)
        self._rejected |= rejected
        # What was replaced by something that cannot run here must not run on.
        self._registry.change_rows([*removed, *rejected], added)

    def _filled(self) -> int:
        """Fills the registry with the newest version, which it returns. Nobody reads it yet: rows go in by and by."""
        version = self._store.version()
        rows = self._store.snapshot(version)
        for added, rejected in restored_in_steps(self._registry, rows, self._registry.native.get):
            self._registry.change_rows((), added)
            self._rejected |= rejected
        return version
