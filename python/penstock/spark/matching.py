"""The match stage, as it runs in Spark's Python workers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from penstock.broker.arrow import TIME, DocumentBatch, as_xml
from penstock.spark.documents import CORRUPT, NOW
from penstock.spark.letters import error_rows
from penstock.spark.metering import Meter
from penstock.spark.worker import worker_for

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.broker.arrow import Letter
    from penstock.kernel.engine import Engine, Limits, Subscriptions
    from penstock.spark.worker import Source

_ROWS_AT_ONCE = 256
_REASON_LIMIT = 1000


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
        worker = worker_for(self.source, self.limits)
        meter = Meter()
        with meter.loading():
            subscriptions, version = worker.move(self.source)
        meter.moved(version)
        for batch in batches:
            for start in range(0, batch.num_rows, _ROWS_AT_ONCE):
                rows = batch.slice(start, _ROWS_AT_ONCE)
                yield from self._match(worker.engine, subscriptions, rows, meter)
        if self.metered:
            yield meter.rows(grouped=self.grouped)

    def _match(
        self, engine: Engine, subscriptions: Subscriptions, rows: pa.RecordBatch, meter: Meter
    ) -> Iterator[pa.RecordBatch]:
        documents = _documents(rows)
        with meter.matching(documents):
            found, letters = documents.match(engine, subscriptions, grouped=self.grouped, stop=self.failfast)
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
        "time": _times(batch),
        "xml": as_xml(batch.column("xml")),
    }
    return DocumentBatch(pa.RecordBatch.from_pydict(columns))


def _times(batch: pa.RecordBatch) -> pa.Array[Any]:
    times = batch.column("time").cast(TIME)
    if not times.null_count:
        return times
    return pc.coalesce(times, batch.column(NOW).cast(pa.int64()).cast(TIME))
