"""What a sink needs of a database, and which database a URL names."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from penstock.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    import pyarrow as pa
    from pyspark.sql.types import StructType

_FORMS = "sqlite:///relative/path, sqlite:////absolute/path or postgresql://user@host/database"


class Dialect(Protocol):
    """Makes a table, and inserts what is not in it."""

    def create(self, table: str, schema: StructType, key: str) -> None:
        """Makes the table unless it is there."""

    def inserting(self, table: str, key: str) -> AbstractContextManager[Callable[[pa.RecordBatch], None]]:
        """A connection, and what inserts the new rows of an Arrow batch in one transaction."""


def absolute(url: str) -> str:
    """The URL that names the same database from any folder; other processes have other ones."""
    path = url.removeprefix("sqlite:///")
    return url if path == url else f"sqlite:///{Path(path).absolute()}"


def dialect(url: str) -> Dialect:
    """The database that the URL names."""
    scheme, separator, rest = url.partition("://")
    if scheme == "sqlite" and rest.startswith("/") and len(rest) > 1:
        from penstock.spark.sinks.sqlite import Sqlite

        return Sqlite(Path(rest[1:]))
    if scheme in ("postgresql", "postgres") and separator:
        # psycopg is an extra: who has no PostgreSQL does not need it.
        from penstock.spark.sinks.postgresql import Postgresql

        return Postgresql(url)
    shown = url if not separator else f"{scheme}://..."
    raise StoreError(f"{shown!r} is not the URL of a database: write {_FORMS}")


def quoted(name: str) -> str:
    """A name as SQL takes it; `schema.table` names a table of a schema.

    >>> quoted('feeds.de"liveries')
    '"feeds"."de""liveries"'
    """
    return ".".join('"{}"'.format(part.replace('"', '""')) for part in name.split("."))
