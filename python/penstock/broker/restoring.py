"""Rows of a store, as a registry takes them. There may be a million, nearly all of them of a few shapes."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, NamedTuple, cast

from penstock.broker.prepare import restored
from penstock.broker.subscription import Options, Rejected
from penstock.errors import QueryError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from penstock.broker.registry import Registry
    from penstock.broker.subscription import Deliver
    from penstock.kernel.engine import Given, Known, PreparedQuery
    from penstock.store import SubscriptionRow

# Few enough that not many queries of the first step are compiled before their shapes are known.
_AT_ONCE = 256


class Restored(NamedTuple):
    """What some rows add to a registry, over namesakes, and by their ids those that cannot be run."""

    added: list[tuple[Given, PreparedQuery | None]]
    rejected: dict[str, Rejected]


def restored_in_steps(
    registry: Registry, rows: Iterable[SubscriptionRow], held: Callable[[str], Known | None]
) -> Iterator[Restored]:
    """A few rows at a time, without those that are as they are `held`. Shapes learned in one step serve the next."""
    left = iter(rows)
    while some := list(islice(left, _AT_ONCE)):
        yield _restored(registry, some, held)


def restored_at_once(
    registry: Registry, rows: Iterable[SubscriptionRow], held: Callable[[str], Known | None]
) -> Restored:
    """The same for all rows together."""
    whole = Restored([], {})
    for step in restored_in_steps(registry, rows, held):
        whole.added.extend(step.added)
        whole.rejected.update(step.rejected)
    return whole


def _restored(registry: Registry, rows: list[SubscriptionRow], held: Callable[[str], Known | None]) -> Restored:
    step = Restored([], {})
    registry.native.announce(len(rows))
    given = [_given(registry, row) for row in rows]
    changed = [(row, one) for row, one in zip(rows, given, strict=True) if one is None or held(row.id) != one[:5]]
    known = iter(registry.knows([one for _, one in changed if one is not None]))
    for row, one in changed:
        if one is not None and next(known):
            step.added.append((one, None))
            continue
        try:
            subscription, program = registry.ready(restored(row))
            step.added.append((registry.given(subscription, replace=True), program))
        except QueryError as error:
            step.rejected[row.id] = Rejected(row.id, error)
    return step


def _given(registry: Registry, row: SubscriptionRow) -> Given | None:
    """The row as `restored` and `Registry.given` would have it; None if there is anything unusual about it."""
    id, query, language, stream, window, namespaces, publish, subscriber, running, deliver, deliver_empty = row
    if window is not None or publish is not None or deliver not in ("item", "document"):
        return None
    if not all(type(uri) is str for uri in namespaces.values()):
        return None
    bindings = tuple(sorted(namespaces.items()))
    options = Options(language or "xpath", bindings, running, cast("Deliver", deliver), deliver_empty)
    return (id, query, subscriber, stream, registry.number(options), True)
