"""W2: what a change of the subscriptions costs, and how much changes slow the others down."""

from __future__ import annotations

import statistics
import threading
import time
from itertools import cycle
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from penstock import Broker

CHANGES_PER_MINUTE = 1_000
_WINDOWS = 3


def latencies(broker: Broker, documents: Sequence[bytes], fresh: Sequence[str]) -> dict[str, float]:
    """Median and worst seconds of one `subscribe` and one `unsubscribe`, and of a document right after a change."""
    subscribing, unsubscribing, publishing = [], [], []
    for number, query in enumerate(fresh):
        document = documents[number % len(documents)]
        subscribing.append(_seconds(lambda query=query: broker.subscribe("fresh", query)))
        publishing.append(_seconds(lambda document=document: broker.matches(document)))
        unsubscribing.append(_seconds(lambda: broker.unsubscribe("fresh")))
    return {
        "subscribe_seconds": statistics.median(subscribing),
        "subscribe_worst_seconds": max(subscribing),
        "unsubscribe_seconds": statistics.median(unsubscribing),
        "unsubscribe_worst_seconds": max(unsubscribing),
        "publish_after_change_seconds": statistics.median(publishing),
    }


def slowdown(broker: Broker, documents: Sequence[bytes], fresh: Sequence[str], *, seconds: float) -> float:
    """The share of throughput that is left while another thread makes 1,000 changes a minute."""
    shares = []
    for _ in range(_WINDOWS):
        alone = _throughput(broker, documents, seconds)
        stop = threading.Event()
        changer = threading.Thread(target=_change, args=(broker, fresh, stop))
        changer.start()
        try:
            shares.append(_throughput(broker, documents, seconds) / alone)
        finally:
            stop.set()
            changer.join()
    return statistics.median(shares)


def _change(broker: Broker, fresh: Sequence[str], stop: threading.Event) -> None:
    """One in, one out, at an even pace: each is a change."""
    for number, query in enumerate(cycle(fresh)):
        broker.subscribe(f"changing {number}", query)
        stop.wait(60 / CHANGES_PER_MINUTE)
        broker.unsubscribe(f"changing {number}")
        if stop.wait(60 / CHANGES_PER_MINUTE):
            return


def _throughput(broker: Broker, documents: Sequence[bytes], seconds: float) -> float:
    """Documents a second, for a while."""
    began = time.perf_counter()
    done = 0
    for document in cycle(documents):
        broker.publish(document, grouped=True)
        done += 1
        if time.perf_counter() - began >= seconds:
            break
    return done / (time.perf_counter() - began)


def _seconds(action: Any) -> float:
    began = time.perf_counter()
    action()
    return time.perf_counter() - began
