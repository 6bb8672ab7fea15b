"""What `penstock demo` shows, step by step, whichever way the documents go."""

from __future__ import annotations

import statistics
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple, Protocol

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from penstock.samples.subscriptions import subscriptions
from penstock.samples.variation import rounds

if TYPE_CHECKING:
    from collections.abc import Iterable

    from penstock import Broker, Delivery
    from penstock.samples import Sample

_PIPED_WIDTH = 110
_ROUNDS = 12
_SHOWN = 6


class Letter(NamedTuple):
    """A document that was refused."""

    document: str
    message: str
    line: int
    column: int


class Outcome(NamedTuple):
    """What became of a batch of documents."""

    deliveries: list[Delivery]
    letters: list[Letter]
    seconds: float


class Way(Protocol):
    """How documents are matched."""

    def publish(self, samples: list[Sample]) -> Outcome:
        """What a batch of documents gives."""

    def finish(self) -> Iterable[str]:
        """Ends it; what else there is to say."""


class Demonstration:
    """Publishes the bundled feeds in batches, tells of what is delivered, changes subscriptions, and sums up."""

    def __init__(self, broker: Broker) -> None:
        self.console = Console()
        if not self.console.is_terminal:
            self.console = Console(width=_PIPED_WIDTH, highlight=False)
        self.broker = broker
        self.broker.subscribe_many(subscriptions())
        self.delivered: Counter[str] = Counter()
        self.documents: Counter[str] = Counter()
        self.matching: set[str] = set()
        self.letters: list[Letter] = []
        self.seconds: list[float] = []

    def run(self, way: Way) -> None:
        """The whole show."""
        standing = len(self.broker.subscriptions())
        self.say(f"[bold]{standing} subscriptions[/] to news, payments, alerts and transit; documents come in:")
        for number, samples in enumerate(rounds(_ROUNDS), start=1):
            if number == _ROUNDS // 3 + 1:
                self._change_some()
            if number == 2 * _ROUNDS // 3 + 1:
                self._change_more()
            self._batch(number, samples, way.publish(samples))
        self._summarise(way.finish())

    def say(self, text: str) -> None:
        """A line of the show."""
        self.console.print(text, highlight=False)

    def _batch(self, number: int, samples: list[Sample], outcome: Outcome) -> None:
        streams = Counter(sample.stream for sample in samples)
        self.documents += streams
        self.delivered += Counter(delivery.stream for delivery in outcome.deliveries)
        self.matching |= {delivery.subscription for delivery in outcome.deliveries}
        self.letters += outcome.letters
        self.seconds.append(outcome.seconds)
        self.say(
            f"\n[bold cyan]batch {number}[/] {len(samples)} documents, {len(outcome.deliveries)} deliveries "
            f"in {outcome.seconds * 1000:,.0f} ms"
        )
        same: dict[tuple[str, ...], list[Delivery]] = {}
        for delivery in outcome.deliveries:
            same.setdefault((*delivery.documents, delivery.fragment), []).append(delivery)
        # The first batch is shown whole, of the others enough from all streams to see that they flow.
        shown = list(same.values())[:: 1 if number == 1 else len(same) // _SHOWN + 1]
        for deliveries in shown:
            self._show(deliveries)
        if len(shown) < len(same):
            self.say(f"  [dim]... and {len(same) - len(shown)} more fragments[/]")

    def _show(self, same: list[Delivery]) -> None:
        """One fragment, once, however many subscribers get it."""
        first = same[0]
        receivers = first.subscription if len(same) == 1 else f"{first.subscription} +{len(same) - 1}"
        fragment = escape(" ".join(first.fragment.split()))
        line = f"  [green]{escape(receivers):<34}[/] [dim]{first.kind:<9}[/] {fragment}"
        self.console.print(line, no_wrap=True, overflow="ellipsis", highlight=False)

    def _change_some(self) -> None:
        """Subscriptions come, go and change while documents flow; no one else notices."""
        self.broker.unsubscribe("payments/total")
        self.broker.subscribe("news/everything", "//nar:headline | //item/title", stream="news", subscriber="eve")
        self.broker.subscribe(
            "transit/last-stop", "(//siri:StopPointName)[last()]/text()", stream="transit", replace=True
        )
        self.say("\n[bold yellow]changed:[/] - payments/total, + news/everything, ~ transit/last-stop")

    def _change_more(self) -> None:
        self.broker.unsubscribe("news/everything")
        self.broker.subscribe("alerts/any", "count(//cap:info)", stream="alerts", subscriber="eve")
        self.say("\n[bold yellow]changed:[/] - news/everything, + alerts/any")

    def _summarise(self, more: Iterable[str]) -> None:
        table = Table(title="Summary", title_justify="left", title_style="bold")
        for heading in ("stream", "documents", "deliveries"):
            table.add_column(heading, justify="left" if heading == "stream" else "right")
        for stream, count in self.documents.items():
            table.add_row(stream, str(count), str(self.delivered[stream]))
        table.add_section()
        table.add_row("all", str(self.documents.total()), str(self.delivered.total()))
        self.say("")
        self.console.print(table)
        milliseconds = [1000 * seconds for seconds in self.seconds]
        self.say(f"{len(self.matching)} of {len(self.broker.subscriptions())} subscriptions matched something")
        self.say(
            f"from arrival to delivery, a batch: {statistics.median(milliseconds):,.0f} ms (median), "
            f"{max(milliseconds[1:]):,.0f} ms at most after the first, which took {milliseconds[0]:,.0f} ms"
        )
        for line in more:
            self.say(line)
        for letter in self.letters:
            self.say(
                f"[bold red]dead letter[/] {letter.document}: {escape(letter.message)} "
                f"(line {letter.line}, column {letter.column})"
            )
