"""W7, the pipeline on Spark: one core and two, batch and stream, against the embedded broker and `xpath_boolean`."""

from __future__ import annotations

import statistics
import tempfile
from contextlib import ExitStack, closing
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from penstock.bench.measure import interleaved, machine
from penstock.bench.spark_agreement import embedded_deliveries, matching_share, same_rows, same_truths
from penstock.bench.spark_data import make_workload
from penstock.bench.spark_figures import Times, bars, row
from penstock.bench.spark_process import AskedProcess
from penstock.bench.spark_ways import FUNCTIONS, ONE, TWO, baseline, ways

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.bench.spark_data import Workload
    from penstock.bench.spark_ways import Way


@dataclass(frozen=True, slots=True)
class Options:
    """What to run. Spark's own functions are so slow that they get a sample of the documents."""

    documents: int = 20_000
    subscriptions: int = 10_000
    rounds: int = 5
    sample: int = 100


def run(options: Options, progress: Callable[[str], None]) -> dict[str, Any]:
    """All rows and bars, and what they were measured on."""
    with tempfile.TemporaryDirectory(prefix="penstock-bench-") as folder, ExitStack() as stack:
        progress(f"making {options.documents:,} documents and {options.subscriptions:,} subscriptions")
        workload = make_workload(Path(folder), options.documents, options.subscriptions)
        progress("starting two Spark sessions")
        sessions = {
            name: stack.enter_context(closing(AskedProcess("penstock.bench.spark_session", cores, workload.folder)))
            for name, cores in ((ONE, 1), (TWO, 2))
        }
        broker = stack.enter_context(closing(AskedProcess("penstock.bench.spark_embedded", workload.folder)))
        sample = min(options.sample, workload.documents)
        compared = list(ways(workload, broker, sessions, sample))
        times = _times(compared, baseline(workload), options.rounds, progress)
        progress("comparing deliveries")
        return {
            "workload": "spark",
            "machine": machine(),
            "rounds": options.rounds,
            "sample": sample,
            "session_start_seconds": {name: session.start_seconds for name, session in sessions.items()},
            **_report(workload, compared, times, sessions, sample),
        }


def _times(compared: list[Way], parsing: Way, rounds: int, progress: Callable[[str], None]) -> Times:
    actions = {way.name: way.action for way in (parsing, *compared)}
    shares = {way.name: way.share for way in (parsing, *compared)}
    progress("the first run of each")
    cold = {name: taken[0] / shares[name] for name, taken in interleaved(actions, rounds=1).items()}
    progress(f"{rounds} rounds that do not count, in which Java compiles what runs often; then {rounds} that do")
    interleaved({way.name: way.action for way in compared if way.prepare is not None}, rounds=rounds, repeat_slow=True)
    preparations = {way.name: way.prepare for way in compared if way.prepare is not None}
    warm = {
        name: [seconds / shares[name] for seconds in taken]
        for name, taken in interleaved(actions, rounds=rounds, repeat_slow=True, before=preparations).items()
    }
    return Times(warm, cold, parsing=warm.pop(parsing.name))


def _report(
    workload: Workload, compared: list[Way], times: Times, sessions: dict[str, AskedProcess], sample: int
) -> dict[str, Any]:
    many, few = (embedded_deliveries(workload, standing) for standing in (workload.many, workload.few))
    delivered = {len(workload.few.queries): few.num_rows, len(workload.many.queries): many.num_rows}
    size = sum(map(len, workload.texts()))
    rows = [row(way, times, workload.documents, size, delivered[way.subscriptions]) for way in compared]
    return {
        "documents": workload.documents,
        "bytes": size,
        "subscriptions": len(workload.many.queries),
        "deliveries": many.num_rows,
        "matching_share": matching_share(many, workload),
        "expat_mb_per_second": size / statistics.median(times.parsing) / 1e6,
        "agreement": {
            **{name: same_rows(session, name, workload, many) for name, session in sessions.items()},
            FUNCTIONS: same_truths(sessions[ONE], workload.few, few, sample),
        },
        "rows": [asdict(one) for one in rows],
        "bars": [{**asdict(bar), "passes": bar.passes} for bar in bars(compared, times)],
    }
