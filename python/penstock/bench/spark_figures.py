"""W7's figures from its times."""

from __future__ import annotations

import statistics
from dataclasses import dataclass
from typing import TYPE_CHECKING

from penstock.bench.measure import ratio
from penstock.bench.spark_ways import EMBEDDED, FUNCTIONS, ONE, TWO

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from penstock.bench.spark_ways import Way


@dataclass(frozen=True, slots=True)
class Times:
    """The seconds of every way, extrapolated to all documents: of each round, and of the first run of all."""

    warm: Mapping[str, list[float]]
    cold: Mapping[str, float]
    parsing: list[float]


@dataclass(frozen=True, slots=True)
class Row:
    """One way to match all documents. `cold_seconds` is its first run, in which machines are built."""

    subscriptions: int
    kind: str
    engine: str
    is_extrapolated: bool
    seconds: float
    cold_seconds: float
    documents_per_second: float
    mb_per_second: float
    deliveries_per_second: float
    x_expat: float


@dataclass(frozen=True, slots=True)
class Bar:
    """How many times as fast one way is as another, the median of the rounds, and what that must at least be."""

    name: str
    ratio: float
    bar: float

    @property
    def passes(self) -> bool:
        """Whether it is."""
        return self.ratio >= self.bar


def row(way: Way, times: Times, documents: int, size: int, deliveries: int) -> Row:
    """The figures of one way."""
    seconds = statistics.median(times.warm[way.name])
    return Row(
        subscriptions=way.subscriptions,
        kind=way.kind,
        engine=way.engine,
        is_extrapolated=way.share < 1,
        seconds=seconds,
        cold_seconds=times.cold[way.name],
        documents_per_second=documents / seconds,
        mb_per_second=size / seconds / 1e6,
        deliveries_per_second=deliveries / seconds,
        x_expat=ratio(times.parsing, times.warm[way.name]),
    )


def bars(ways: list[Way], times: Times) -> Iterator[Bar]:
    """Those of the workload."""
    warm = {(way.kind, way.engine, way.subscriptions): times.warm[way.name] for way in ways}
    many, few = (sizes := sorted({way.subscriptions for way in ways}))[-1], sizes[0]
    for kind in ("batch", "stream"):
        yield Bar(f"{kind}: {TWO} to {ONE}", ratio(warm[kind, ONE, many], warm[kind, TWO, many]), 1.6)
    yield Bar(
        f"batch: {ONE} to the embedded broker", ratio(warm["batch", EMBEDDED, many], warm["batch", ONE, many]), 0.5
    )
    functions = ratio(warm["batch", FUNCTIONS, few], warm["batch", ONE, few])
    yield Bar(f"batch: {ONE} to {FUNCTIONS} at {few} queries", functions, 150)
