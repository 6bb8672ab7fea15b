"""The command line: one file per command, each a thin layer over the public face of the package."""

from __future__ import annotations

from typing import Any

import click

from penstock.cli.bench import bench
from penstock.cli.check import check
from penstock.cli.demo import demo
from penstock.cli.explain import explain
from penstock.cli.failure import Failure
from penstock.cli.generate import generate
from penstock.cli.list import list_subscriptions
from penstock.cli.match import match
from penstock.cli.run import run
from penstock.cli.subscribe import subscribe
from penstock.cli.unsubscribe import unsubscribe
from penstock.errors import PenstockError


class _Commands(click.Group):
    """Commands whose errors of ours become a message on stderr and exit code 2, never a traceback."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except PenstockError as error:
            raise Failure(str(error)) from error


@click.group(cls=_Commands, context_settings={"help_option_names": ["--help"], "max_content_width": 100})
@click.version_option(package_name="penstock", message="%(prog)s %(version)s")
def main() -> None:
    """XML publish/subscribe: XPath over streams of XML, in one pass.

    \b
    penstock match '//item[contains(title, "outage")]/link' feed.xml
    penstock demo
    """


for _command in (match, run, explain, check, subscribe, unsubscribe, list_subscriptions, generate, bench, demo):
    main.add_command(_command)
