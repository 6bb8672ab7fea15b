"""`penstock bench`: the workloads and their bars."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import click

from penstock.cli.bench_options import data_options, report_options
from penstock.cli.failure import Failure
from penstock.cli.options import size_option
from penstock.cli.requirements import missing_for_spark

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from rich.table import Table

_LARGE_DEFAULT = "1GB"


@click.group()
def bench() -> None:
    """Measure against pyexpat, lxml, Saxon and Spark, all within one run.

    \b
    Example:
      penstock bench single --quick
    """


@bench.command()
@report_options
@click.option("--quick", is_flag=True, help="Smaller documents, fewer rounds.")
@data_options
@click.option("--rounds", type=click.IntRange(min=1), help="Rounds per query; default: 5, with --quick 3.")
@size_option(
    "--large",
    is_flag=False,
    flag_value=_LARGE_DEFAULT,
    help=f"Also stream a generated document of this size (without one: {_LARGE_DEFAULT}) from disk.",
)
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
    report = workload.run(options, _progress)
    _show(report, lambda: svg(report), tables(report), plot, as_json=as_json)


@bench.command()
@report_options
@click.option("--quick", is_flag=True, help="1,000 documents, 500 subscriptions, 3 rounds.")
@click.option("--documents", type=click.IntRange(min=8), help="So many documents of about 10 KB; default: 20,000.")
@click.option("--subscriptions", type=click.IntRange(min=101), help="So many subscriptions; default: 10,000.")
@click.option("--rounds", type=click.IntRange(min=1), help="Rounds; default: 5, with --quick 3.")
def spark(
    as_json: bool,
    quick: bool,
    plot: Path | None,
    documents: int | None,
    subscriptions: int | None,
    rounds: int | None,
) -> None:
    """The Spark pipeline: one core and two, batch and stream, against the embedded broker and xpath_boolean.

    \b
    Examples:
      penstock bench spark --quick
      penstock bench spark --plot spark.svg --json > spark.json
    """
    missing = missing_for_spark()
    if missing is not None:
        raise Failure(missing)
    from penstock.bench import spark as workload
    from penstock.bench.plot import svg
    from penstock.bench.spark_table import plottable, tables

    options = workload.Options(
        documents=documents or (1_000 if quick else 20_000),
        subscriptions=subscriptions or (500 if quick else 10_000),
        rounds=rounds or (3 if quick else 5),
    )
    report = workload.run(options, _progress)
    _show(report, lambda: svg(plottable(report)), tables(report), plot, as_json=as_json)


@bench.command("filter")
@report_options
@click.option("--quick", is_flag=True, help="Up to 1,000 subscriptions, fewer documents and rounds.")
@data_options
@click.option("--varied/--no-varied", default=True, help="Also vary the queries' parameters one at a time.")
@click.option("--rounds", type=click.IntRange(min=1), help="Rounds; default: 5, with --quick 3.")
@click.option("--most", type=click.IntRange(min=1), help="No more subscriptions than this.")
@click.option("--kind", "kinds", multiple=True, metavar="NAME", help="Only this kind of queries; repeat for more.")
def filter_command(
    as_json: bool,
    quick: bool,
    plot: Path | None,
    data: Path | None,
    peers: bool,
    varied: bool,
    rounds: int | None,
    most: int | None,
    datasets: tuple[str, ...],
    kinds: tuple[str, ...],
) -> None:
    """Many subscriptions at once: speed, cold start, memory, registration, changes, by their number and kind.

    \b
    Examples:
      penstock bench filter --quick --no-peers
      penstock bench filter --dataset rss --kind "one predicate" --most 10000
      penstock bench filter --plot filter.svg --json > filter.json
    """
    from penstock.bench import filter as workload
    from penstock.bench.data import data_folder
    from penstock.bench.filter_plot import svg
    from penstock.bench.filter_table import tables

    options = workload.Options(
        folder=data_folder(data),
        quick=quick,
        peers=peers,
        rounds=rounds or (3 if quick else 5),
        most=most,
        datasets=datasets,
        kinds=kinds,
        varied=varied,
    )
    report = workload.run(options, _progress)
    _show(report, lambda: svg(report), tables(report), plot, as_json=as_json)


@bench.command("broker")
@report_options
@click.option("--quick", is_flag=True, help="Up to 1,000 subscriptions, 20 documents, 3 rounds.")
@click.option("--peers/--no-peers", default=True, help="Also one by one, by our evaluator and by Saxon.")
@click.option("--documents", type=click.IntRange(min=1), help="So many messages; default: 180, with --quick 20.")
@click.option("--rounds", type=click.IntRange(min=1), help="Rounds; default: 5, with --quick 3.")
@click.option("--most", type=click.IntRange(min=1), help="No more subscriptions than this.")
@click.option("--figure", "figures", type=click.IntRange(7, 12), multiple=True, help="Only this one; repeat for more.")
def broker_command(
    as_json: bool,
    quick: bool,
    plot: Path | None,
    peers: bool,
    documents: int | None,
    rounds: int | None,
    most: int | None,
    figures: tuple[int, ...],
) -> None:
    """FLWOR subscriptions with customised results: time to parse, to match and group, to construct.

    \b
    Examples:
      penstock bench broker --quick --no-peers
      penstock bench broker --figure 12 --most 10000
      penstock bench broker --plot broker.svg --json > broker.json
    """
    from penstock.bench import broker as workload
    from penstock.bench.broker_plot import svg
    from penstock.bench.broker_table import tables

    options = workload.Options(
        documents=documents or (20 if quick else 180),
        rounds=rounds or (3 if quick else 5),
        peers=peers,
        most=most or (1_000 if quick else 100_000),
        figures=figures,
    )
    report = workload.run(options, _progress)
    _show(report, lambda: svg(report), tables(report), plot, as_json=as_json)


def _progress(text: str) -> None:
    from rich.console import Console

    Console(stderr=True, highlight=False).print(text, style="dim", markup=False)


def _show(
    report: dict[str, Any], draw: Callable[[], str], shown: Iterable[Table], plot: Path | None, *, as_json: bool
) -> None:
    from rich.console import Console

    if plot:
        plot.write_text(draw(), encoding="utf-8")
    if as_json:
        sys.stdout.write(json.dumps(report, indent=2) + "\n")
        return
    console = Console(highlight=False)
    if not console.is_terminal:
        console = Console(highlight=False, width=170)
    for table in shown:
        console.print(table)
