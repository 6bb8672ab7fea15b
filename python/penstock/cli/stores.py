"""What the commands that use a store share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from penstock.cli.options import Command


def store_option(command: Command) -> Command:
    """`--store`, or the environment's `PENSTOCK_STORE`."""
    return click.option(
        "--store",
        metavar="URL",
        envvar="PENSTOCK_STORE",
        required=True,
        help="The store: sqlite:///path or postgresql://user@host/database; default: PENSTOCK_STORE.",
    )(command)


def counted(number: int) -> str:
    """So many subscriptions.

    >>> counted(1), counted(2000)
    ('1 subscription', '2,000 subscriptions')
    """
    return f"{number:,} subscription{'' if number == 1 else 's'}"
