"""Deliveries to sinks: a stream batch by batch, or a batch at once."""

from __future__ import annotations

import json
from contextlib import contextmanager
from typing import TYPE_CHECKING

from penstock.spark.claims import batch_tag

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.readwriter import DataStreamWriter

    from penstock.spark.sinks import Sink


def write_stream(deliveries: DataFrame, sink: Sink, checkpoint: str) -> DataStreamWriter:
    """A writer of a stream to a sink, for `trigger(...)`, `queryName(...)` and `start()`.

    Each micro-batch is matched once, and written under a name that is the same when it is replayed after a crash, and
    unlike those of all other queries. `checkpoint` is Spark's `checkpointLocation`.
    """
    writer = deliveries.writeStream.option("checkpointLocation", checkpoint)
    return writer.foreachBatch(_BatchWriter(sink, checkpoint))


def write_batch(deliveries: DataFrame, sink: Sink, name: str) -> None:
    """Writes a batch to a sink. What was written under the same name before is not kept twice."""
    sink.write(deliveries, name)


class _BatchWriter:
    """What `foreachBatch` calls; under Spark Connect in a process of the server."""

    def __init__(self, sink: Sink, checkpoint: str) -> None:
        self._sink = sink
        self._checkpoint = checkpoint
        self._query = ""

    def __call__(self, rows: DataFrame, batch_id: int) -> None:
        spark = rows.sparkSession
        # A checkpoint that was removed, and made anew by another query, starts again with batch 0.
        if not self._query or batch_id == 0:
            self._query = query_id(spark, self._checkpoint)
        with _tagged(spark, batch_tag(self._query, batch_id)):
            self._sink.write(rows, batch_name(self._query, batch_id))


def batch_name(query: str, batch_id: int) -> str:
    """The name of a micro-batch. It starts with a letter, or Spark might take it for a number.

    >>> batch_name("04d82431-56f1-4b8b-b010-e4223418c2dc", 7)
    'q04d82431-000007'
    """
    return f"q{query[:8]}-{batch_id:06}"


def query_id(spark: SparkSession, checkpoint: str) -> str:
    """The id that Spark gave the query of a checkpoint; the file is there before the first micro-batch."""
    (row,) = spark.read.text(f"{checkpoint}/metadata", wholetext=True).collect()
    return str(json.loads(row.value)["id"])


@contextmanager
def _tagged(spark: SparkSession, tag: str) -> Iterator[None]:
    """Under Spark Connect a tag is the only thing that tasks of `foreachBatch` know of their micro-batch."""
    spark.addTag(tag)
    try:
        yield
    finally:
        spark.removeTag(tag)
