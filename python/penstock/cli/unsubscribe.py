"""`penstock unsubscribe`: take subscriptions out of a store."""

from __future__ import annotations

import sys

import click

from penstock.cli.failure import complain
from penstock.cli.stores import store_option
from penstock.store import open_store, unsubscribing


@click.command()
@click.argument("ids", nargs=-1, required=True, metavar="ID...")
@store_option
def unsubscribe(store: str, ids: tuple[str, ...]) -> None:
    """Take the subscriptions with these IDs out of a store, as one new version.

    An id that is not there is told and stops no others.

    Exit code: 0 all are gone, 2 trouble.

    \b
    Examples:
      penstock unsubscribe --store sqlite:///subs.db outages floods
      penstock list --store sqlite:///subs.db | awk '$3 == "ann" { print $1 }' | \\
        xargs penstock unsubscribe --store sqlite:///subs.db
    """
    with open_store(store, create=False) as opened:
        refused = opened.apply_possible([unsubscribing(id) for id in ids]).refused
    for place in refused:
        complain(f"there is no subscription {ids[place]!r}")
    sys.exit(2 if refused else 0)
