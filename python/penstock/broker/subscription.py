"""Standing queries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, overload

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from penstock.broker.delivery import Delivery
    from penstock.errors import QueryError

Deliver: TypeAlias = Literal["item", "document"]


@dataclass(frozen=True, slots=True)
class Subscription:
    """A registered query and how its results are to be delivered."""

    id: str
    query: str
    language: str | None
    """None until the query was looked at."""
    stream: str | None
    namespaces: Mapping[str, str]
    subscriber: str | None
    running: bool
    deliver: Deliver
    deliver_empty: bool
    callback: Callable[[Delivery], Any] | None = field(compare=False)

    @property
    def options(self) -> Options:
        """What it shares with many others."""
        namespaces = tuple(sorted(self.namespaces.items()))
        return Options(self.language, namespaces, self.running, self.deliver, self.deliver_empty)


class Options(NamedTuple):
    """All that matters to a query besides its text, and how its results are delivered."""

    language: str | None
    namespaces: tuple[tuple[str, str], ...]
    running: bool
    deliver: Deliver
    deliver_empty: bool


@dataclass(frozen=True, slots=True)
class Rejected:
    """A row that `subscribe_many` did not take, and why."""

    id: str | None
    error: QueryError


class Accepted(Sequence[Subscription]):
    """The subscriptions that `subscribe_many` took. They are made when they are looked at: there may be a million."""

    def __init__(self, ids: list[str], get: Callable[[str], Subscription]) -> None:
        self._ids = ids
        self._get = get

    def __len__(self) -> int:
        return len(self._ids)

    @overload
    def __getitem__(self, place: int) -> Subscription: ...

    @overload
    def __getitem__(self, place: slice) -> Accepted: ...

    def __getitem__(self, place: int | slice) -> Subscription | Accepted:
        if isinstance(place, slice):
            return Accepted(self._ids[place], self._get)
        return self._get(self._ids[place])

    def __repr__(self) -> str:
        return f"<{len(self)} subscriptions>"


@dataclass(frozen=True, slots=True)
class Registered:
    """What `subscribe_many` did."""

    accepted: Accepted
    rejected: tuple[Rejected, ...]
