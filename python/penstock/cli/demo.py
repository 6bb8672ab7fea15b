"""`penstock demo`: bundled feeds through Spark, or through the embedded broker."""

from __future__ import annotations

import click

from penstock.cli.requirements import missing_for_spark


@click.command()
@click.option("--embedded", is_flag=True, help="Use the embedded broker, without Spark.")
def demo(embedded: bool) -> None:
    """Stream bundled feeds through Spark, on this machine: news, payments, alerts, transit.

    A few hundred subscriptions, some of them changed while the stream runs; one document is malformed on purpose.
    Without Spark or Java the embedded broker does the same.

    \b
    Examples:
      penstock demo
      penstock demo --embedded
    """
    import penstock
    from penstock.cli.demo_embedded import EmbeddedWay
    from penstock.cli.demonstration import Demonstration
    from penstock.samples.subscriptions import NAMESPACES

    missing = None if embedded else missing_for_spark()
    if missing is not None:
        click.echo(f"penstock: {missing}; here is the embedded broker", err=True)
    broker = penstock.Broker(namespaces=NAMESPACES)
    show = Demonstration(broker)
    if embedded or missing is not None:
        show.run(EmbeddedWay(broker))
        return
    from penstock.cli.demo_spark import SparkWay

    show.say("Spark starts ...")
    show.run(SparkWay(broker))
