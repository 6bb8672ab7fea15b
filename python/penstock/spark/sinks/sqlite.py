"""SQLite as a sink: for one machine."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from pyspark.sql.types import LongType

from penstock.spark.sinks.dialects import quoted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    import pyarrow as pa
    from pyspark.sql.types import StructType

_PATIENCE_SECONDS = 60


@dataclass(frozen=True)
class Sqlite:
    """Writers wait in line; lists are JSON, times ISO 8601 in UTC."""

    path: Path

    def create(self, table: str, schema: StructType, key: str) -> None:
        """Makes the table unless it is there."""
        columns = ", ".join(
            f"{quoted(field.name)} {'INTEGER' if isinstance(field.dataType, LongType) else 'TEXT'}"
            f"{' PRIMARY KEY' if field.name == key else ''}{'' if field.nullable else ' NOT NULL'}"
            for field in schema
        )
        with closing(self._connect()) as connection:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute(f"CREATE TABLE IF NOT EXISTS {quoted(table)} ({columns})")

    @contextmanager
    def inserting(self, table: str, key: str) -> Iterator[Callable[[pa.RecordBatch], None]]:
        """A connection, and what inserts the new rows of an Arrow batch in one transaction."""
        with closing(self._connect()) as connection:

            def insert(batch: pa.RecordBatch) -> None:
                names = ", ".join(map(quoted, batch.schema.names))
                holders = ", ".join("?" * batch.num_columns)
                sql = f"INSERT INTO {quoted(table)} ({names}) VALUES ({holders}) ON CONFLICT ({quoted(key)}) DO NOTHING"  # noqa: S608
                connection.execute("BEGIN IMMEDIATE")
                connection.executemany(sql, (tuple(map(_value, row.values())) for row in batch.to_pylist()))
                connection.execute("COMMIT")

            yield insert

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self.path, timeout=_PATIENCE_SECONDS, isolation_level=None)
        # Spark notes a batch as done when it returns: by then it must be where a power failure cannot take it.
        connection.execute("PRAGMA synchronous = FULL")
        return connection


def _value(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat(timespec="microseconds")
    return json.dumps(value, ensure_ascii=False) if isinstance(value, list) else value
