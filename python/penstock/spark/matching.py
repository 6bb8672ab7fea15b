"""The match stage, as it runs in Spark's Python workers."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import timedelta
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark import SparkFiles

from penstock.broker.arrow import TIME, DocumentBatch, as_xml
from penstock.broker.registry import Registry
from penstock.broker.synchronise import Synchronised
from penstock.kernel.engine import Limits, make_engine
from penstock.spark.claims import claimed_version
from penstock.spark.documents import CORRUPT
from penstock.spark.letters import error_rows
from penstock.spark.metering import Meter
from penstock.store import open_store

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.broker.arrow import Letter

_ROWS_AT_ONCE = 256
_REASON_LIMIT = 1000
_NEVER = timedelta.max

_log = logging.getLogger("penstock")


@dataclass(frozen=True, slots=True)
class Source:
    """Where a worker finds the subscriptions: a store's URL, or the name of a store's file that is sent to it.

    Without a `version`, that of the micro-batch is claimed in the store.
    """

    url: str | None = None
    file: str | None = None
    version: int | None = None

    def location(self) -> str:
        """The URL for this worker."""
        return self.url if self.url is not None else f"sqlite:///{SparkFiles.get(self.file or '')}"


@dataclass(frozen=True, slots=True)
class MatchStage:
    """Documents in, deliveries out, for `mapInArrow`."""

    source: Source
    limits: Limits
    grouped: bool
    failfast: bool
    refused_as_rows: bool
    failures_as_rows: bool
    metered: bool = False

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """All batches of one task are matched against one version."""
        worker = _worker(self.source.location(), self.limits)
        meter = Meter(worker.move(self.source.version))
        for batch in batches:
            for start in range(0, batch.num_rows, _ROWS_AT_ONCE):
                yield from self._match(worker, batch.slice(start, _ROWS_AT_ONCE), meter)
        if self.metered:
            yield meter.rows(grouped=self.grouped)

    def _match(self, worker: _Worker, rows: pa.RecordBatch, meter: Meter) -> Iterator[pa.RecordBatch]:
        documents = _documents(rows)
        with meter.matching(documents):
            subscriptions = worker.registry.native
            found, letters = documents.match(worker.engine, subscriptions, grouped=self.grouped, stop=self.failfast)
        letters = _explained(letters, rows)
        meter.refused(letters)
        for letter in letters:
            if self.failfast and letter.subscription is None:
                raise letter.error()
        yield from found
        shown = [letter for letter in letters if self._is_shown(letter)]
        if shown:
            yield error_rows(documents, shown, grouped=self.grouped)

    def _is_shown(self, letter: Letter) -> bool:
        return self.refused_as_rows if letter.subscription is None else self.failures_as_rows


class _Worker:
    """The subscriptions of one store in this process, at one version at a time: a worker runs one task at a time."""

    def __init__(self, url: str, limits: Limits) -> None:
        self.engine = make_engine(limits)
        self.registry = Registry()
        self._store = open_store(url, create=False)
        self._synchronised: Synchronised | None = None
        self._version = -1

    def move(self, fixed: int | None) -> int:
        """To a version, or to that of the micro-batch; returns it. Only what differs from the last is compiled."""
        version = claimed_version(self._store) if fixed is None else fixed
        if version == self._version:
            return version
        if self._synchronised is None:
            self._synchronised = Synchronised(self._store, self.registry, _NEVER, version)
        else:
            self._synchronised.move(version)
        self._version = version
        for one in self._synchronised.rejected:
            _log.warning("subscription %s is left out: %s", one.id, one.error)
        return version


@lru_cache(maxsize=8)
def _worker(url: str, limits: Limits) -> _Worker:
    """Lives as long as the process: every task of it finds its machine built."""
    return _Worker(url, limits)


def _explained(letters: list[Letter], rows: pa.RecordBatch) -> list[Letter]:
    """A document that is null since its source could not read it is refused with the reason that the source gave."""
    if not letters or CORRUPT not in rows.schema.names:
        return letters
    reasons, xml = rows.column(CORRUPT), rows.column("xml")
    return [
        letter._replace(message=f"no document: {reasons[letter.row].as_py()[:_REASON_LIMIT]}")
        if reasons[letter.row].is_valid and not xml[letter.row].is_valid
        else letter
        for letter in letters
    ]


def _documents(batch: pa.RecordBatch) -> DocumentBatch:
    columns: dict[str, pa.Array[Any]] = {
        "id": batch.column("id").cast(pa.string()),
        "stream": batch.column("stream").cast(pa.string()),
        "time": batch.column("time").cast(TIME),
        "xml": as_xml(batch.column("xml")),
    }
    return DocumentBatch(pa.RecordBatch.from_pydict(columns))
