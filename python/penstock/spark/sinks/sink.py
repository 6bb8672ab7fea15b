"""What a sink is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from pyspark.sql import functions as F  # noqa: N812

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

BATCH = "batch"
"""The column that says of which batch a row is, in sinks that replace batches."""

DEFAULT_OPTIONS = {"timestampFormat": "yyyy-MM-dd'T'HH:mm:ss.SSSSSSXXX"}
"""Spark's own format of times in JSON and CSV forgets the microseconds."""


class Sink(Protocol):
    """Takes batches of deliveries. Under Spark Connect it is pickled, and called in another process."""

    def write(self, rows: DataFrame, batch: str) -> None:
        """Writes the rows of a batch; what was written under this name before, whole or in part, is not kept twice."""


def named(rows: DataFrame, batch: str) -> DataFrame:
    """The rows with the name of their batch as last column."""
    return rows.withColumn(BATCH, F.lit(batch))


def check_column(rows: DataFrame, name: str, purpose: str) -> None:
    """Grouped deliveries lack some columns."""
    if name not in rows.columns:
        raise ValueError(f"{purpose} needs a column {name}; the rows have {', '.join(rows.columns)}")
