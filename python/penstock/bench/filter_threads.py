"""W2: how throughput grows when several threads publish documents to one broker, each its own."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from math import ceil
from threading import Barrier
from time import perf_counter
from typing import TYPE_CHECKING, Any

from penstock.bench.measure import LEAST_SECONDS, interleaved, ratio

if TYPE_CHECKING:
    from collections.abc import Sequence

    from penstock import Broker


def growth(broker: Broker, documents: Sequence[bytes], *, rounds: int) -> dict[str, Any]:
    """The number of threads, one for each core, and how many times the documents of one thread they get through."""
    number = os.cpu_count() or 1
    everyone = Barrier(number)

    def publish(times: int = 1) -> None:
        for _ in range(times):
            for document in documents:
                broker.publish(document, grouped=True)

    start = perf_counter()
    publish()
    # What takes a few milliseconds would time how threads start.
    times = ceil(LEAST_SECONDS / (perf_counter() - start))

    def publish_at_once() -> None:
        everyone.wait()
        publish(times)

    with ThreadPoolExecutor(number) as pool:

        def together() -> None:
            for done in [pool.submit(publish_at_once) for _ in range(number)]:
                done.result()

        # A thread learns the subscriptions with its first documents.
        together()
        seconds = interleaved({"one": lambda: publish(times), "all": together}, rounds=rounds)
    return {"number": number, "speed_up": number * ratio(seconds["one"], seconds["all"])}
