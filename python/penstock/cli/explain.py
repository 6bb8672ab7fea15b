"""`penstock explain`: the compiled machine of a query."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import click

import penstock
from penstock.cli.options import language_option, namespaces_option, output_option

if TYPE_CHECKING:
    from io import TextIOWrapper


@click.command()
@click.argument("query")
@click.option("--format", "form", type=click.Choice(["text", "json", "svg"]), default="text", help="How to show it.")
@output_option
@namespaces_option
@language_option
def explain(
    query: str,
    form: Literal["text", "json", "svg"],
    output: TextIOWrapper,
    namespaces: dict[str, str],
    language: str | None,
) -> None:
    """Show how QUERY is evaluated: what streams, what waits for an element's end, what for the document's.

    \b
    Examples:
      penstock explain '//book[price < 30]/title'
      penstock explain --format svg --output machine.svg '//a[b and not(c)]//d'
    """
    broker = penstock.Broker(namespaces=namespaces)
    broker.subscribe("query", query, language=language)
    output.write(broker.explain("query", format=form).rstrip("\n") + "\n")
