"""What a sequence of changes does to the log: decided here, written by the store."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from penstock.store.rows import COLUMNS, encoded

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from penstock.store.rows import Change

LINE_COLUMNS = ("version", "place", "ended", "operation", "time", *COLUMNS)
_ENDED = LINE_COLUMNS.index("ended")


@dataclass
class Plan:
    """Lines to append, ids whose older line ends with them, and the places of the changes that are not possible."""

    lines: list[list[Any]] = field(default_factory=list)
    ending: list[str] = field(default_factory=list)
    refused: list[int] = field(default_factory=list)


def plan_changes(changes: Sequence[Change], live: set[str], version: int, time: datetime | str) -> Plan:
    """Plans the changes in their order; `live` are those of their ids that have a subscription now.

    A subscription of a living id is refused unless it replaces, the removal of an unknown id always; the others go on
    as if the refused ones were not there.
    """
    plan = Plan()
    live = set(live)
    written: dict[str, int] = {}
    for place, change in enumerate(changes):
        is_live = change.id in live or change.id in written
        if is_live == (change.operation == "subscribe") and not (is_live and change.replace):
            plan.refused.append(place)
            continue
        if change.id in live:
            live.remove(change.id)
            plan.ending.append(change.id)
        elif change.id in written:
            plan.lines[written.pop(change.id)][_ENDED] = version
        if change.row is None:
            columns: tuple[Any, ...] = (change.id, *[None] * (len(COLUMNS) - 1))
            ended = version
        else:
            columns = encoded(change.row)
            ended = None
            written[change.id] = len(plan.lines)
        plan.lines.append([version, len(plan.lines), ended, change.operation, time, *columns])
    return plan
