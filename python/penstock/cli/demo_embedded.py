"""The demonstration's documents through the embedded broker."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from penstock.cli.demonstration import Letter, Outcome

if TYPE_CHECKING:
    from collections.abc import Iterable

    from penstock import Broker
    from penstock.samples import Sample


class EmbeddedWay:
    """Publishes one document after the other, in this process."""

    def __init__(self, broker: Broker) -> None:
        self._broker = broker

    def publish(self, samples: list[Sample]) -> Outcome:
        """What a batch of documents gives."""
        known = len(self._broker.dead_letters)
        began = time.perf_counter()
        found = [
            delivery
            for sample in samples
            for delivery in self._broker.publish(sample.xml, stream=sample.stream, id=sample.id)
        ]
        seconds = time.perf_counter() - began
        letters = [
            Letter(one.document, one.message, one.line, one.column) for one in list(self._broker.dead_letters)[known:]
        ]
        return Outcome(found, letters, seconds)

    def finish(self) -> Iterable[str]:
        """Nothing more is known."""
        return ()
