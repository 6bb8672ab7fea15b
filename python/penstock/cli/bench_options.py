"""Options that the workloads of `penstock bench` share."""

from __future__ import annotations

from pathlib import Path

import click

from penstock.cli.options import Command


def report_options(command: Command) -> Command:
    """`--json` and `--plot`: the forms of a report besides tables."""
    drawn = click.option(
        "--plot", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE.svg", help="Also draw the figures."
    )
    return click.option("--json", "as_json", is_flag=True, help="Print the figures as JSON instead of tables.")(
        drawn(command)
    )


def data_options(command: Command) -> Command:
    """`--data`, `--dataset` and `--peers`: which documents, and who else has to read them."""
    folder = click.option(
        "--data",
        type=click.Path(file_okay=False, path_type=Path),
        help="Folder of real documents; default: PENSTOCK_DATA, else ../shared/data.",
    )
    chosen = click.option(
        "--dataset", "datasets", multiple=True, metavar="NAME", help="Only this data set; repeat for more."
    )
    peers = click.option("--peers/--no-peers", default=True, help="Measure lxml and Saxon too, where installed.")
    return folder(chosen(peers(command)))
