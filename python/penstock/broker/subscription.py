"""Standing queries."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from penstock.broker.delivery import Delivery
    from penstock.errors import QueryError
    from penstock.kernel.compile import CompiledQuery

Deliver: TypeAlias = Literal["item", "document"]


@dataclass(frozen=True, slots=True)
class Subscription:
    """A registered query and how its results are to be delivered."""

    id: str
    query: str
    language: str
    stream: str | None
    namespaces: Mapping[str, str]
    subscriber: str | None
    running: bool
    deliver: Deliver
    deliver_empty: bool
    callback: Callable[[Delivery], Any] | None = field(compare=False)
    compiled: CompiledQuery = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Rejected:
    """A row that `subscribe_many` did not take, and why."""

    id: str | None
    error: QueryError


@dataclass(frozen=True, slots=True)
class Registered:
    """What `subscribe_many` did."""

    accepted: tuple[Subscription, ...]
    rejected: tuple[Rejected, ...]
