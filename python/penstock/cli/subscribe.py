"""`penstock subscribe`: put subscriptions into a store."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from penstock.broker.prepare import prepare, stored_row
from penstock.broker.streamed import compiled, settled
from penstock.cli.failure import complain
from penstock.cli.inputs import display_name
from penstock.cli.listing import read_subscriptions
from penstock.cli.options import delivery_options, language_option, namespaces_option
from penstock.cli.stores import counted, store_option
from penstock.errors import QueryError
from penstock.store import open_store, subscribing

if TYPE_CHECKING:
    from collections.abc import Iterable

    from penstock.store import Change


@click.command()
@click.argument("id", required=False)
@click.argument("query", required=False)
@store_option
@click.option(
    "--from", "file", metavar="FILE", help="Take subscriptions from a file (`-`: standard input): JSON lines or CSV."
)
@click.option("--stream", help="Read only this stream; default: all.")
@click.option("--subscriber", help="For whom it is; deliveries bear the name.")
@click.option("--running", is_flag=True, help="Deliver each new value of an aggregate, not only the last.")
@delivery_options
@click.option("--replace", is_flag=True, help="Replace a subscription that has this id.")
@namespaces_option
@language_option
def subscribe(
    store: str,
    file: str | None,
    id: str | None,
    query: str | None,
    replace: bool,
    namespaces: dict[str, str],
    **details: Any,
) -> None:
    """Put QUERY into a store under ID, or many subscriptions from a file; a store that is not there is made.

    A file has one JSON object a line, or is CSV with a header; the names are id, query, language, stream, namespaces,
    subscriber, running, deliver, deliver_empty and replace. In CSV an empty cell gives nothing, and namespaces are
    written prefix=uri, with spaces between several. Options hold for all rows that do not say otherwise. The rows
    become one new version of the store; those that are refused are told, and stop no others.

    Exit code: 0 all are subscribed, 2 trouble.

    \b
    Examples:
      penstock subscribe --store sqlite:///subs.db outages '//item[contains(title, "outage")]/link'
      penstock subscribe --store sqlite:///subs.db --stream alerts --subscriber ann \\
        -N cap=urn:oasis:names:tc:emergency:cap:1.2 floods '//cap:info[cap:event = "Flood"]'
      penstock subscribe --store postgresql://ann@db.example/subs --from subscriptions.csv
    """
    given = {name: value for name, value in details.items() if value}
    if file is not None:
        if id is not None:
            raise click.UsageError("give ID and QUERY, or --from FILE, not both")
        rows = [(f"{display_name(file)}, line {line}: ", row) for line, row in read_subscriptions(file)]
    else:
        if id is None or query is None:
            raise click.UsageError("give ID and QUERY, or --from FILE")
        rows = [("", {"id": id, "query": query})]
    complete = [(place, {"replace": replace, **given, **row}) for place, row in rows]
    done, refused = _subscribe(store, complete, namespaces)
    if file is not None:
        click.echo(f"{counted(done)} put into the store" + (f", {refused:,} refused" if refused else ""), err=True)
    sys.exit(2 if refused else 0)


def _subscribe(url: str, rows: Iterable[tuple[str, dict[str, Any]]], namespaces: dict[str, str]) -> tuple[int, int]:
    """Puts rows into the store, tells of those that are refused, and returns how many there are of both."""
    changes: list[Change] = []
    places: list[str] = []
    refused = 0
    for place, row in rows:
        try:
            changes.append(_change(row, namespaces))
            places.append(place)
        except QueryError as error:
            refused += 1
            complain(f"{place}{error}")
    # A mistake in the only query should not leave an empty store behind.
    if not changes:
        return 0, refused
    with open_store(url) as store:
        existing = store.apply_possible(changes).refused
    for index in existing:
        complain(f"{places[index]}PNST0011: a subscription {changes[index].id!r} exists already (see --replace)")
    return len(changes) - len(existing), refused + len(existing)


def _change(row: dict[str, Any], namespaces: dict[str, str]) -> Change:
    replace = row.pop("replace")
    if not isinstance(replace, bool):
        raise QueryError("PNST0010", f"replace={replace!r} is neither true nor false")
    subscription = prepare(row, namespaces)
    # What does not compile is no subscription.
    return subscribing(stored_row(settled(subscription, compiled(subscription))), replace=replace)
