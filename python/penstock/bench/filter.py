"""W2, many subscriptions: speed, cold start, memory, registration and changes, by number and kind of queries."""

from __future__ import annotations

import tempfile
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from penstock.bench.filter_bars import bars
from penstock.bench.filter_data import DATASETS, Corpus, load_corpus
from penstock.bench.filter_worker import FRESH, Specification, measure
from penstock.bench.filter_workloads import (
    QUICK_VARIED_SIZE,
    VARIED_SIZE,
    WORKLOADS,
    Workload,
    sizes,
    variations,
)
from penstock.bench.measure import machine
from penstock.generate.queries import Parameters, queries

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_PATIENCE, _QUICK_PATIENCE = 60.0, 5.0


@dataclass(frozen=True, slots=True)
class Options:
    """What to run. `most` leaves out larger numbers of subscriptions."""

    folder: Path
    quick: bool = False
    peers: bool = True
    rounds: int = 5
    most: int | None = None
    datasets: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    varied: bool = True


def run(options: Options, progress: Callable[[str], None]) -> dict[str, Any]:
    """All rows, the effect of each parameter, and what they were measured on."""
    rows: list[dict[str, Any]] = []
    varied: list[dict[str, Any]] = []
    for dataset in DATASETS:
        if options.datasets and dataset not in options.datasets:
            continue
        corpus = load_corpus(dataset, options.folder, quick=options.quick)
        if corpus is None:
            progress(f"{dataset}: left out: not in {options.folder}")
            continue
        with tempfile.TemporaryDirectory() as folder:
            bench = _Bench(corpus, Path(folder), options, progress)
            rows += bench.rows()
            varied += bench.varied() if options.varied else ()
    return {"workload": "filter", "machine": machine(), "rounds": options.rounds, "rows": rows, "varied": varied}


class _Bench:
    """One data set."""

    def __init__(self, corpus: Corpus, folder: Path, options: Options, progress: Callable[[str], None]) -> None:
        self.corpus = corpus
        self.options = options
        self.progress = progress
        self.documents = folder / "documents.jsonl"
        self.queries = folder / "queries"
        corpus.write(self.documents)

    def rows(self) -> Iterator[dict[str, Any]]:
        for workload in WORKLOADS:
            if not self.options.kinds or workload.name in self.options.kinds:
                yield from self._sizes(workload)

    def _sizes(self, workload: Workload) -> Iterator[dict[str, Any]]:
        """Larger sets begin with the queries of the smaller ones: that is how the generator makes them."""
        largest = self.options.most or workload.most
        wanted = {min(size, largest) for size in sizes(workload, quick=self.options.quick)}
        kept_back = FRESH if workload.changes else 0
        there = self._write(self.corpus.selective(workload.parameters), max(wanted) + kept_back)
        fresh = min(kept_back, there // 5)
        for size in sorted({min(size, there - fresh) for size in wanted} - {0}):
            row = self._row(workload.name, size, fresh=fresh, peers=self.options.peers)
            judged = bars(workload, row)
            yield row | {"bars": judged, "passes": row["agree"] and all(bar["passes"] for bar in judged)}

    def varied(self) -> Iterator[dict[str, Any]]:
        """The same number of subscriptions with one parameter after the other set to other values."""
        whole = QUICK_VARIED_SIZE if self.options.quick else VARIED_SIZE
        size = min(whole, self.options.most or whole)
        for variation in variations():
            name = f"{variation.parameter} = {variation.value:g}"
            if self._write(variation.parameters, size) < size:
                self.progress(f"{self.corpus.dataset}: {name}: left out: there are not {size:,} distinct queries")
                continue
            row = self._row(name, size, fresh=0, peers=False)
            yield row | {"parameter": variation.parameter, "value": variation.value}

    def _write(self, parameters: Parameters, number: int) -> int:
        """Makes the queries; returns how many there are."""
        self.progress(f"{self.corpus.dataset}: making {number:,} queries")
        count = 0
        # Flat documents have no long paths at all, which the generator refuses: then there are none.
        with self.queries.open("w", encoding="utf-8") as output, suppress(ValueError):
            for query in queries(self.corpus.structure, replace(parameters, number=number)):
                output.write(query + "\n")
                count += 1
        return count

    def _row(self, name: str, size: int, *, fresh: int, peers: bool) -> dict[str, Any]:
        self.progress(f"{self.corpus.dataset}: {name}: {size:,} subscriptions")
        figures = measure(
            Specification(
                documents=str(self.documents),
                queries=str(self.queries),
                number=size,
                namespaces=self.corpus.structure.namespaces,
                rounds=self.options.rounds,
                patience=_QUICK_PATIENCE if self.options.quick else _PATIENCE,
                peers=peers,
                fresh=fresh,
            )
        )
        return {"dataset": self.corpus.dataset, "source": self.corpus.source, "kind": name, **figures}
