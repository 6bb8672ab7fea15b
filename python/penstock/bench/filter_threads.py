"""W2: how throughput grows when several threads publish documents to one broker, each its own."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import TYPE_CHECKING, Any

from penstock.bench.measure import interleaved, ratio

if TYPE_CHECKING:
    from collections.abc import Sequence

    from penstock import Broker


def growth(broker: Broker, documents: Sequence[bytes], *, rounds: int) -> dict[str, Any]:
    """The number of threads, one for each core, and how many times the documents of one thread they get through."""
    number = os.cpu_count() or 1
    everyone = Barrier(number)

    def publish() -> None:
        for document in documents:
            broker.publish(document, grouped=True)

    def publish_at_once() -> None:
        everyone.wait()
        publish()

    with ThreadPoolExecutor(number) as pool:

        def together() -> None:
            for done in [pool.submit(publish_at_once) for _ in range(number)]:
                done.result()

        # A thread learns the subscriptions with its first documents.
        together()
        seconds = interleaved({"one": publish, "all": together}, rounds=rounds)
    return {"number": number, "speed_up": number * ratio(seconds["one"], seconds["all"])}
