"""PostgreSQL as a sink: for any number of machines."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pyspark.sql.types import ArrayType, LongType, TimestampType

from penstock.errors import StoreError
from penstock.spark.sinks.dialects import quoted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import pyarrow as pa
    from pyspark.sql.types import DataType, StructType

try:
    import psycopg
except ImportError as error:
    raise StoreError("a PostgreSQL sink needs psycopg: pip install 'penstock[postgresql]'") from error

# Any number, so long as every Penstock takes the same: makers of tables wait for one another.
_CREATION_LOCK = 0x70656E74


@dataclass(frozen=True)
class Postgresql:
    """Rows are copied to a temporary table, and from there to their own: far faster than one by one."""

    url: str

    def create(self, table: str, schema: StructType, key: str) -> None:
        """Makes the table unless it is there."""
        columns = ", ".join(
            f"{quoted(field.name)} {_type(field.dataType)}"
            f"{' PRIMARY KEY' if field.name == key else ''}{'' if field.nullable else ' NOT NULL'}"
            for field in schema
        )
        with psycopg.connect(self.url) as connection:
            connection.execute("SELECT pg_advisory_xact_lock(%s)", (_CREATION_LOCK,))
            _run(connection, f"CREATE TABLE IF NOT EXISTS {quoted(table)} ({columns})")

    @contextmanager
    def inserting(self, table: str, key: str) -> Iterator[Callable[[pa.RecordBatch], None]]:
        """A connection, and what inserts the new rows of an Arrow batch in one transaction."""
        with psycopg.connect(self.url, autocommit=True) as connection:
            _run(connection, f"CREATE TEMPORARY TABLE penstock_rows (LIKE {quoted(table)}) ON COMMIT DELETE ROWS")

            def insert(batch: pa.RecordBatch) -> None:
                names = ", ".join(map(quoted, batch.schema.names))
                with connection.transaction(), connection.cursor() as cursor:
                    copying: Any = f"COPY penstock_rows ({names}) FROM STDIN"
                    with cursor.copy(copying) as copy:
                        for row in batch.to_pylist():
                            copy.write_row([_value(value) for value in row.values()])
                    # In one order by all writers, so that two that write the same rows cannot lock each other out.
                    _run(
                        connection,
                        f"INSERT INTO {quoted(table)} ({names}) SELECT {names} FROM penstock_rows "  # noqa: S608
                        f"ORDER BY {quoted(key)} ON CONFLICT ({quoted(key)}) DO NOTHING",
                    )

            yield insert


def _run(connection: psycopg.Connection[Any], statement: Any) -> None:
    """Statements are made of quoted names; psycopg's types allow literals only."""
    connection.execute(statement)


def _type(kind: DataType) -> str:
    match kind:
        case LongType():
            return "BIGINT"
        case TimestampType():
            return "TIMESTAMPTZ"
        case ArrayType():
            return "TEXT[]"
        case _:
            return "TEXT"


def _value(value: Any) -> Any:
    """PostgreSQL keeps no zero character; the beginning of a dead letter may hold one."""
    return value.replace("\0", "\ufffd") if isinstance(value, str) else value
