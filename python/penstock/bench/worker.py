"""Runs one engine on one file in a process of its own, and prints what it took: memory is measured alone or not at all.

`python -m penstock.bench.worker ENGINE FILE QUERY`; ENGINE `stream` reads the file in chunks and never holds it.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from penstock.bench import engines
from penstock.bench.measure import peak_memory_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator

STREAM = "stream"


def measure(engine: str, file: Path, query: str) -> dict[str, Any]:
    """Run a worker and return its figures."""
    return run_alone("penstock.bench.worker", engine, str(file), query)


def run_alone(module: str, *arguments: str) -> dict[str, Any]:
    """Run a module in a process of its own and return what it printed: one JSON object."""
    command = [sys.executable, "-m", module, *arguments]
    done = subprocess.run(command, check=True, capture_output=True, text=True)  # noqa: S603
    return cast("dict[str, Any]", json.loads(done.stdout))


def chunks(file: Path) -> Iterator[bytes]:
    """The file's bytes in chunks of 64 KB."""
    with file.open("rb") as source:
        while chunk := source.read(engines.CHUNK):
            yield chunk


def _run(engine: str, file: Path, query: str) -> dict[str, Any]:
    if engine == STREAM:
        over = engines.penstock_stream(query)
        start = peak_memory_bytes()
        began = time.perf_counter()
        outcome = over(chunks(file))
    elif engine == engines.BASELINE:
        from xml.parsers import expat

        start = peak_memory_bytes()
        began = time.perf_counter()
        with file.open("rb") as source:
            expat.ParserCreate().ParseFile(source)
        outcome = engines.Outcome()
    else:
        run = engines.engine(engine)(query)
        start = peak_memory_bytes()
        began = time.perf_counter()
        outcome = run(file.read_bytes())
    return {
        "seconds": time.perf_counter() - began,
        "results": outcome.results,
        "output_characters": outcome.output_characters,
        "first_seconds": outcome.first_seconds,
        "peak_bytes": peak_memory_bytes(),
        "start_bytes": start,
    }


if __name__ == "__main__":
    sys.stdout.write(json.dumps(_run(sys.argv[1], Path(sys.argv[2]), sys.argv[3])) + "\n")
