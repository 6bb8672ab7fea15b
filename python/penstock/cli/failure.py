"""Errors that end a command."""

from __future__ import annotations

from typing import IO, Any

import click


class Failure(click.ClickException):
    """A message on stderr and exit code 2, as grep does."""

    exit_code = 2

    def show(self, file: IO[Any] | None = None) -> None:
        """Print the message without click's `Error:`."""
        complain(self.message) if file is None else click.echo(f"penstock: {self.message}", file=file)


def complain(message: str) -> None:
    """Tell of a problem on stderr and go on."""
    click.echo(f"penstock: {message}", err=True)
