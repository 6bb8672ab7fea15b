"""W2: measures one set of subscriptions in a process of its own, so that its memory is that of nothing else.

`python -m penstock.bench.filter_worker SPECIFICATION`, a JSON object with the fields of `Specification`.
"""

from __future__ import annotations

import gc
import json
import statistics
import sys
import time
from dataclasses import asdict, dataclass
from itertools import cycle, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from penstock import Broker
from penstock.bench import engines
from penstock.bench.filter_changes import latencies, slowdown
from penstock.bench.filter_peers import loops
from penstock.bench.filter_threads import growth
from penstock.bench.measure import LEAST_SECONDS, interleaved, ratio, resident_bytes
from penstock.bench.worker import run_alone
from penstock.generate.corpus import read_documents

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

FRESH = 200
"""So many queries come and go while documents are published."""

COLD_DOCUMENTS = 1_000
SMALL_DOCUMENT = 20_000
MODES = ("ids", "shared", "exploded")
_PEER_BYTES = 200_000
_PASSES_IN_VAIN = 2
_HARDLY_FASTER = 0.95


@dataclass(frozen=True, slots=True)
class Specification:
    """What to measure: files of documents and of queries, and how many of the latter to subscribe.

    Where all documents would take longer than `patience` seconds, only those that fit are measured. `fresh` queries
    after those subscribed come and go; with none, changes are not measured.
    """

    documents: str
    queries: str
    number: int
    namespaces: dict[str, str]
    rounds: int
    patience: float
    peers: bool = False
    fresh: int = 0


def measure(specification: Specification) -> dict[str, Any]:
    """Run a worker and return its figures."""
    return run_alone("penstock.bench.filter_worker", json.dumps(asdict(specification)))


def _run(wanted: Specification) -> dict[str, Any]:
    documents = list(read_documents(Path(wanted.documents)))
    broker = Broker(namespaces=wanted.namespaces, mode="FAILFAST")
    figures: dict[str, Any] = {}
    before = _settled()
    began = time.perf_counter()
    rejected = len(broker.subscribe_many(_rows(wanted)).rejected)
    registering = time.perf_counter() - began
    # Not the subscriptions themselves: a million of Python's objects would leave its memory in pieces.
    subscriptions = broker.stats()["subscriptions"]
    figures |= {
        "subscriptions": subscriptions,
        "rejected": rejected,
        "registered_per_second": subscriptions / registering,
    }
    figures["bytes_registered"] = (_settled() - before) / subscriptions
    cold, documents = _cold(broker, documents, wanted.patience)
    figures["cold"] = cold
    figures["warming_passes"] = _warm_up(broker, documents, wanted.patience)
    figures["bytes_warm"] = (_settled() - before) / subscriptions
    figures |= {"documents": len(documents), "input_bytes": sum(map(len, documents))}
    figures |= _warm(broker, documents, wanted, subscriptions)
    figures["threads"] = growth(broker, documents, rounds=wanted.rounds)
    if wanted.fresh:
        fresh = list(islice(_queries(wanted), wanted.number, wanted.number + wanted.fresh))
        figures["changes"] = latencies(broker, documents, fresh)
        figures["changes"]["throughput_left"] = slowdown(broker, documents, fresh, seconds=wanted.patience / 10)
    return figures


def _queries(wanted: Specification) -> Iterator[str]:
    with Path(wanted.queries).open(encoding="utf-8") as lines:
        for line in lines:
            yield line.rstrip("\n")


def _rows(wanted: Specification) -> Iterator[tuple[str, str]]:
    return ((f"q{number}", query) for number, query in enumerate(islice(_queries(wanted), wanted.number)))


def _settled() -> int:
    gc.collect()
    return resident_bytes()


def _cold(broker: Broker, documents: list[bytes], patience: float) -> tuple[dict[str, Any], list[bytes]]:
    """The first documents after a start; then which documents there is time for.

    Where there are fewer small ones than the bar is for, they come again from the first on: that is told apart.
    """
    first = documents[:COLD_DOCUMENTS]
    input_bytes = sum(map(len, first))
    are_small = input_bytes <= SMALL_DOCUMENT * len(first)
    began = time.perf_counter()
    done, seconds, in_all = 0, 0.0, None
    for _ in broker.publish_many(islice(cycle(first), COLD_DOCUMENTS if are_small else len(first)), grouped=True):
        done += 1
        passed = time.perf_counter() - began
        if done <= len(first):
            seconds = passed
        if done == COLD_DOCUMENTS:
            in_all = passed
        if passed > patience:
            break
    published = min(done, len(first))
    affordable = max(published, int(published * patience / seconds))
    cold = {"documents": published, "seconds": seconds, "thousand_seconds": in_all if are_small else None}
    return cold, documents[:affordable]


