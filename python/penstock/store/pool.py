"""Connections of one process, each used by one caller at a time."""

from __future__ import annotations

import os
import weakref
from collections import deque
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from penstock.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Callable


class _Closable(Protocol):
    def close(self) -> None: ...


Connection = TypeVar("Connection", bound=_Closable)

# Neither SQLite nor PostgreSQL allows a child process to use its parent's connections; even closing them does harm.
_INHERITED: list[list[object]] = []


class Pool(Generic[Connection]):
    """Keeps idle connections for the next caller; safe for threads (a deque's ends are) and after a fork."""

    def __init__(self, connect: Callable[[], Connection]) -> None:
        self._connect = connect
        self._idle: deque[Connection] = deque()
        self._process = os.getpid()
        self._closed = False
        self._finalizer = weakref.finalize(self, _close_all, self._idle, self._process)

    def take(self) -> tuple[Connection, bool]:
        """A connection for the caller alone, and whether it was used before."""
        if self._closed:
            raise StoreError("the store is closed")
        if self._process != os.getpid():
            _INHERITED.append(list(self._idle))
            self._idle.clear()
            self._process = os.getpid()
        try:
            return self._idle.pop(), True
        except IndexError:
            return self._connect(), False

    def give(self, connection: Connection) -> None:
        """Takes back a connection that is in no transaction."""
        if self._closed or self._process != os.getpid():
            connection.close()
        else:
            self._idle.append(connection)

    def close(self) -> None:
        """Closes what is idle now, and the rest when it is given back."""
        self._closed = True
        self._finalizer()


def _close_all(idle: deque[Connection], process: int) -> None:
    while idle and process == os.getpid():
        idle.pop().close()
