"""`penstock list`: the subscriptions of a store."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

import click

from penstock.cli.stores import store_option
from penstock.store import open_store

if TYPE_CHECKING:
    from penstock.store import SubscriptionRow

_SOMETHING, _NOTHING = 0, 1


@click.command("list")
@store_option
@click.option(
    "-j",
    "--json",
    "as_json",
    is_flag=True,
    help="Print one JSON object a line, with everything; `subscribe --from` reads it.",
)
@click.option("--at", "version", type=click.IntRange(min=0), metavar="VERSION", help="As of an older version.")
def list_subscriptions(store: str, as_json: bool, version: int | None) -> None:
    """Print the subscriptions of a store, oldest first: id, stream (* is all), subscriber (- is none) and query.

    The columns are separated by tabs.

    Exit code: 0 there are some, 1 there are none, 2 trouble.

    \b
    Examples:
      penstock list --store sqlite:///subs.db
      penstock list --store sqlite:///subs.db --json | penstock subscribe --store sqlite:///copy.db --from -
    """
    render = _as_json if as_json else _as_line
    status = _NOTHING
    with open_store(store, create=False) as opened:
        for row in opened.snapshot(version):
            status = _SOMETHING
            sys.stdout.write(f"{render(row)}\n")
    sys.exit(status)


def _as_json(row: SubscriptionRow) -> str:
    """What differs from the defaults."""
    given = {name: value for name, value in row._asdict().items() if value}
    return json.dumps(given, ensure_ascii=False)


def _as_line(row: SubscriptionRow) -> str:
    columns = (row.id, row.stream or "*", row.subscriber or "-", row.query)
    return "\t".join(" ".join(column.split()) for column in columns)
