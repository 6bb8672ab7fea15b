"""W3: which bars the figures have to hold, and whether they do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

_MOST, _LEAST = 100_000, 10_000
_FASTER = 1_000
_GROWTH = 4
_REFERENCE_MS = 5
# More predicates or return paths: as flat as the paper's own curves, with room for noise.
_FLAT = 2


def bars(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Each bar that these rows have a say in, with what was reached."""
    return [*_scale(rows), *_flat(rows, 8), *_flat(rows, 9)]


def _scale(rows: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    points = {row["subscriptions"]: row for row in rows if row["figure"] == 12}
    largest, least = points.get(_MOST), points.get(_LEAST)
    if largest is None:
        return
    for name, peer in largest["peers"].items():
        yield _at_least(f"x {name}, delivered", peer["ms"] / largest["whole_ms"], _FASTER)
        yield _at_least(f"x {name}, by reference", peer["ms"] / largest["reference_ms"], _FASTER)
    yield _at_most("ms by reference at 100,000", largest["reference_ms"], _REFERENCE_MS)
    if least is not None:
        yield _at_most("match and group, 100,000 to 10,000", _ratio(largest, least), _GROWTH)


def _flat(rows: list[dict[str, Any]], figure: int) -> Iterator[dict[str, Any]]:
    points = [row for row in rows if row["figure"] == figure]
    if len(points) > 1:
        what = f"match and group, {points[-1]['value']:g} to {points[0]['value']:g} {points[0]['varied']}"
        yield _at_most(what, _ratio(points[-1], points[0]), _FLAT)


def _ratio(one: dict[str, Any], other: dict[str, Any]) -> float:
    """Of times to match; what is lost in noise counts as a nanosecond."""
    return float(one["match_ms"] / max(other["match_ms"], 1e-6))


def _at_least(what: str, value: float, bar: float) -> dict[str, Any]:
    return {"what": what, "value": value, "bar": bar, "passes": value >= bar}


def _at_most(what: str, value: float, bar: float) -> dict[str, Any]:
    return {"what": what, "value": value, "bar": bar, "passes": value <= bar}
