"""`penstock match`: like grep, for XML."""

from __future__ import annotations

import functools
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

import penstock
from penstock.cli import colour, rendering
from penstock.cli.failure import complain
from penstock.cli.inputs import READ_ERRORS, STDIN, chunks, display_name
from penstock.cli.options import delivery_options, language_option, namespaces_option
from penstock.errors import DocumentError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from penstock import Broker, Delivery
    from penstock.broker.feed import Feed
    from penstock.broker.subscription import Deliver

MATCHED, NOTHING, TROUBLE = 0, 1, 2


@click.command()
@click.argument("query")
@click.argument("files", nargs=-1)
@click.option("-c", "--count", is_flag=True, help="Print the number of results of each file instead of the results.")
@click.option(
    "-l",
    "--files-with-matches",
    is_flag=True,
    help="Print only the names of the files that match; stop at the first result.",
)
@click.option("-t", "--text", is_flag=True, help="Print the string value of each result instead of its XML.")
@click.option(
    "-j",
    "--json",
    "as_json",
    is_flag=True,
    help="Print one JSON object per result: file, sequence, kind, fragment or text.",
)
@click.option(
    "-H/-h",
    "--with-filename/--no-filename",
    default=None,
    help="Print the file's name before each result; default: with several files.",
)
@click.option("--unordered", is_flag=True, help="Print each result as soon as it is certain, not in document order.")
@click.option(
    "--color",
    "--colour",
    type=click.Choice(["auto", "always", "never"]),
    default="auto",
    help="Colour the output; auto: on a terminal.",
)
@delivery_options
@namespaces_option
@language_option
def match(
    query: str,
    files: tuple[str, ...],
    count: bool,
    files_with_matches: bool,
    text: bool,
    as_json: bool,
    with_filename: bool | None,
    unordered: bool,
    color: str,
    deliver: Deliver | None,
    deliver_empty: bool,
    namespaces: dict[str, str],
    language: str | None,
) -> None:
    """Print what QUERY selects in each FILE, or in standard input (also `-`).

    Files may be gzipped. Input is read in chunks and never held as a whole, so its size does not matter. A file that
    cannot be read, or is not well-formed, does not stop the others.

    Exit code: 0 something was found, 1 nothing, 2 trouble.

    \b
    Examples:
      penstock match '//book[price < 30]/title' books.xml
      penstock match --text '//title' *.xml.gz
      penstock match 'for $b in //book order by $b/title return <t>{$b/title/text()}</t>' books.xml
      penstock match -N cap=urn:oasis:names:tc:emergency:cap:1.2 '//cap:headline' alerts/*.xml
      curl -s https://news.example/feed | penstock match --json '//item/link'
    """
    if text and deliver == "document":
        # Results that are joined are neither XML nor text any more, so that nothing could tell the string value.
        raise click.UsageError("--text needs results one by one: not with --deliver document")
    broker = penstock.Broker(namespaces=namespaces, mode="FAILFAST")
    subscription = broker.subscribe(
        "match", query, language=language, deliver=deliver or "item", deliver_empty=deliver_empty
    )
    coloured = colour.wanted(color)
    names = files or (STDIN,)
    with_name = len(names) > 1 if with_filename is None else with_filename
    render = (
        rendering.as_json(text=text)
        if as_json
        else rendering.as_lines(text=text, coloured=coloured, with_name=with_name)
    )
    # A file is a document of the stream that the query names, if it names one.
    open_feed = functools.partial(broker.open, stream=subscription.stream or "default", ordered=not unordered)
    run = _Run(broker, open_feed, render, quiet=count or files_with_matches, first_only=files_with_matches)
    for name in names:
        found = run.search(name)
        label = display_name(name)
        if files_with_matches and found:
            click.echo(colour.file_name(label) if coloured else label)
        elif count and not files_with_matches:
            click.echo((rendering.prefix(label, coloured=coloured) if with_name else "") + str(found))
    sys.exit(TROUBLE if run.trouble else MATCHED if run.matched else NOTHING)


@dataclass
class _Run:
    """One query over several inputs."""

    broker: Broker
    open_feed: Callable[..., Feed]
    render: Callable[[str, Delivery], str]
    quiet: bool
    first_only: bool
    matched: bool = False
    trouble: bool = False

    def search(self, name: str) -> int:
        """Search one input, print its results, and return how many there were; trouble is told and remembered."""
        found = 0
        label = display_name(name)
        try:
            for batch in self._batches(name):
                found += len(batch)
                if not self.quiet:
                    # Flushed per chunk, not per result: fast on much output, prompt on a slow pipe.
                    sys.stdout.write("".join(f"{self.render(label, delivery)}\n" for delivery in batch))
                    sys.stdout.flush()
                if self.first_only:
                    break
        except BrokenPipeError:
            raise
        except (*READ_ERRORS, DocumentError) as error:
            self.trouble = True
            complain(f"{label}: {error.strerror if isinstance(error, OSError) and error.strerror else error}")
        for letter in self.broker.dead_letters:
            # Evaluating the query on this document failed.
            self.trouble = True
            complain(f"{label}: {letter.message}")
        self.broker.dead_letters.clear()
        self.matched |= found > 0
        return found

    def _batches(self, name: str) -> Iterator[list[Delivery]]:
        """What each chunk made certain, where it made anything certain."""
        with chunks(name) as pieces:
            feed = self.open_feed(id=name)
            for piece in pieces:
                if batch := feed.write(piece):
                    yield batch
            if batch := feed.close():
                yield batch
