"""The ways to match W7's documents: the embedded broker, Spark sessions, `xpath_boolean`; and parsing alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from xml.parsers import expat

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from penstock.bench.spark_data import Standing, Workload
    from penstock.bench.spark_process import AskedProcess

EMBEDDED = "embedded"
IN_MEMORY = "embedded, in memory"
FUNCTIONS = "xpath_boolean"
ONE, TWO = "local[1]", "local[2]"


@dataclass(frozen=True, slots=True)
class Way:
    """One way. `share` is the part of the documents that it is given; its times are extrapolated to all."""

    subscriptions: int
    kind: str
    engine: str
    action: Callable[[], object]
    share: float = 1.0
    prepare: Callable[[], object] | None = None
    """Done before each of its turns, outside of what is timed."""

    @property
    def name(self) -> str:
        """What tells it from the others."""
        return f"{self.kind} {self.engine} {self.subscriptions}"


def baseline(workload: Workload) -> Way:
    """Parsing alone."""
    documents = workload.texts()

    def parse() -> None:
        for document in documents:
            expat.ParserCreate().Parse(document, True)

    return Way(0, "parse", "expat", parse)


def ways(workload: Workload, embedded: AskedProcess, sessions: dict[str, AskedProcess], sample: int) -> Iterator[Way]:
    """All that is compared; Spark's own functions see the first documents only."""
    yield from _embedded(embedded, workload.many)
    for engine, session in sessions.items():
        for kind in ("batch", "stream"):
            yield _asking(session, kind, workload.many, engine)
    few, one = workload.few, sessions[ONE]
    yield from _embedded(embedded, few)
    yield _asking(one, "batch", few, ONE)
    share = sample / workload.documents
    yield Way(len(few.queries), "batch", FUNCTIONS, lambda: one.ask("functions", few.queries, sample), share)


def _embedded(process: AskedProcess, standing: Standing) -> Iterator[Way]:
    subscriptions = len(standing.queries)
    yield Way(subscriptions, "batch", EMBEDDED, lambda: process.ask("files", standing.url))
    yield Way(subscriptions, "batch", IN_MEMORY, lambda: process.ask("memory", standing.url))


def _asking(session: AskedProcess, kind: str, standing: Standing, engine: str) -> Way:
    # Spark ends Python workers that had nothing to do for a minute, because others took their turns.
    def warm() -> None:
        session.ask("warm", standing.url)

    return Way(len(standing.queries), kind, engine, lambda: session.ask(kind, standing.url), prepare=warm)
