"""`penstock bench`: the workloads and their bars."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

from penstock.cli.options import size_option

_LARGE_DEFAULT = "1GB"


@click.group()
def bench() -> None:
    """Measure against pyexpat, lxml and Saxon, all within one run.

    \b
    Example:
      penstock bench single --quick
    """


@bench.command()
@click.option("--json", "as_json", is_flag=True, help="Print the figures as JSON instead of a table.")
@click.option("--quick", is_flag=True, help="Smaller documents, fewer rounds.")
@click.option(
    "--plot", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE.svg", help="Also draw the figures."
)
@click.option(
    "--data",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder of real documents; default: PENSTOCK_DATA, else ../shared/data.",
)
@click.option("--peers/--no-peers", default=True, help="Measure lxml and Saxon too, where they are installed.")
@click.option("--rounds", type=click.IntRange(min=1), help="Rounds per query; default: 5, with --quick 3.")
@size_option(
    "--large",
    is_flag=False,
    flag_value=_LARGE_DEFAULT,
    help=f"Also stream a generated document of this size (without one: {_LARGE_DEFAULT}) from disk.",
)
@click.option("--dataset", "datasets", multiple=True, metavar="NAME", help="Only this data set; repeat for more.")
def single(
    as_json: bool,
    quick: bool,
    plot: Path | None,
    data: Path | None,
    peers: bool,
    rounds: int | None,
    large: int | None,
    datasets: tuple[str, ...],
) -> None:
    """One query at a time: speed in multiples of expat's, time to the first result, peak memory.

    \b
    Examples:
      penstock bench single --quick --no-peers
      penstock bench single --plot single.svg --json > single.json
      penstock bench single --large 1GB
    """
    from rich.console import Console

    from penstock.bench import single as workload
    from penstock.bench.data import data_folder
    from penstock.bench.plot import svg
    from penstock.bench.table import tables

    options = workload.Options(
        folder=data_folder(data),
        quick=quick,
        peers=peers,
        rounds=rounds or (3 if quick else 5),
        large=large or 0,
        datasets=datasets,
    )
    errors = Console(stderr=True, highlight=False)
    report = workload.run(options, lambda text: errors.print(text, style="dim", markup=False))
    if plot:
        plot.write_text(svg(report), encoding="utf-8")
    if as_json:
        sys.stdout.write(json.dumps(report, indent=2) + "\n")
        return
    console = Console(highlight=False)
    if not console.is_terminal:
        console = Console(highlight=False, width=170)
    for table in tables(report):
        console.print(table)
