"""What the log holds: subscriptions as plain rows, and changes of them."""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

Operation: TypeAlias = Literal["subscribe", "unsubscribe"]


class SubscriptionRow(NamedTuple):
    """A subscription as it is stored: what `Broker.subscribe` takes, without the callback.

    Not a dataclass: a million of them are read in one go, and tuples are made several times as fast.

    >>> SubscriptionRow("dear", "//item[price > 10]", stream="shop").stream
    'shop'
    """

    id: str
    query: str
    language: str | None = None
    stream: str | None = None
    window: str | None = None
    namespaces: Mapping[str, str] = {}
    publish: str | None = None
    subscriber: str | None = None
    running: bool = False
    deliver: str = "item"
    deliver_empty: bool = False


COLUMNS = SubscriptionRow._fields
_NAMESPACES = COLUMNS.index("namespaces")
_RUNNING = COLUMNS.index("running")
_DELIVER_EMPTY = COLUMNS.index("deliver_empty")


class Change(NamedTuple):
    """One wish: a row to subscribe (over an older one if `replace`), or an id to unsubscribe."""

    operation: Operation
    id: str
    row: SubscriptionRow | None = None
    replace: bool = False


class LogEntry(NamedTuple):
    """One change as it was logged. Subscribing an id that has a subscription means replacing it."""

    version: int
    operation: Operation
    id: str
    row: SubscriptionRow | None
    time: datetime


def subscribing(row: SubscriptionRow, *, replace: bool = False) -> Change:
    """The change that adds a row.

    >>> subscribing(SubscriptionRow("a", "//a")).operation
    'subscribe'
    """
    return Change("subscribe", row.id, row, replace)


def unsubscribing(id: str) -> Change:
    """The change that removes the row with this id.

    >>> unsubscribing("a")
    Change(operation='unsubscribe', id='a', row=None, replace=False)
    """
    return Change("unsubscribe", id)


def is_storable(text: str) -> bool:
    """Whether every database can hold the text: no NUL, no half of a surrogate pair. XML has neither.

    >>> is_storable("//café"), is_storable("a\\0"), is_storable("\\ud800")
    (True, False, False)
    """
    # Nearly all texts are printable, which excludes both.
    return text.isprintable() or ("\0" not in text and not any("\ud800" <= character <= "\udfff" for character in text))


def quoted(columns: Sequence[str]) -> str:
    """Names of columns as SQL takes them: `window` is a word of the language.

    >>> quoted(("id", "window"))
    '"id", "window"'
    """
    return ", ".join(f'"{name}"' for name in columns)


def encoded(row: SubscriptionRow) -> tuple[Any, ...]:
    """The values of a row's columns."""
    values: list[Any] = list(row)
    values[_NAMESPACES] = _bindings_text(tuple(sorted(row.namespaces.items())))
    return tuple(values)


def decoded(values: Sequence[Any]) -> SubscriptionRow:
    """The row with these values of its columns."""
    fields = list(values)
    fields[_NAMESPACES] = dict(_bindings(fields[_NAMESPACES]))
    # SQLite has no booleans.
    fields[_RUNNING] = bool(fields[_RUNNING])
    fields[_DELIVER_EMPTY] = bool(fields[_DELIVER_EMPTY])
    return SubscriptionRow._make(fields)


# A million rows have a handful of different namespace bindings.
@functools.lru_cache(maxsize=1024)
def _bindings_text(bindings: tuple[tuple[str, str], ...]) -> str:
    return json.dumps(dict(bindings), ensure_ascii=False)


@functools.lru_cache(maxsize=1024)
def _bindings(text: str) -> dict[str, str]:
    bindings: dict[str, str] = json.loads(text)
    return bindings
