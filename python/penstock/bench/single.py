"""W1, one query at a time: x expat, time to the first result, peak memory, against lxml and Saxon."""

from __future__ import annotations

import tempfile
from dataclasses import asdict, dataclass, field
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from penstock.bench import engines, worker
from penstock.bench.data import load
from penstock.bench.measure import interleaved, machine, ratio
from penstock.bench.single_bars import least_speed
from penstock.bench.workloads import CASES, LARGE_CASES, Case
from penstock.generate import xmark

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@dataclass(frozen=True, slots=True)
class Options:
    """What to run. `large` is the size of the document fed in chunks from disk; 0 leaves that part out."""

    folder: Path
    quick: bool = False
    peers: bool = True
    rounds: int = 5
    large: int = 0
    datasets: tuple[str, ...] = ()


@dataclass(slots=True)
class Row:
    """One query on one document. Speeds are multiples of expat's on the same bytes in the same run."""

    dataset: str
    source: str
    input_bytes: int
    kind: str
    query: str
    bar: float
    results: int = 0
    output_characters: int = 0
    expat_mb_per_second: float = 0.0
    speed: dict[str, float] = field(default_factory=dict)
    first_result_seconds: float | None = None
    peak_bytes: dict[str, int] = field(default_factory=dict)
    grown_bytes: dict[str, int] = field(default_factory=dict)
    agree: bool = True

    @property
    def passes(self) -> bool:
        """Whether the bars hold: the least speed, no peer faster, same counts."""
        own = [speed for name, speed in self.speed.items() if name in engines.OWN or name == worker.STREAM]
        others = [speed for name, speed in self.speed.items() if name not in engines.OWN and name != worker.STREAM]
        return self.agree and min(own) >= self.bar and all(min(own) > other for other in others)


def run(options: Options, progress: Callable[[str], None]) -> dict[str, Any]:
    """All rows, and what they were measured on."""
    rows = [*_documents(options, progress), *(_large(options, progress) if options.large else ())]
    return {
        "workload": "single",
        "machine": machine(),
        "rounds": options.rounds,
        "rows": [{**asdict(row), "passes": row.passes} for row in rows],
    }


def _documents(options: Options, progress: Callable[[str], None]) -> Iterator[Row]:
    peers = engines.peers() if options.peers else {}
    for dataset, cases in groupby(CASES, key=lambda case: case.dataset):
        if options.datasets and dataset not in options.datasets:
            continue
        loaded = load(dataset, options.folder, quick=options.quick)
        if loaded is None:
            progress(f"{dataset}: left out: not in {options.folder}, or not part of a quick run")
            continue
        document, source = loaded
        with tempfile.NamedTemporaryFile(suffix=".xml") as file:
            file.write(document)
            file.flush()
            for number, case in enumerate(cases):
                progress(f"{dataset}: {case.query}")
                row = _row(case, source, document, peers, options.rounds)
                # A peer's memory is its tree, whatever the query: once per document is enough.
                measured = [worker.STREAM, *(peers if number == 0 else ())]
                _measure_memory(row, Path(file.name), measured)
                yield row


def _row(case: Case, source: str, document: bytes, peers: dict[str, engines.Engine], rounds: int) -> Row:
    candidates = {engines.BASELINE: engines.parse_only, **engines.OWN, **peers}
    outcomes: dict[str, engines.Outcome] = {}

    def action(name: str, prepared: Callable[[bytes], engines.Outcome]) -> Callable[[], None]:
        def act() -> None:
            outcomes[name] = prepared(document)

        return act

    seconds = interleaved(
        {name: action(name, engine(case.query)) for name, engine in candidates.items()}, rounds=rounds
    )
    baseline = seconds.pop(engines.BASELINE)
    counts = {outcome.results for name, outcome in outcomes.items() if name != engines.BASELINE}
    output = outcomes["whole"].output_characters
    return Row(
        dataset=case.dataset,
        source=source,
        input_bytes=len(document),
        kind=case.kind,
        query=case.query,
        bar=least_speed(case.query, len(document), output),
        results=outcomes["whole"].results,
        output_characters=output,
        expat_mb_per_second=len(document) / sorted(baseline)[len(baseline) // 2] / 1e6,
        speed={name: ratio(baseline, taken) for name, taken in seconds.items()},
        first_result_seconds=outcomes["chunks"].first_seconds,
        agree=len(counts) == 1,
    )


def _measure_memory(row: Row, file: Path, names: list[str]) -> None:
    for name in names:
        figures = worker.measure(name, file, row.query)
        row.peak_bytes[name] = figures["peak_bytes"]
        row.grown_bytes[name] = figures["peak_bytes"] - figures["start_bytes"]


def _large(options: Options, progress: Callable[[str], None]) -> Iterator[Row]:
    """A document too large to hold, streamed from disk in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "large.xml")
        progress(f"large: generating {options.large:,} bytes")
        with file.open("w", encoding="utf-8") as output:
            output.writelines(xmark(size=options.large))
        size = file.stat().st_size
        for case in LARGE_CASES:
            progress(f"large: {case.query}")
            baseline = worker.measure(engines.BASELINE, file, case.query)
            own = worker.measure(worker.STREAM, file, case.query)
            yield Row(
                dataset=case.dataset,
                source="generated xmark",
                input_bytes=size,
                kind=case.kind,
                query=case.query,
                bar=least_speed(case.query, size, own["output_characters"]),
                results=own["results"],
                output_characters=own["output_characters"],
                expat_mb_per_second=size / baseline["seconds"] / 1e6,
                speed={worker.STREAM: baseline["seconds"] / own["seconds"]},
                first_result_seconds=own["first_seconds"],
                peak_bytes={worker.STREAM: own["peak_bytes"]},
                grown_bytes={worker.STREAM: own["peak_bytes"] - own["start_bytes"]},
            )
