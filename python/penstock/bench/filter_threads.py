"""W2: how throughput grows when several threads publish separate documents to one broker."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from penstock.bench.measure import interleaved, ratio

if TYPE_CHECKING:
    from collections.abc import Sequence

    from penstock import Broker


def growth(broker: Broker, documents: Sequence[bytes], *, rounds: int) -> dict[str, Any]:
    """The number of threads, one for each core, and how many times the documents of one thread they get through."""
    number = os.cpu_count() or 1

    def publish(part: Sequence[bytes]) -> None:
        for document in part:
            broker.publish(document, grouped=True)

    with ThreadPoolExecutor(number) as pool:

        def together() -> None:
            list(pool.map(publish, [documents[first::number] for first in range(number)]))

        # A thread learns the subscriptions with its first documents.
        together()
        seconds = interleaved({"one": lambda: publish(documents), "all": together}, rounds=rounds)
    return {"number": number, "speed_up": ratio(seconds["one"], seconds["all"])}
