"""W2: which bars a row has to hold, and whether it does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.bench.filter_workloads import Workload

SELECTIVE = 0.01
"""The bars of `one predicate` are for sets of which at most this share matches a document."""

_COLD_SIZE, _COLD_SECONDS = 100_000, 0.5
_MEMORY_SIZE, _KNOWN_SHAPE_BYTES, _NEW_SHAPE_BYTES = 1_000_000, 400, 1_500
_KNOWN_SHAPES_PER_SECOND, _NEW_SHAPES_PER_SECOND = 150_000, 5_000
_CHANGE_SECONDS, _THROUGHPUT_LEFT = 0.001, 0.8
_LOOP_SIZE, _LOOP_FACTOR = 10_000, 1_000


def bars(workload: Workload, row: dict[str, Any]) -> list[dict[str, Any]]:
    """Each bar with what was reached."""
    return list(_bars(workload, row))


def _bars(workload: Workload, row: dict[str, Any]) -> Iterator[dict[str, Any]]:
    size, shared = row["subscriptions"], row["speed"]["shared"]
    if size in workload.speeds and (not workload.selective or row["match_rate"] <= SELECTIVE):
        yield _at_least("x expat", shared, workload.speeds[size])
    if size == _COLD_SIZE and row["cold"]["thousand_seconds"] is not None:
        yield _at_most("cold seconds", row["cold"]["thousand_seconds"], _COLD_SECONDS)
    if size == _MEMORY_SIZE:
        limit = _KNOWN_SHAPE_BYTES if workload.known_shapes else _NEW_SHAPE_BYTES
        yield _at_most("bytes per subscription", row["bytes_warm"], limit)
    if not workload.known_shapes:
        yield _at_least("registered per second", row["registered_per_second"], _NEW_SHAPES_PER_SECOND)
    elif size == _MEMORY_SIZE:
        # In smaller sets a good part are the first of their shapes.
        yield _at_least("registered per second", row["registered_per_second"], _KNOWN_SHAPES_PER_SECOND)
    if "changes" in row:
        yield _at_most("subscribe seconds", row["changes"]["subscribe_seconds"], _CHANGE_SECONDS)
        yield _at_most("unsubscribe seconds", row["changes"]["unsubscribe_seconds"], _CHANGE_SECONDS)
        yield _at_least("throughput left by changes", row["changes"]["throughput_left"], _THROUGHPUT_LEFT)
    if size == _LOOP_SIZE and "lxml" in row["speed"]:
        yield _at_least("x lxml loop", shared / row["speed"]["lxml"], _LOOP_FACTOR)


def _at_least(what: str, value: float, bar: float) -> dict[str, Any]:
    return {"what": what, "value": value, "bar": bar, "passes": value >= bar}


def _at_most(what: str, value: float, bar: float) -> dict[str, Any]:
    return {"what": what, "value": value, "bar": bar, "passes": value <= bar}
