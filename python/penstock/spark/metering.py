"""What matching costs, counted in the workers. It travels as rows among the deliveries, which Spark observes and drops.

Accumulators would do for classic Spark only, and observing documents on their way in would not know of time.
"""

from __future__ import annotations

import time
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import functions as F  # noqa: N812

from penstock.broker.arrow import DELIVERIES, GROUPED

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import DataFrame, Observation

    from penstock.broker.arrow import DocumentBatch, Letter

METRIC = "metric"
"""The kind of rows that are no deliveries. They hold the name of a measure in `stream`, its value in `sequence`."""
_EPOCH = datetime.fromtimestamp(0, UTC)


class Meter:
    """Counts for one task."""

    def __init__(self) -> None:
        self._counts = {"documents": 0, "bytes": 0, "errors": 0, "loading": 0, "matching": 0}

    @contextmanager
    def loading(self) -> Iterator[None]:
        """Counts the time that the block takes to bring the subscriptions to their version."""
        with self._timed("loading"):
            yield

    def moved(self, version: int | None) -> None:
        """Notes the version of the subscriptions, if they have any."""
        if version is not None:
            self._counts["version"] = version

    @contextmanager
    def matching(self, documents: DocumentBatch) -> Iterator[None]:
        """Counts the documents, and the time that the block takes."""
        xml: Any = documents.rows.column("xml")
        self._counts["documents"] += len(xml)
        self._counts["bytes"] += pc.sum(pc.binary_length(xml)).as_py() or 0
        with self._timed("matching"):
            yield

    @contextmanager
    def _timed(self, measure: str) -> Iterator[None]:
        began = time.perf_counter_ns()
        yield
        self._counts[measure] += time.perf_counter_ns() - began

    def refused(self, letters: list[Letter]) -> None:
        """Counts what went wrong, whether it is delivered or not."""
        self._counts["errors"] += len(letters)

    def rows(self, *, grouped: bool) -> pa.RecordBatch:
        """The counts as rows that fit among deliveries."""
        rows = [_row(name, count) for name, count in self._counts.items()]
        return pa.RecordBatch.from_pylist(rows, schema=GROUPED if grouped else DELIVERIES)


def observed(found: DataFrame, name: str | Observation, *, grouped: bool) -> DataFrame:
    """The deliveries alone; what the other rows count is observed under the name."""
    is_delivery = ~F.col("kind").isin(METRIC, "error")
    weight = F.size("subscriptions") if grouped else F.lit(1)
    totals = {measure: _total(measure) for measure in ("documents", "bytes", "errors", "loading", "matching")}
    version = F.max(F.when(_is_measure("version"), F.col("sequence")))
    measured = found.observe(
        name,
        totals["documents"].alias("documents"),
        totals["bytes"].alias("bytes"),
        F.sum(F.when(is_delivery, weight).otherwise(0)).cast("bigint").alias("deliveries"),
        totals["errors"].alias("errors"),
        (totals["loading"] / 1e9).alias("loading_seconds"),
        (totals["matching"] / 1e9).alias("matching_seconds"),
        version.alias("version"),
    )
    return measured.where(F.col("kind") != METRIC)


def _is_measure(measure: str) -> Any:
    return (F.col("kind") == METRIC) & (F.col("stream") == measure)


def _total(measure: str) -> Any:
    return F.sum(F.when(_is_measure(measure), F.col("sequence")).otherwise(0))


def _row(name: str, count: int) -> dict[str, Any]:
    header = {"documents": [], "stream": name, "time": _EPOCH, "sequence": count, "kind": METRIC, "fragment": ""}
    return {"subscription": "", "subscriber": None, "subscriptions": [], **header, "match_id": ""}
