"""W3, FLWOR subscriptions with customised results: time a message, split as the paper splits it, and by its figures."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from penstock.bench.broker_bars import bars
from penstock.bench.broker_worker import Specification, measure
from penstock.bench.broker_workloads import EXPERIMENTS, quickened
from penstock.bench.measure import machine

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True, slots=True)
class Options:
    """What to run: figures of the paper, all if none are named; `most` leaves out larger numbers of subscriptions."""

    documents: int = 180
    rounds: int = 5
    peers: bool = True
    most: int = 100_000
    figures: tuple[int, ...] = ()


def run(options: Options, progress: Callable[[str], None]) -> dict[str, Any]:
    """All rows, and what they were measured on. The largest and the smallest set of a figure meet the peers."""
    rows: list[dict[str, Any]] = []
    for experiment in (quickened(one, options.most) for one in EXPERIMENTS):
        if options.figures and experiment.figure not in options.figures:
            continue
        ends = {experiment.points[0][0], experiment.points[-1][0]}
        for value, wanted in experiment.points:
            progress(f"figure {experiment.figure}: {experiment.dataset}, {experiment.varied} {value:,g}")
            peers = options.peers and value in ends
            specification = Specification(experiment.dataset, asdict(wanted), options.documents, options.rounds, peers)
            row = {"figure": experiment.figure, "dataset": experiment.dataset, "varied": experiment.varied}
            rows.append(row | {"value": value, "parameters": asdict(wanted)} | measure(specification))
    judged = bars(rows)
    passes = all(row["agree"] for row in rows) and all(bar["passes"] for bar in judged)
    report = {"workload": "broker", "machine": machine(), "rounds": options.rounds, "documents": options.documents}
    return report | {"rows": rows, "bars": judged, "passes": passes}
