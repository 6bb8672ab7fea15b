"""W3 as charts: the figures of the paper, drawn from our own measurements."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any

from penstock.bench.lines import Chart, page

if TYPE_CHECKING:
    from collections.abc import Iterator

_SERIES = {"parse": "parse_ms", "match and group": "match_ms", "construct": "construct_ms"}


def svg(report: dict[str, Any]) -> str:
    """The whole report as one picture."""
    return page(list(_charts(report["rows"])))


def _charts(rows: list[dict[str, Any]]) -> Iterator[Chart]:
    for figure, group in groupby(rows, key=lambda row: row["figure"]):
        own = list(group)
        series: dict[str, list[tuple[float, float]]] = {}
        for row in own:
            for name, key in _SERIES.items():
                series.setdefault(name, []).append((row["value"], max(row[key], 1e-4)))
            for name, peer in row["peers"].items():
                series.setdefault(name, []).append((row["value"], max(peer["ms"], 1e-4)))
        title = f"figure {figure}: {own[0]['dataset']}, ms a message"
        yield Chart(title, own[0]["varied"], series, log_x=own[0]["varied"] == "subscriptions")
