"""The subscriptions in one of Spark's Python workers."""

from __future__ import annotations

import gc
import logging
import time
from dataclasses import dataclass
from datetime import timedelta
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from pyspark import SparkFiles

from penstock.broker.registry import Registry
from penstock.broker.synchronise import Synchronised
from penstock.kernel.engine import Limits, make_engine
from penstock.spark.claims import claimed_version
from penstock.spark.compiled_files import leave, load_newest
from penstock.store import open_store

if TYPE_CHECKING:
    from penstock.kernel.engine import Subscriptions

FAR_SECONDS = 0.5
"""What took longer to compile since the file, the next worker should not have to compile again."""
_NEVER = timedelta.max
_log = logging.getLogger("penstock")


@dataclass(frozen=True, slots=True)
class Source:
    """Where a worker finds the subscriptions: in a compiled file that is sent to it, and in a store if they change.

    The file holds the version `holds` of the store at `url`. Without a `version`, that of the micro-batch is claimed.
    """

    file: str
    url: str | None = None
    holds: int = 0
    version: int | None = None

    @property
    def place(self) -> Path:
        """The file in this worker."""
        place = Path(SparkFiles.get(self.file))
        if not place.exists():
            # Streams under Spark Connect: Spark has a folder for the files of each session, and does not tell which.
            place = next(Path(SparkFiles.getRootDirectory()).glob(f"*/{self.file}"), place)
        return place


class Snapshot:
    """Subscriptions that never change."""

    def __init__(self, source: Source) -> None:
        self._registry = Registry.load(source.place)

    def move(self, _: Source) -> tuple[Subscriptions, None]:
        """The subscriptions; they have no version."""
        return self._registry.native, None


class Followed:
    """The subscriptions of a store, at one version at a time: a worker runs one task at a time."""

    def __init__(self, source: Source, url: str) -> None:
        self._store = open_store(url, create=False)
        self._registry, self._version = load_newest(source.place, source.holds)
        self._synchronised = Synchronised(self._store, self._registry, _NEVER, holds=self._version)
        self._seconds = 0.0

    def move(self, source: Source) -> tuple[Subscriptions, int]:
        """The subscriptions of the version that the source asks for; only what differs from the last is compiled."""
        version = claimed_version(self._store) if source.version is None else source.version
        if version != self._version:
            began = time.perf_counter()
            self._synchronised.move(version)
            self._version = version
            self._seconds += time.perf_counter() - began
            for one in self._synchronised.rejected:
                _log.warning("subscription %s is left out: %s", one.id, one.error)
            self._leave(source)
        return self._registry.native, version

    def _leave(self, source: Source) -> None:
        if self._seconds > FAR_SECONDS:
            try:
                leave(source.place, self._registry, self._version)
            except OSError as error:
                # Others will have to compile: that is no reason to stop.
                _log.warning("the subscriptions of version %d are not saved: %s", self._version, error)
            self._seconds = 0.0


class Worker:
    """What a process keeps for all its tasks of one source."""

    def __init__(self, limits: Limits) -> None:
        self.engine = make_engine(limits)
        self._subscriptions: Snapshot | Followed | None = None

    def move(self, source: Source) -> tuple[Subscriptions, int | None]:
        """The subscriptions, at the version that the source asks for, and that version if they have any."""
        if self._subscriptions is None:
            self._subscriptions = Snapshot(source) if source.url is None else Followed(source, source.url)
            # Spark collects garbage after every task: what stays anyway need not be gone through each time.
            gc.freeze()
        return self._subscriptions.move(source)


def worker_for(source: Source, limits: Limits) -> Worker:
    """Lives as long as the process. Queries of one store share it, whatever files were sent to them."""
    return _worker(source.url or source.file, limits)


@lru_cache(maxsize=8)
def _worker(_: str, limits: Limits) -> Worker:
    return Worker(limits)
