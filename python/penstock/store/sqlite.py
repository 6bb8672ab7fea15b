"""A store in a SQLite file: for one machine, any number of processes."""

from __future__ import annotations

import json
import random
import sqlite3
import time
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from penstock.errors import StoreError
from penstock.store import schema
from penstock.store.planning import LINE_COLUMNS
from penstock.store.pool import Pool
from penstock.store.rows import quoted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from penstock.store.backend import Line

_PATIENCE_SECONDS = 60
_INSERT = f"INSERT INTO penstock_log ({quoted(LINE_COLUMNS)}) VALUES ({', '.join('?' * len(LINE_COLUMNS))})"  # noqa: S608


class SqliteBackend:
    """Write-ahead logging: readers and the writer do not wait for one another; writers wait in line."""

    among = "id IN (SELECT value FROM json_each(?))"

    def __init__(self, path: Path, *, create: bool) -> None:
        self._path = path.absolute()
        self.url = self.name = f"sqlite:///{self._path}"
        if not create and not path.exists():
            raise StoreError(f"{self.name}: there is no such store")
        self._pool: Pool[sqlite3.Connection] = Pool(self._connect)
        with self._translated():
            self._prepare(create=create)

    def id_list(self, ids: Iterable[str]) -> Any:
        """JSON, since SQLite takes only so many parameters."""
        return json.dumps(list(ids))

    def time(self, moment: datetime) -> Any:
        """ISO 8601: readable, and in order of time as all are in UTC."""
        return moment.isoformat(timespec="microseconds")

    def moment(self, time: Any) -> datetime:
        """As it was given."""
        return datetime.fromisoformat(time)

    @contextmanager
    def reading(self) -> Iterator[_Transaction]:
        """A deferred transaction: what the first statement sees, the others see."""
        with self._transaction(lambda connection: connection.execute("BEGIN")) as transaction:
            yield transaction

    @contextmanager
    def writing(self) -> Iterator[_Transaction]:
        """A transaction that holds the one writer's lock from its beginning."""
        with self._transaction(_begin_to_write) as transaction:
            yield transaction

    def close(self) -> None:
        """Closes the connections."""
        self._pool.close()

    @contextmanager
    def _transaction(self, begin: Callable[[sqlite3.Connection], object]) -> Iterator[_Transaction]:
        connection, _ = self._pool.take()
        try:
            with self._translated():
                begin(connection)
                yield _Transaction(connection)
                connection.commit()
        finally:
            # Nothing is left to roll back if it was committed.
            connection.rollback()
            self._pool.give(connection)

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise StoreError(f"{self.name}: {error}") from error

    def _connect(self) -> sqlite3.Connection:
        # Any thread may use a connection, one at a time: the pool sees to it.
        with self._translated():
            connection = sqlite3.connect(
                self._path, timeout=_PATIENCE_SECONDS, isolation_level=None, check_same_thread=False
            )
        # A claim that a power failure forgot could be made again for another version.
        connection.execute("PRAGMA synchronous = FULL")
        return connection

    def _prepare(self, *, create: bool) -> None:
        # Looked at first: to open a store should not have to wait for those who write to it.
        with self.reading() as transaction:
            exists = transaction.rows("SELECT 1 FROM sqlite_master WHERE name = 'penstock_state'")
        if not exists:
            if not create:
                raise StoreError(f"{self.name}: there is no store in this file")
            self._create()
        with self.reading() as transaction:
            schema.check_format(transaction, self.name)

    def _create(self) -> None:
        connection, _ = self._pool.take()
        # SQLite itself does not wait for its turn to make this switch.
        _patiently(connection, "PRAGMA journal_mode = WAL")
        self._pool.give(connection)
        with self.writing() as transaction:
            for statement in schema.statements(time="TEXT", clustered="WITHOUT ROWID"):
                transaction.run(statement)


class _Transaction:
    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def run(self, sql: str, parameters: Sequence[Any] = ()) -> None:
        self._connection.execute(sql, parameters)

    def rows(self, sql: str, parameters: Sequence[Any] = ()) -> list[Line]:
        return self._connection.execute(sql, parameters).fetchall()

    def stream(self, sql: str, parameters: Sequence[Any] = ()) -> Iterator[Line]:
        return self._connection.execute(sql, parameters)

    def append(self, lines: Iterable[Sequence[Any]]) -> None:
        self._connection.executemany(_INSERT, lines)

    def exclude_claims(self) -> None:
        """The one writer excludes all others already."""


def _begin_to_write(connection: sqlite3.Connection) -> None:
    """SQLite's own waiting sleeps ever longer, and starves beside a busy writer: a claim could take half a minute."""
    connection.execute("PRAGMA busy_timeout = 0")
    try:
        _patiently(connection, "BEGIN IMMEDIATE")
    finally:
        connection.execute(f"PRAGMA busy_timeout = {1000 * _PATIENCE_SECONDS}")


def _patiently(connection: sqlite3.Connection, statement: str) -> None:
    """Tries until it is its turn."""
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while True:
        try:
            connection.execute(statement)
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF not in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
                raise
            if time.monotonic() > deadline:
                raise
            time.sleep(random.uniform(0.0005, 0.003))
        else:
            return
