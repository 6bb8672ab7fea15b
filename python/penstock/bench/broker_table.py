"""W3: figures as tables."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any

from rich.table import Table

if TYPE_CHECKING:
    from collections.abc import Iterator

_HEADINGS = (
    "subscriptions",
    "matching",
    "deliveries",
    "parse",
    "match, group",
    "construct",
    "by reference",
    "delivered",
    "deliveries/s",
    "plans",
    "works",
    "registered/s",
    "peers, extrapolated",
)


def tables(report: dict[str, Any]) -> Iterator[Table]:
    """One table for each figure of the paper, and one of bars; `*`: below the bar."""
    for figure, group in groupby(report["rows"], key=lambda row: row["figure"]):
        yield _figure(figure, list(group))
    yield _bars(report["bars"])


def _figure(figure: int, rows: list[dict[str, Any]]) -> Table:
    first = rows[0]
    described = f"{first['elements']:.0f} elements, {first['input_bytes']:,.0f} bytes"
    table = Table(title=f"figure {figure}: {first['dataset']}, {described}; ms a message", title_justify="left")
    table.add_column(first["varied"], justify="right")
    for heading in _HEADINGS:
        table.add_column(heading, justify="right")
    for row in rows:
        peers = [f"{name} {one['ms']:,.0f} ms ({one['queries']} queries)" for name, one in row["peers"].items()]
        table.add_row(
            f"{row['value']:,g}",
            f"{row['subscriptions']:,}",
            f"{row['matching']:,.0f}",
            f"{row['deliveries']:,.0f}",
            *(f"{row[name]:.3f}" for name in ("parse_ms", "match_ms", "construct_ms", "reference_ms", "whole_ms")),
            f"{row['deliveries_per_second']:,.0f}",
            f"{row['plans']:,}",
            f"{row['works']:,}",
            f"{row['registered_per_second']:,.0f}",
            ", ".join(peers) if row["agree"] else "[red]results differ[/]",
        )
    return table


def _bars(judged: list[dict[str, Any]]) -> Table:
    table = Table(title="bars", title_justify="left")
    for heading in ("what", "reached", "bar", ""):
        table.add_column(heading, justify="right" if heading in ("reached", "bar") else "left")
    for bar in judged:
        table.add_row(bar["what"], f"{bar['value']:,.3g}", f"{bar['bar']:,g}", "" if bar["passes"] else "*")
    return table
