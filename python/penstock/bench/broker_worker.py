"""W3: measures one set of FLWOR subscriptions in a process of its own.

`python -m penstock.bench.broker_worker SPECIFICATION`, a JSON object with the fields of `Specification`.
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from penstock import Broker
from penstock.bench.broker_peers import loops, string_value
from penstock.bench.measure import interleaved
from penstock.bench.worker import run_alone
from penstock.generate.flwors import FlworParameters, flwors
from penstock.generate.schemas import SCHEMAS
from penstock.generate.use_cases import bib, book

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_WARM = 20
_SAMPLE = 5
_MODES = ("parse", "reference", "deliver")


@dataclass(frozen=True, slots=True)
class Specification:
    """The DTD, the parameters of the queries, and how many documents."""

    dataset: str
    parameters: dict[str, Any]
    documents: int
    rounds: int
    peers: bool


def measure(specification: Specification) -> dict[str, Any]:
    """Run a worker and return its figures."""
    return run_alone("penstock.bench.broker_worker", json.dumps(asdict(specification)))


def _run(wanted: Specification) -> dict[str, Any]:
    parameters = FlworParameters(**wanted.parameters)
    queries = list(flwors(SCHEMAS[wanted.dataset], parameters))
    make = bib if wanted.dataset == "bib" else book
    texts = ("".join(make(seed=seed, max_value=parameters.max_value)) for seed in range(wanted.documents + _WARM))
    documents = [text.encode() for text in texts]
    broker = Broker(mode="FAILFAST")
    began = time.perf_counter()
    rejected = len(broker.subscribe_many((str(number), query) for number, query in enumerate(queries)).rejected)
    registering = time.perf_counter() - began
    for document in documents[:_WARM]:
        broker.publish(document)
    figures = _figures(broker, documents[_WARM:], wanted.rounds)
    stats = broker.stats()
    figures |= {
        "subscriptions": len(queries),
        "rejected": rejected,
        "registered_per_second": len(queries) / registering,
        "elements": sum(document.count(b"<") - document.count(b"</") for document in documents) / len(documents),
        "input_bytes": sum(map(len, documents)) / len(documents),
        **{name: stats[name] for name in ("templated", "verified", "streamed", "works", "holes", "plans")},
        "peers": {},
        "agree": True,
    }
    if wanted.peers:
        _add_peers(figures, broker, queries, documents[_WARM : _WARM + _SAMPLE], wanted.rounds)
    return figures


def _figures(broker: Broker, documents: Sequence[bytes], rounds: int) -> dict[str, Any]:
    """Milliseconds a message: reading alone, with matching and grouping, with all messages made and delivered."""
    nobody = Broker(mode="FAILFAST")
    actions: dict[str, Callable[[], object]] = {
        "parse": _over(documents, nobody.publish),
        "reference": _over(documents, lambda document: broker.publish(document, grouped=True)),
        "deliver": _over(documents, broker.publish),
    }
    seconds = interleaved(actions, rounds=rounds)
    each = {mode: 1000 * statistics.median(seconds[mode]) / len(documents) for mode in _MODES}
    deliveries = sum(broker.publish(document, grouped=True).deliveries for document in documents) / len(documents)
    matching = sum(len(broker.matches(document)) for document in documents) / len(documents)
    return {
        "parse_ms": each["parse"],
        "match_ms": max(each["reference"] - each["parse"], 0.0),
        "construct_ms": max(each["deliver"] - each["reference"], 0.0),
        "reference_ms": each["reference"],
        "whole_ms": each["deliver"],
        "deliveries": deliveries,
        "matching": matching,
        "deliveries_per_second": 1000 * deliveries / each["deliver"],
    }


def _over(documents: Sequence[bytes], action: Callable[[bytes], object]) -> Callable[[], None]:
    def act() -> None:
        for document in documents:
            action(document)

    return act


def _add_peers(
    figures: dict[str, Any], broker: Broker, queries: list[str], documents: list[bytes], rounds: int
) -> None:
    """Their time for some queries, spread over all of them, stands for the time for all."""
    for name, (make, most) in loops().items():
        places = range(0, len(queries), max(len(queries) // most, 1))[:most]
        chosen = [queries[place] for place in places]
        loop, nothing = make(chosen), make([])
        seconds = interleaved({"loop": _over(documents, loop), "parse": _over(documents, nothing)}, rounds=rounds)
        parsing = statistics.median(seconds["parse"])
        evaluating = max(statistics.median(seconds["loop"]) - parsing, 0.0) * len(queries) / len(chosen)
        figures["peers"][name] = {
            "ms": 1000 * (parsing + evaluating) / len(documents),
            "queries": len(chosen),
            "documents": len(documents),
        }
        for document in documents:
            own: dict[str, list[str]] = {}
            for one in broker.publish(document):
                own.setdefault(one.subscription, []).append(string_value(one.fragment))
            wanted = [own.get(str(place), []) for place in places]
            figures["agree"] = figures["agree"] and loop(document) == wanted


if __name__ == "__main__":
    sys.stdout.write(json.dumps(_run(Specification(**json.loads(sys.argv[1])))) + "\n")
