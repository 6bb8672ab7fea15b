"""`penstock check`: which subscriptions match a file, and why the others do not."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

import penstock
from penstock.cli.diagnosis import Diagnosis
from penstock.cli.failure import Failure
from penstock.cli.inputs import READ_ERRORS, chunks, display_name
from penstock.cli.options import namespaces_option
from penstock.cli.queries import read_queries
from penstock.cli.rendering import string_value
from penstock.errors import QueryError
from penstock.syntax.xpath import parse

if TYPE_CHECKING:
    from penstock.cli.queries import Entry

_SHOWN_RESULTS = 3
_RESULT_WIDTH = 90


@click.command()
@click.argument("file")
@click.option("-q", "--query", "texts", multiple=True, help="A query to try; repeat for more.")
@click.option(
    "--queries",
    "listing",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A file of queries, one a line: the query, or a JSON object with id, query, namespaces. # starts a comment.",
)
@namespaces_option
def check(file: str, texts: tuple[str, ...], listing: Path | None, namespaces: dict[str, str]) -> None:
    """Tell which subscriptions match FILE (`-` is standard input), and why the others do not.

    For one that does not match, the longest part of its path that selects something is shown, and what fails next.

    Exit code: 0 one matches at least, 1 none does, 2 trouble.

    \b
    Examples:
      penstock check books.xml --query '//book[price < 30]/title'
      penstock check alert.xml --queries subscriptions.txt -N cap=urn:oasis:names:tc:emergency:cap:1.2
    """
    entries = [*read_queries(texts, listing)]
    if not entries:
        raise click.UsageError("nothing to check: give --query or --queries")
    try:
        with chunks(file) as pieces:
            document = b"".join(pieces)
    except READ_ERRORS as error:
        raise Failure(f"{display_name(file)}: {error}") from error
    matched, trouble = 0, False
    for entry in entries:
        try:
            matched += _report(entry, document, namespaces)
        except QueryError as error:
            trouble = True
            click.echo(f"{click.style('error', fg='red')}     {entry.id}: {error}")
    click.echo(f"{matched} of {len(entries)} match")
    sys.exit(2 if trouble else 0 if matched else 1)


def _report(entry: Entry, document: bytes, namespaces: dict[str, str]) -> bool:
    """Print whether `entry` matches, and why or why not."""
    bindings = {**namespaces, **entry.namespaces}
    broker = penstock.Broker(namespaces=bindings, mode="FAILFAST")
    subscription = broker.subscribe("query", entry.query)
    # It is a document of the stream that the query names, if it names one.
    stream = subscription.stream or "default"
    found = broker.publish(document, stream=stream)
    if found:
        click.echo(
            f"{click.style('match', fg='green')}     {entry.id}: {entry.query} "
            f"({len(found):,} result{'s' if len(found) > 1 else ''})"
        )
        for delivery in found[:_SHOWN_RESULTS]:
            flat = " ".join(delivery.fragment.split())
            click.echo(f"            {flat if len(flat) <= _RESULT_WIDTH else flat[: _RESULT_WIDTH - 3] + '...'}")
        return True
    click.echo(f"{click.style('no match', fg='yellow')}  {entry.id}: {entry.query}")

    def string_values(query: str) -> list[str]:
        broker.subscribe("part", query, replace=True)
        found = broker.publish(document, stream=stream)
        return [string_value(delivery) for delivery in found if delivery.subscription == "part"]

    if subscription.language != "xpath":
        failed = [letter.message for letter in broker.dead_letters]
        click.echo(f"            {failed[0] if failed else 'the query gives no item'}")
        return False
    diagnosis = Diagnosis(lambda query: penstock.evaluate(query, document, namespaces=bindings), string_values)
    for reason in diagnosis.reasons(parse(entry.query)):
        click.echo(f"            {reason}")
    return False
