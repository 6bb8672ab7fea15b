"""`penstock generate`: documents and queries for tests and measurements."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from penstock.cli.generate_flwors import flwors_command
from penstock.cli.generate_queries import queries_command
from penstock.cli.options import Command, output_option, size_option
from penstock.generate import bib, book, recursive, rss, xmark

if TYPE_CHECKING:
    from collections.abc import Iterable
    from io import TextIOWrapper


def _common(command: Command) -> Command:
    seed = click.option("--seed", default=0, show_default=True, help="Another seed, another document.")
    size = size_option("--size", default="1MB", show_default=True, help="About how large: 500KB, 1GB, 64MiB.")
    return size(seed(output_option(command)))


def _write(pieces: Iterable[str], output: TextIOWrapper) -> None:
    output.writelines(pieces)


@click.group()
def generate() -> None:
    """Write a seeded document of any size, in constant memory, or seeded queries.

    \b
    Examples:
      penstock generate xmark --size 1GB --output auctions.xml
      penstock generate rss --size 50KB | penstock match --text '//item/title'
      penstock generate queries auctions.xml --number 10000 --predicates 1
    """


generate.add_command(queries_command)
generate.add_command(flwors_command)


@generate.command("xmark")
@_common
@click.option("--factor", type=float, help="XMark's scaling factor instead of a size; 1 is about 100 MB.")
def _xmark(size: int, seed: int, output: TextIOWrapper, factor: float | None) -> None:
    """XMark's auction site, as auction.dtd describes it.

    \b
    Example:
      penstock generate xmark --factor 0.1 --seed 7 --output auctions.xml
    """
    _write(xmark(seed=seed, size=size) if factor is None else xmark(seed=seed, factor=factor), output)


@generate.command("rss")
@_common
def _rss(size: int, seed: int, output: TextIOWrapper) -> None:
    """An RSS channel with several namespaces, CDATA and escaped HTML.

    \b
    Example:
      penstock generate rss --size 5MB --output feed.xml
    """
    _write(rss(size=size, seed=seed), output)


@generate.command("recursive")
@_common
@click.option(
    "--depth", type=click.IntRange(min=3), default=28, show_default=True, help="Elements open at once, at most."
)
@click.option(
    "--fanout",
    type=click.FloatRange(min=1),
    default=1.6,
    show_default=True,
    help="Subsections of a section on the way to the full depth.",
)
def _recursive(size: int, seed: int, output: TextIOWrapper, depth: int, fanout: float) -> None:
    """Sections within sections within sections.

    \b
    Example:
      penstock generate recursive --depth 30 --size 10MB --output deep.xml
    """
    _write(recursive(size=size, seed=seed, depth=depth, fanout=fanout), output)


_SEED = click.option("--seed", default=0, show_default=True, help="Another seed, another document.")
_VALUES = click.option(
    "--max-value",
    type=click.IntRange(min=1),
    default=10,
    show_default=True,
    help="Values are whole numbers up to this.",
)


@generate.command("bib")
@output_option
@_SEED
@_VALUES
@click.option("--books", type=click.IntRange(min=0), default=20, show_default=True, help="How many books.")
def _bib(seed: int, max_value: int, books: int, output: TextIOWrapper) -> None:
    """A bibliography, as the Bib DTD of XQuery's use cases has it.

    \b
    Example:
      penstock generate bib --max-value 100 --output bib.xml
    """
    _write(bib(seed=seed, books=books, max_value=max_value), output)


@generate.command("book")
@output_option
@_SEED
@_VALUES
@click.option("--sections", type=click.IntRange(min=0), default=12, show_default=True, help="Sections at the top.")
@click.option("--depth", type=click.IntRange(min=2), default=5, show_default=True, help="The book, and sections in it.")
def _book(seed: int, max_value: int, sections: int, depth: int, output: TextIOWrapper) -> None:
    """A book of sections within sections, as the Book DTD of XQuery's use cases has it.

    \b
    Example:
      penstock generate book --sections 3 --output book.xml
    """
    _write(book(seed=seed, sections=sections, depth=depth, max_value=max_value), output)
