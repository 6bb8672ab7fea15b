"""`penstock demo`: the embedded broker over bundled feeds."""

from __future__ import annotations

import click


@click.command()
def demo() -> None:
    """Run the embedded broker over bundled feeds: news, payments, alerts, transit.

    More than a hundred subscriptions, some of them changed on the way; one document is malformed on purpose.

    \b
    Example:
      penstock demo
    """
    from penstock.cli.demonstration import Demonstration

    Demonstration().run()
