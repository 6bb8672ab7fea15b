"""`penstock run`: a pipeline on Spark, described by a file."""

from __future__ import annotations

import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from penstock.cli.failure import Failure, complain
from penstock.cli.listing import read_subscriptions
from penstock.cli.requirements import missing_for_spark

if TYPE_CHECKING:
    from penstock.spark.pipeline import Pipeline
    from penstock.spark.subscriptions import Subscriptions


@click.command()
@click.argument("file", metavar="CONFIG.toml", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--check", "only_check", is_flag=True, help="Tell what is wrong with the file, and start nothing.")
@click.option("--quiet", is_flag=True, help="Neither progress nor summary.")
def run(file: Path, only_check: bool, quiet: bool) -> None:
    """Run the pipeline that CONFIG.toml describes, until its source is exhausted or Ctrl-C.

    Documents from any source of Spark, subscriptions from a store, a file or a table, deliveries to files, tables, a
    database or standard output. Progress and a summary go to standard error. Paths are relative to the current folder.

    Exit code: 0 it has come to its end, or was ended by Ctrl-C or SIGTERM; 2 trouble.

    \b
    Examples:
      penstock run examples/pipeline.toml
      penstock run --check pipeline.toml
    """
    missing = missing_for_spark()
    if missing is not None:
        raise Failure(missing)
    from penstock.spark.pipeline import Run, read_pipeline

    pipeline = read_pipeline(file)
    subscriptions = _subscriptions(pipeline)
    if only_check:
        return
    mixes = pipeline.sink.kind == "console" and sys.stdout.isatty()
    running = Run(pipeline, subscriptions, show_progress=not quiet and not mixes)
    with running:
        if pipeline.query.batch is None:
            # Spark's own handler of Ctrl-C lets the micro-batch fail with an error; ours ends the query.
            for number in (signal.SIGINT, signal.SIGTERM):
                signal.signal(number, lambda *_: running.stop())
        running.wait()
    if not quiet:
        outcome = running.totals if pipeline.query.batch is None else f"batch {pipeline.query.batch} is written"
        click.echo(f"{'stopped' if running.was_stopped else 'done'}: {outcome}", err=True)


def _subscriptions(pipeline: Pipeline) -> Subscriptions:
    """What `publish` takes; those of a file that are refused are told, and stop no others."""
    import penstock

    given = pipeline.subscriptions
    if given.file is None:
        return given.store or given.table or ""
    broker = penstock.Broker(namespaces=given.namespaces)
    outcome = broker.subscribe_many(row for _, row in read_subscriptions(given.file))
    for refused in outcome.rejected:
        complain(f"{given.file}: {refused.id}: {refused.error}")
    if not outcome.accepted:
        raise Failure(f"{given.file}: there is no subscription that can be run")
    return broker
