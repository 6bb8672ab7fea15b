"""What the store needs of a database. SQL is written with `?` for parameters, in the dialect that both understand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from contextlib import AbstractContextManager
    from datetime import datetime

Line: TypeAlias = tuple[Any, ...]


class Transaction(Protocol):
    """Statements that take effect together or not at all."""

    def run(self, sql: str, parameters: Sequence[Any] = ()) -> None:
        """Runs a statement that gives nothing."""

    def rows(self, sql: str, parameters: Sequence[Any] = ()) -> list[Line]:
        """What a query gives."""

    def stream(self, sql: str, parameters: Sequence[Any] = ()) -> Iterator[Line]:
        """The same, without ever holding all of it."""

    def append(self, lines: Iterable[Sequence[Any]]) -> None:
        """Appends to the log, as fast as the database can."""

    def exclude_claims(self) -> None:
        """Lets no one claim until the transaction ends."""


class Backend(Protocol):
    """A database that holds one store."""

    url: str
    name: str
    """The URL without a password, for messages."""
    among: str
    """The condition that an id is one of those in its parameter, made by `id_list`."""

    def id_list(self, ids: Iterable[str]) -> Any:
        """The parameter of `among`."""

    def time(self, moment: datetime) -> Any:
        """A moment as the database takes it."""

    def moment(self, time: Any) -> datetime:
        """A moment as the database gives it."""

    def reading(self) -> AbstractContextManager[Transaction]:
        """A transaction that sees the store as it is now, whatever others do meanwhile."""

    def writing(self) -> AbstractContextManager[Transaction]:
        """A transaction that is committed at its end, or rolled back by an exception."""

    def close(self) -> None:
        """Closes the connections."""
