"""The demonstration's documents through a streaming query of Spark."""

from __future__ import annotations

import json
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from penstock import Delivery
from penstock.cli.demonstration import Letter, Outcome
from penstock.spark import batch_metrics, publish, write_stream
from penstock.spark.session import local_session

if TYPE_CHECKING:
    from collections.abc import Iterable

    from penstock import Broker
    from penstock.samples import Sample

_SCHEMA = "id string, stream string, xml string"


class SparkWay:
    """A folder as a stream: a file that is put there is a micro-batch. The query is never restarted."""

    def __init__(self, broker: Broker) -> None:
        began = time.perf_counter()
        self._spark = local_session()
        self._start_seconds = time.perf_counter() - began
        self._folder = tempfile.TemporaryDirectory(prefix="penstock-demo-")
        self._incoming = Path(self._folder.name, "incoming")
        self._incoming.mkdir()
        self._arrived = _Arrived()
        self._batches = 0
        documents = self._spark.readStream.schema(_SCHEMA).json(str(self._incoming))
        deliveries = publish(documents, broker, errors="rows", metrics="demo")
        self._query = write_stream(deliveries, self._arrived, f"{self._folder.name}/checkpoint").start()

    def publish(self, samples: list[Sample]) -> Outcome:
        """What a micro-batch gives; its time is from the arrival of its file to that of its deliveries."""
        self._batches += 1
        rows = [{"id": one.id, "stream": one.stream, "xml": one.xml.decode()} for one in samples]
        hidden = self._incoming / f".{self._batches}"
        hidden.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
        began = time.perf_counter()
        hidden.rename(self._incoming / f"{self._batches:04}.json")
        self._query.processAllAvailable()
        rows_found, moment = self._arrived.take()
        places = {sample.id: place for place, sample in enumerate(samples)}
        rows_found.sort(key=lambda row: (places[row.documents[0]], row.sequence))
        return Outcome(
            [_delivery(row) for row in rows_found if row.kind != "error"],
            [_letter(row) for row in rows_found if row.kind == "error"],
            moment - began,
        )

    def finish(self) -> Iterable[str]:
        """What Spark knows of the micro-batches."""
        figures = [one for progress in self._query.recentProgress for one in batch_metrics(progress)]
        self._query.stop()
        self._spark.stop()
        self._folder.cleanup()
        busy = [one for one in figures if one.documents]
        versions = sorted({one.version for one in busy if one.version is not None})
        matching, size = sum(one.matching_seconds for one in busy), sum(one.bytes for one in busy)
        yield f"Spark started in {self._start_seconds:.1f} s; one query, never restarted"
        yield f"versions of the subscriptions used: {', '.join(map(str, versions))}"
        yield f"time within the engine: {matching * 1000:.0f} ms for {size:,} bytes of XML"


class _Arrived:
    """A sink that keeps rows until they are taken."""

    def __init__(self) -> None:
        self._rows: list[Any] = []
        self._moment = 0.0

    def write(self, rows: Any, batch: str) -> None:  # noqa: ARG002 - all batches are alike
        """Spark calls it in this process."""
        self._rows += rows.collect()
        self._moment = time.perf_counter()

    def take(self) -> tuple[list[Any], float]:
        """All rows since the last time, and when they came."""
        taken, self._rows = self._rows, []
        return taken, self._moment


def _delivery(row: Any) -> Delivery:
    return Delivery(
        row.subscription,
        row.subscriber,
        row.kind,
        row.fragment,
        tuple(row.documents),
        row.stream,
        row.time,
        row.sequence,
    )


def _letter(row: Any) -> Letter:
    letter = json.loads(row.fragment)
    return Letter(row.documents[0], letter["message"], letter["line"], letter["column"])