def _warm_up(broker: Broker, documents: list[bytes], patience: float) -> int:
    """Passes until what is learned makes them no faster, or patience is at an end; how many they were.

    Two in a row must bring little: one may be slow because of what else the machine does.
    """
    began = time.perf_counter()
    fastest, passes, in_vain = float("inf"), 0, 0
    while in_vain < _PASSES_IN_VAIN and time.perf_counter() - began < patience:
        start = time.perf_counter()
        _consume(broker.publish_many(documents, grouped=True))
        taken = time.perf_counter() - start
        in_vain = 0 if taken < fastest * _HARDLY_FASTER else in_vain + 1
        fastest = min(fastest, taken)
        passes += 1
    return passes


def _warm(broker: Broker, documents: list[bytes], wanted: Specification, subscriptions: int) -> dict[str, Any]:
    parse = engines.parse_only("")
    actions: dict[str, Callable[[], object]] = {
        engines.BASELINE: _over(documents, parse),
        "ids": _over(documents, broker.matches),
        "shared": lambda: _consume(broker.publish_many(documents, grouped=True)),
        "exploded": lambda: _consume(broker.publish_many(documents)),
    }
    seconds = interleaved(actions, rounds=wanted.rounds, at_least=LEAST_SECONDS)
    matches = sum(len(broker.matches(document)) for document in documents)
    deliveries = sum(
        len(one.subscriptions) for document in documents for one in broker.publish(document, grouped=True).fragments
    )
    baseline = seconds.pop(engines.BASELINE)
    rate = sum(map(len, documents)) / statistics.median(baseline)
    figures: dict[str, Any] = {
        "expat_mb_per_second": rate / 1e6,
        "match_rate": matches / subscriptions / len(documents),
        "deliveries_per_second": deliveries / statistics.median(seconds["shared"]),
        "speed": {mode: ratio(baseline, seconds[mode]) for mode in MODES},
        "extrapolated_from": {},
        "agree": True,
    }
    if wanted.peers:
        _add_peers(figures, broker, documents, wanted)
    return figures


def _over(documents: Sequence[bytes], action: Callable[[bytes], object]) -> Callable[[], None]:
    def act() -> None:
        for document in documents:
            action(document)

    return act


def _consume(results: Iterable[object]) -> None:
    for _ in results:
        pass


def _add_peers(figures: dict[str, Any], broker: Broker, documents: list[bytes], wanted: Specification) -> None:
    """Loops over some queries and documents; their time for all queries is that of parsing plus so many times more."""
    sample = _sample(documents)
    for name, (make, most) in loops().items():
        chosen = list(islice(_queries(wanted), min(most, wanted.number)))
        parse, loop = make([], wanted.namespaces), make(chosen, wanted.namespaces)
        actions = {engines.BASELINE: engines.parse_only(""), "parse": parse, "loop": loop}
        seconds = interleaved({key: _over(sample, action) for key, action in actions.items()}, rounds=wanted.rounds)
        parsing = statistics.median(seconds["parse"])
        evaluating = max(statistics.median(seconds["loop"]) - parsing, 0.0)
        whole = parsing + evaluating * wanted.number / len(chosen)
        figures["speed"][name] = statistics.median(seconds[engines.BASELINE]) / whole
        figures["extrapolated_from"][name] = {"queries": len(chosen), "documents": len(sample)}
        ids = {f"q{number}" for number in range(len(chosen))}
        own = sum(len(ids.intersection(broker.matches(document))) for document in sample)
        figures["agree"] = figures["agree"] and own == sum(loop(document) for document in sample)


def _sample(documents: list[bytes]) -> list[bytes]:
    """The first documents, up to a size that a loop gets through."""
    size = 0
    for number, document in enumerate(documents):
        size += len(document)
        if size > _PEER_BYTES:
            return documents[: max(number, 1)]
    return documents


if __name__ == "__main__":
    sys.stdout.write(json.dumps(_run(Specification(**json.loads(sys.argv[1])))) + "\n")
