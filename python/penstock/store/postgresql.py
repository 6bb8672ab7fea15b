"""A store in a PostgreSQL database: for any number of machines."""

from __future__ import annotations

import re
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from penstock.errors import StoreError
from penstock.store import schema
from penstock.store.planning import LINE_COLUMNS
from penstock.store.pool import Pool
from penstock.store.rows import quoted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from datetime import datetime

    import psycopg

    from penstock.store.backend import Line

try:
    import psycopg
    from psycopg.conninfo import conninfo_to_dict, make_conninfo
except ImportError as error:
    raise StoreError("a PostgreSQL store needs psycopg: pip install 'penstock[postgresql]'") from error

_COPY = f"COPY penstock_log ({quoted(LINE_COLUMNS)}) FROM STDIN"
_ROWS_A_FETCH = 10_000
_PATIENCE_SECONDS = 10
# Any number, so long as every Penstock takes the same: makers of tables wait for one another.
_CREATION_LOCK = 0x70656E73


class PostgresqlBackend:
    """Every statement that reads sees one state; writers wait in line for the line of `penstock_state`."""

    among = "id = ANY(?)"

    def __init__(self, url: str, *, create: bool) -> None:
        self.url = url
        self.name = without_password(url)
        self._pool: Pool[psycopg.Connection[Line]] = Pool(self._connect)
        self._prepare(create=create)

    def id_list(self, ids: Iterable[str]) -> Any:
        """An array of texts."""
        return list(ids)

    def time(self, moment: datetime) -> Any:
        """As it is."""
        return moment

    def moment(self, time: Any) -> datetime:
        """As it is."""
        found: datetime = time
        return found

    @contextmanager
    def reading(self) -> Iterator[_Transaction]:
        """What the first statement sees, the others see."""
        with self._transaction(psycopg.IsolationLevel.REPEATABLE_READ, read_only=True) as transaction:
            yield transaction

    @contextmanager
    def writing(self) -> Iterator[_Transaction]:
        """Each statement sees what was committed before it: who waited for a lock sees what it waited for."""
        with self._transaction(psycopg.IsolationLevel.READ_COMMITTED, read_only=False) as transaction:
            yield transaction

    def close(self) -> None:
        """Closes the connections."""
        self._pool.close()

    @contextmanager
    def _transaction(self, level: psycopg.IsolationLevel, *, read_only: bool) -> Iterator[_Transaction]:
        with self._translated():
            connection = self._begun(level, read_only=read_only)
            try:
                yield _Transaction(connection)
                connection.commit()
            except BaseException:
                if not connection.closed:
                    connection.rollback()
                raise
            finally:
                if connection.closed:
                    connection.close()
                else:
                    self._pool.give(connection)

    def _begun(self, level: psycopg.IsolationLevel, *, read_only: bool) -> psycopg.Connection[Line]:
        """A connection in a new transaction; one that the server has closed meanwhile is replaced."""
        while True:
            connection, is_used = self._pool.take()
            try:
                connection.isolation_level = level
                connection.read_only = read_only
                if is_used:
                    connection.execute("SELECT 1")
            except psycopg.OperationalError:
                connection.close()
            else:
                return connection

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except psycopg.Error as error:
            raise StoreError(f"{self.name}: {error}") from error

    def _connect(self) -> psycopg.Connection[Line]:
        # A server that is away must not hold up a broker's documents for as long as TCP would try.
        patience = conninfo_to_dict(self.url).get("connect_timeout", _PATIENCE_SECONDS)
        connection: psycopg.Connection[Line] = psycopg.connect(make_conninfo(self.url, connect_timeout=patience))
        return connection

    def _prepare(self, *, create: bool) -> None:
        with self.reading() as transaction:
            ((exists,),) = transaction.rows("SELECT to_regclass('penstock_state') IS NOT NULL")
        if not exists:
            if not create:
                raise StoreError(f"{self.name}: there is no store in this database")
            with self.writing() as transaction:
                transaction.run("SELECT pg_advisory_xact_lock(?)", (_CREATION_LOCK,))
                for statement in schema.statements(time="TIMESTAMPTZ"):
                    transaction.run(statement)
        with self.reading() as transaction:
            schema.check_format(transaction, self.name)


class _Transaction:
    def __init__(self, connection: psycopg.Connection[Line]) -> None:
        self._connection = connection

    def run(self, sql: str, parameters: Sequence[Any] = ()) -> None:
        self._connection.execute(_dialect(sql), parameters)

    def rows(self, sql: str, parameters: Sequence[Any] = ()) -> list[Line]:
        return self._connection.execute(_dialect(sql), parameters).fetchall()

    def stream(self, sql: str, parameters: Sequence[Any] = ()) -> Iterator[Line]:
        # A cursor of the server: the client's would hold the whole result.
        with self._connection.cursor("penstock") as cursor:
            cursor.itersize = _ROWS_A_FETCH
            yield from cursor.execute(_dialect(sql), parameters)

    def append(self, lines: Iterable[Sequence[Any]]) -> None:
        with self._connection.cursor() as cursor, cursor.copy(_COPY) as copy:
            for line in lines:
                copy.write_row(line)

    def exclude_claims(self) -> None:
        """Reading claims stays possible."""
        self.run("LOCK TABLE penstock_claims IN SHARE ROW EXCLUSIVE MODE")


def _dialect(sql: str) -> bytes:
    """psycopg's sign for a parameter. Bytes, since it takes only literal strings: ours are constants."""
    return sql.replace("?", "%s").encode()


def without_password(url: str) -> str:
    """The URL as it may be shown.

    >>> without_password("postgresql://ann:secret@db.example/subs?password=secret&sslmode=require")
    'postgresql://ann@db.example/subs?password=...&sslmode=require'
    """
    url = re.sub(r"^(\w+://[^:/@?]*):[^/?]*@", r"\1@", url)
    return re.sub(r"(\bpassword=)[^&]*", r"\1...", url)
