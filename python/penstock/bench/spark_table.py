"""W7's figures as tables, and as rows for a plot."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.table import Table

from penstock.bench.spark_ways import IN_MEMORY
from penstock.generate.sizes import format_size

if TYPE_CHECKING:
    from collections.abc import Iterator


def tables(report: dict[str, Any]) -> Iterator[Table]:
    """One of all ways, one of the bars."""
    yield _ways(report)
    yield _bars(report)


def plottable(report: dict[str, Any]) -> dict[str, Any]:
    """The report in the form that `plot.svg` draws: one panel a number of subscriptions, one group of bars a kind.

    Only of what starts from the same files.
    """
    panels: dict[tuple[str, str], dict[str, float]] = {}
    rows = (row for row in report["rows"] if row["engine"] != IN_MEMORY)
    for row in sorted(rows, key=lambda row: (-row["subscriptions"], row["kind"])):
        panels.setdefault((f"{row['subscriptions']:,} subscriptions", row["kind"]), {})[row["engine"]] = row["x_expat"]
    return {
        "rows": [{"dataset": name, "kind": kind, "query": "", "speed": speed} for (name, kind), speed in panels.items()]
    }


def _ways(report: dict[str, Any]) -> Table:
    starts = ", ".join(f"{name} {seconds:.1f} s" for name, seconds in report["session_start_seconds"].items())
    title = (
        f"{report['documents']:,} documents, {format_size(report['bytes'])}; {report['deliveries']:,} deliveries of "
        f"{report['subscriptions']:,} subscriptions, {report['matching_share']:.2%} of the pairs match; "
        f"expat {report['expat_mb_per_second']:.0f} MB/s; start of a session: {starts}"
    )
    table = Table(title=title, title_justify="left", title_style="bold")
    for heading in ("subscriptions", "kind", "engine"):
        table.add_column(heading, justify="right" if heading == "subscriptions" else "left")
    for heading in ("seconds", "first run", "documents/s", "MB/s", "deliveries/s", "x expat"):
        table.add_column(heading, justify="right", no_wrap=True)
    for row in report["rows"]:
        engine = (
            f"{row['engine']} ({report['sample']} documents, extrapolated)" if row["is_extrapolated"] else row["engine"]
        )
        table.add_row(
            f"{row['subscriptions']:,}",
            row["kind"],
            # A session's name looks like markup.
            engine.replace("[", r"\["),
            f"{row['seconds']:.2f}",
            f"{row['cold_seconds']:.2f}",
            f"{row['documents_per_second']:,.0f}",
            f"{row['mb_per_second']:.1f}",
            f"{row['deliveries_per_second']:,.0f}",
            f"{row['x_expat']:.3f}",
        )
    return table


def _bars(report: dict[str, Any]) -> Table:
    table = Table(title=f"ratios, median of {report['rounds']} rounds", title_justify="left", title_style="bold")
    for heading in ("what", "ratio", "bar", ""):
        table.add_column(heading, justify="left" if heading == "what" else "right")
    for bar in report["bars"]:
        verdict = "ok" if bar["passes"] else "[red]below[/]"
        table.add_row(bar["name"].replace("[", r"\["), f"{bar['ratio']:.2f}", f"{bar['bar']:g}", verdict)
    for engine, agrees in report["agreement"].items():
        verdict = "ok" if agrees else "[red]differ[/]"
        table.add_row(f"same deliveries: {engine} and the embedded broker".replace("[", r"\["), "", "", verdict)
    return table
