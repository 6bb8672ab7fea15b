"""W2: figures as tables."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any

from rich.table import Table

from penstock.generate.sizes import format_size

if TYPE_CHECKING:
    from collections.abc import Iterator

_ENGINES = ("ids", "shared", "exploded", "lxml", "saxon")


def tables(report: dict[str, Any]) -> Iterator[Table]:
    """One table of speeds, one of costs and one of varied parameters for each data set; `*`: below the bar."""
    for dataset, group in groupby(report["rows"], key=lambda row: row["dataset"]):
        rows = list(group)
        yield _speeds(dataset, rows)
        yield _costs(dataset, rows)
    for dataset, group in groupby(report["varied"], key=lambda row: row["dataset"]):
        yield _varied(dataset, list(group))


def _speeds(dataset: str, rows: list[dict[str, Any]]) -> Table:
    used = [name for name in _ENGINES if any(name in row["speed"] for row in rows)]
    title = f"{dataset}: {_described(rows)}; figures are x expat"
    table = _table(
        title, "queries", "matching", "deliveries/s", *used, "bar", "loops of", "cold documents", "cold", "1,000", ""
    )
    for row in rows:
        sampled = [f"{name} {one['queries']}" for name, one in row["extrapolated_from"].items()]
        cold = row["cold"]
        table.add_row(
            f"{row['kind']}{'' if row['passes'] else ' *'}",
            f"{row['subscriptions']:,}",
            f"{row['match_rate']:.2%}",
            f"{row['deliveries_per_second']:,.0f}",
            *(f"{row['speed'][name]:.3g}" if name in row["speed"] else "" for name in used),
            next((f"{bar['bar']:g}" for bar in row["bars"] if bar["what"] == "x expat"), ""),
            ", ".join(sampled),
            f"{cold['documents']:,}",
            f"{cold['seconds'] * 1000:.0f} ms",
            f"{cold['thousand_seconds'] * 1000:.0f} ms" if cold["thousand_seconds"] is not None else "",
            "[red]results differ[/]" if not row["agree"] else "",
        )
    return table


def _costs(dataset: str, rows: list[dict[str, Any]]) -> Table:
    headings = (
        "queries",
        "registered/s",
        "bytes each",
        "bytes each, warm",
        "subscribe",
        "unsubscribe",
        "left by changes",
        "speed-up by threads",
    )
    table = _table(f"{dataset}: registration, memory, changes", *headings, "below the bar")
    for row in rows:
        changes = row.get("changes")
        table.add_row(
            row["kind"],
            f"{row['subscriptions']:,}",
            f"{row['registered_per_second']:,.0f}",
            f"{row['bytes_registered']:,.0f}",
            f"{row['bytes_warm']:,.0f}",
            f"{changes['subscribe_seconds'] * 1000:.3f} ms" if changes else "",
            f"{changes['unsubscribe_seconds'] * 1000:.3f} ms" if changes else "",
            f"{changes['throughput_left']:.0%}" if changes else "",
            f"{row['threads']['speed_up']:.2f} ({row['threads']['number']})",
            ", ".join(f"{bar['what']} ({bar['bar']:g})" for bar in row["bars"] if not bar["passes"]),
        )
    return table


def _varied(dataset: str, rows: list[dict[str, Any]]) -> Table:
    table = _table(
        f"{dataset}: one parameter varied; figures are x expat", "queries", "matching", *_ENGINES[:3], "bytes each"
    )
    for row in rows:
        table.add_row(
            row["kind"],
            f"{row['subscriptions']:,}",
            f"{row['match_rate']:.2%}",
            *(f"{row['speed'][name]:.3g}" for name in _ENGINES[:3]),
            f"{row['bytes_warm']:,.0f}",
        )
    return table


def _described(rows: list[dict[str, Any]]) -> str:
    counts = sorted(row["documents"] for row in rows)
    count = f"{counts[0]:,}" if counts[0] == counts[-1] else f"{counts[0]:,}-{counts[-1]:,}"
    rates = sorted(row["expat_mb_per_second"] for row in rows)
    size = format_size(max(row["input_bytes"] for row in rows))
    return f"{rows[0]['source']}, {count} documents, {size}; expat {rates[0]:.0f}-{rates[-1]:.0f} MB/s"


def _table(title: str, *headings: str) -> Table:
    table = Table(title=title, title_justify="left", title_style="bold")
    table.add_column("kind", no_wrap=True)
    for heading in headings:
        table.add_column(heading, justify="right")
    return table
