"""What a micro-batch did, as a StreamingQueryListener hears it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pyspark.sql.streaming.listener import StreamingQueryListener

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import Row
    from pyspark.sql.streaming.listener import (
        QueryIdleEvent,
        QueryProgressEvent,
        QueryStartedEvent,
        QueryTerminatedEvent,
        StreamingQueryProgress,
    )

_COLUMNS = {"documents", "bytes", "deliveries", "errors", "loading_seconds", "matching_seconds", "version"}


@dataclass(frozen=True, slots=True)
class BatchMetrics:
    """The figures of one micro-batch. `name` is that of `publish(..., metrics=name)`.

    `loading_seconds` is the time that workers took to bring the subscriptions to their version, `matching_seconds` that
    of the engine, both of all cores together; `seconds` is that of the batch by the clock. `version` is that of the
    subscriptions, None if there were no documents or the subscriptions are a snapshot.
    """

    name: str
    query: str
    batch_id: int
    documents: int
    bytes: int
    deliveries: int
    errors: int
    loading_seconds: float
    matching_seconds: float
    version: int | None
    seconds: float


def batch_metrics(progress: StreamingQueryProgress) -> list[BatchMetrics]:
    """The figures in a query's progress: those of `query.lastProgress`, or of a listener's event."""
    figures = {name: _figures(row) for name, row in progress.observedMetrics.items()}
    return [
        BatchMetrics(
            name=name,
            query=str(progress.id),
            batch_id=progress.batchId,
            documents=found["documents"] or 0,
            bytes=found["bytes"] or 0,
            deliveries=found["deliveries"] or 0,
            errors=found["errors"] or 0,
            loading_seconds=found["loading_seconds"] or 0.0,
            matching_seconds=found["matching_seconds"] or 0.0,
            version=found["version"],
            seconds=progress.batchDuration / 1000,
        )
        for name, found in figures.items()
        if found.keys() == _COLUMNS
    ]


def _figures(row: Row) -> dict[str, Any]:
    found: dict[str, Any] = row.asDict()
    # In `lastProgress` of Spark Connect the names are apart from the values.
    if found.keys() == {"values", "schema"}:
        return dict(zip((field["name"] for field in found["schema"]["fields"]), found["values"], strict=True))
    return found


class MetricsListener(StreamingQueryListener):
    """Calls a function with the figures of each micro-batch of a `publish(..., metrics=name)`.

    `spark.streams.addListener(MetricsListener(print))`
    """

    def __init__(self, listener: Callable[[BatchMetrics], None]) -> None:
        self._listener = listener

    def onQueryStarted(self, event: QueryStartedEvent) -> None:  # noqa: N802 - Spark's name
        """Nothing is known yet."""

    def onQueryProgress(self, event: QueryProgressEvent) -> None:  # noqa: N802 - Spark's name
        """A micro-batch is done."""
        for metrics in batch_metrics(event.progress):
            self._listener(metrics)

    def onQueryIdle(self, event: QueryIdleEvent) -> None:  # noqa: N802 - Spark's name
        """Nothing came."""

    def onQueryTerminated(self, event: QueryTerminatedEvent) -> None:  # noqa: N802 - Spark's name
        """Nothing more will come."""
