"""What `penstock demo` shows, step by step."""

from __future__ import annotations

import time
from collections import Counter
from typing import TYPE_CHECKING

from rich.console import Console
from rich.markup import escape
from rich.table import Table

import penstock
from penstock.samples import documents
from penstock.samples.subscriptions import NAMESPACES, subscriptions

if TYPE_CHECKING:
    from penstock import Delivery
    from penstock.samples import Sample

_PIPED_WIDTH = 110
_LATE_QUERY = "//nar:headline | //item/title"


class Demonstration:
    """Publishes every bundled document, tells of what is delivered, and sums up."""

    def __init__(self) -> None:
        self.console = Console()
        if not self.console.is_terminal:
            self.console = Console(width=_PIPED_WIDTH, highlight=False)
        self.broker = penstock.Broker(namespaces=NAMESPACES)
        self.delivered: Counter[str] = Counter()
        self.matching: set[str] = set()
        self.documents: Counter[str] = Counter()

    def run(self) -> None:
        """The whole show."""
        rows = subscriptions()
        self.broker.subscribe_many(rows)
        self._say(f"[bold]{len(rows)} subscriptions[/] to news, payments, alerts and transit; documents come in:")
        samples = documents()
        began = time.perf_counter()
        for number, sample in enumerate(samples):
            if number == len(samples) // 2:
                self._change_subscriptions()
            self._publish(sample)
        self._summarise(time.perf_counter() - began)

    def _publish(self, sample: Sample) -> None:
        deliveries = self.broker.publish(sample.xml, stream=sample.stream, id=sample.id)
        self.documents[sample.stream] += 1
        self.delivered[sample.stream] += len(deliveries)
        self.matching |= {delivery.subscription for delivery in deliveries}
        self._say(
            f"\n[bold cyan]{sample.stream}[/] {sample.id}, {len(sample.xml):,} bytes: {len(deliveries)} deliveries"
        )
        by_fragment: dict[str, list[Delivery]] = {}
        for delivery in deliveries:
            by_fragment.setdefault(delivery.fragment, []).append(delivery)
        for same in by_fragment.values():
            self._show(same)

    def _show(self, same: list[Delivery]) -> None:
        """One fragment, once, however many subscribers get it."""
        first = same[0]
        receivers = first.subscription if len(same) == 1 else f"{first.subscription} +{len(same) - 1}"
        fragment = escape(" ".join(first.fragment.split()))
        line = f"  [green]{escape(receivers):<30}[/] [dim]{first.kind:<9}[/] {fragment}"
        self.console.print(line, no_wrap=True, overflow="ellipsis", highlight=False)

    def _change_subscriptions(self) -> None:
        """Subscriptions come, go and change while documents flow; no one else notices."""
        self.broker.unsubscribe("payments/total")
        self.broker.subscribe("news/everything", _LATE_QUERY, stream="news")
        self.broker.subscribe(
            "transit/last-stop", "(//siri:StopPointName)[last()]/text()", stream="transit", replace=True
        )
        self._say("\n[bold yellow]changed:[/] - payments/total, + news/everything, ~ transit/last-stop")

    def _summarise(self, seconds: float) -> None:
        table = Table(title="Summary", title_justify="left", title_style="bold")
        for heading in ("stream", "documents", "deliveries"):
            table.add_column(heading, justify="left" if heading == "stream" else "right")
        for stream, count in self.documents.items():
            table.add_row(stream, str(count), str(self.delivered[stream]))
        table.add_section()
        table.add_row("all", str(self.documents.total()), str(self.delivered.total()))
        self._say("")
        self.console.print(table)
        self._say(
            f"{len(self.matching)} of {len(self.broker.subscriptions())} subscriptions matched something; "
            f"{seconds * 1000:.0f} ms for everything above, printing included."
        )
        for letter in self.broker.dead_letters:
            self._say(
                f"[bold red]dead letter[/] {letter.document}: {escape(letter.message)} "
                f"(line {letter.line}, column {letter.column})"
            )

    def _say(self, text: str) -> None:
        self.console.print(text, highlight=False)
