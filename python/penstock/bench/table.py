"""Figures as a table."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any

from rich.markup import escape
from rich.table import Table

from penstock.generate.sizes import format_size

if TYPE_CHECKING:
    from collections.abc import Iterator

_ENGINES = ("whole", "chunks", "stream", "lxml", "saxon")
_QUERY_WIDTH = 46


def tables(report: dict[str, Any]) -> Iterator[Table]:
    """One table per data set."""
    for dataset, group in groupby(report["rows"], key=lambda row: row["dataset"]):
        yield _table(dataset, list(group))


def _table(dataset: str, rows: list[dict[str, Any]]) -> Table:
    used = [name for name in _ENGINES if any(name in row["speed"] for row in rows)]
    first = rows[0]
    rates = sorted(row["expat_mb_per_second"] for row in rows)
    what = f"{dataset}: {first['source']}, {format_size(first['input_bytes'])}"
    title = f"{what}; expat {rates[0]:.0f}-{rates[-1]:.0f} MB/s; figures are x expat"
    table = Table(title=title, title_justify="left", title_style="bold")
    table.add_column("kind")
    table.add_column("query", max_width=_QUERY_WIDTH, overflow="fold")
    for heading in ("results", "output", *used, "first", "peak", "bar", ""):
        table.add_column(heading, justify="right", no_wrap=True)
    for row in rows:
        table.add_row(
            row["kind"],
            escape(row["query"]),
            f"{row['results']:,}",
            format_size(row["output_characters"]),
            *(f"{row['speed'][name]:.2f}" if name in row["speed"] else "" for name in used),
            "" if row["first_result_seconds"] is None else f"{row['first_result_seconds'] * 1000:.1f} ms",
            format_size(row["peak_bytes"]["stream"]) if "stream" in row["peak_bytes"] else "",
            f"{row['bar']:g}",
            "ok" if row["passes"] else "[red]results differ[/]" if not row["agree"] else "[red]below[/]",
        )
    return table
