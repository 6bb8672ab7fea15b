"""W2 as charts: time and memory against the number of subscriptions, and the effect of each parameter."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any

from penstock.bench.lines import Chart, page

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


def svg(report: dict[str, Any]) -> str:
    """The whole report as one picture."""
    return page([*_by_number(report["rows"]), *_by_parameter(report["varied"])])


def _by_number(rows: list[dict[str, Any]]) -> Iterator[Chart]:
    """Cost is time as a multiple of expat's: the inverse of the speed in the tables."""
    for dataset, group in groupby(rows, key=lambda row: row["dataset"]):
        own = list(group)
        yield _chart(f"{dataset}: time, x expat's, lists by reference", own, lambda row: 1 / row["speed"]["shared"])
        yield _chart(f"{dataset}: bytes per subscription, warm", own, lambda row: row["bytes_warm"])
        yield _chart(f"{dataset}: registered per second", own, lambda row: row["registered_per_second"])


def _chart(title: str, rows: list[dict[str, Any]], value: Callable[[dict[str, Any]], float]) -> Chart:
    series: dict[str, list[tuple[float, float]]] = {}
    for row in rows:
        # A logarithmic axis has no place for memory that did not grow.
        series.setdefault(row["kind"], []).append((row["subscriptions"], max(value(row), 1e-6)))
    return Chart(title, "subscriptions", series)


def _by_parameter(rows: list[dict[str, Any]]) -> Iterator[Chart]:
    ordered = sorted(rows, key=lambda row: row["parameter"])
    for parameter, group in groupby(ordered, key=lambda row: row["parameter"]):
        series: dict[str, list[tuple[float, float]]] = {}
        for row in group:
            series.setdefault(row["dataset"], []).append((row["value"], 1 / row["speed"]["shared"]))
        yield Chart(f"time, x expat's, by {parameter}", parameter, series, log_x=False)
