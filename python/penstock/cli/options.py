"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from penstock.generate import parse_size
from penstock.plan.language import LANGUAGES

Command = TypeVar("Command", bound=Callable[..., Any])


def _namespaces(_context: click.Context, _parameter: click.Parameter, values: tuple[str, ...]) -> dict[str, str]:
    bindings = {}
    for value in values:
        prefix, equals, uri = value.partition("=")
        if not equals:
            raise click.BadParameter(f"{value!r} is not of the form prefix=uri")
        bindings[prefix] = uri
    return bindings


def _size(_context: click.Context, _parameter: click.Parameter, value: str | None) -> int | None:
    try:
        return None if value is None else parse_size(value)
    except ValueError as error:
        raise click.BadParameter(str(error)) from error


def namespaces_option(command: Command) -> Command:
    """`--namespaces`: a dict from prefix to URI."""
    return click.option(
        "-N",
        "--namespaces",
        multiple=True,
        metavar="PREFIX=URI",
        callback=_namespaces,
        help="Bind a prefix of the query; repeat for more. An empty prefix (=URI) is the default namespace.",
    )(command)


def language_option(command: Command) -> Command:
    """`--language`."""
    return click.option(
        "--language",
        type=click.Choice(LANGUAGES),
        help="The query's language; recognised from its text when not given.",
    )(command)


def delivery_options(command: Command) -> Command:
    """`--deliver` and `--deliver-empty`; what is not given is None and False."""
    command = click.option("--deliver-empty", is_flag=True, help="Deliver false and empty strings too.")(command)
    return click.option(
        "--deliver", type=click.Choice(["item", "document"]), help="One delivery per result (the default) or document."
    )(command)


def size_option(name: str, **details: Any) -> Callable[[Command], Command]:
    """An option whose value is a size such as 64KB, given to the command as bytes."""
    return click.option(name, callback=_size, metavar="SIZE", **details)


def output_option(command: Command) -> Command:
    """`--output`: a text file, standard output by default, made only when something is written."""
    return click.option(
        "-o",
        "--output",
        type=click.File("w", encoding="utf-8", lazy=True),
        default="-",
        help="Where to write; default: standard output.",
    )(command)
