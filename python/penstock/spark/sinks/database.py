"""A table of SQLite or PostgreSQL that keeps one row for each `match_id`, whatever is written again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyarrow as pa

from penstock.spark.sinks.dialects import absolute, dialect
from penstock.spark.sinks.sink import check_column

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import DataFrame

KEY = "match_id"


@dataclass(frozen=True)
class DatabaseSink:
    """Writes to a table of the database at `sqlite:///path` or `postgresql://...`; one that is not there is made.

    Spark's workers write to it, a few thousand rows a transaction. A row whose `match_id` is there already is left out:
    neither a replayed batch, nor one that broke off half-way, nor a document that comes twice is delivered twice.
    """

    url: str
    table: str = "deliveries"

    def __post_init__(self) -> None:
        object.__setattr__(self, "url", absolute(self.url))

    def write(self, rows: DataFrame, batch: str) -> None:  # noqa: ARG002 - rows have names of their own
        """Writes the rows that are not there yet."""
        check_column(rows, KEY, "a table without doubles")
        dialect(self.url).create(self.table, rows.schema, KEY)
        done = rows.mapInArrow(_Insertion(self.url, self.table), "rows bigint")
        done.collect()


@dataclass(frozen=True)
class _Insertion:
    url: str
    table: str

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        with dialect(self.url).inserting(self.table, KEY) as insert:
            for batch in batches:
                insert(batch)
                yield pa.RecordBatch.from_pydict({"rows": pa.array([batch.num_rows], pa.int64())})
