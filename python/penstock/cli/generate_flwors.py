"""`penstock generate flwors`: FLWOR subscriptions for tests and measurements."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from penstock.cli.options import output_option
from penstock.generate.flwors import FlworParameters, flwors
from penstock.generate.schemas import SCHEMAS

if TYPE_CHECKING:
    from io import TextIOWrapper

_COUNT = click.IntRange(min=1)


@click.command("flwors")
@click.argument("dtd", type=click.Choice(sorted(SCHEMAS)))
@click.option("-n", "--number", type=_COUNT, default=1_000, show_default=True, help="How many queries.")
@click.option("--depth", type=click.IntRange(min=2), default=3, show_default=True, help="Steps to a binding at most.")
@click.option("--predicates", type=_COUNT, default=1, show_default=True, help="Predicate paths of a query.")
@click.option("--returns", type=_COUNT, default=2, show_default=True, help="Return paths of a query.")
@click.option("--inner-depth", type=_COUNT, default=2, show_default=True, help="Steps of such a path at most.")
@click.option("--closure", type=click.FloatRange(0, 1), default=0.2, show_default=True, help="Probability of //.")
@click.option("--max-value", type=_COUNT, default=10, show_default=True, help="Constants are numbers up to this.")
@click.option("--seed", default=0, show_default=True, help="Another seed, other queries.")
@output_option
def flwors_command(
    dtd: str,
    number: int,
    depth: int,
    predicates: int,
    returns: int,
    inner_depth: int,
    closure: float,
    max_value: int,
    seed: int,
    output: TextIOWrapper,
) -> None:
    """Distinct FLWOR queries over the Bib or the Book DTD, one a line.

    \b
    Example:
      penstock generate flwors book --number 10000 --max-value 100 --output queries.txt
    """
    wanted = FlworParameters(number, depth, predicates, returns, inner_depth, closure, max_value, seed)
    output.writelines(f"{query}\n" for query in flwors(SCHEMAS[dtd], wanted))
