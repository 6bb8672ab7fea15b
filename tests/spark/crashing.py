"""Killing at random moments, and what should have come out all the same."""

from __future__ import annotations

import json
import os
import random
import signal
import sqlite3
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import Any

from spark.cluster import kill_group
from spark.driver import Program, start_driver
from spark.frames import COLUMNS

_PATIENCE_SECONDS = 120


@contextmanager
def running_driver(program: Program, log: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A driver, which is gone afterwards."""
    driver = start_driver(program, log)
    try:
        yield driver
    finally:
        kill_group(driver)


def batches_in(checkpoint: Path, kind: str = "offsets") -> set[int]:
    """The micro-batches that were begun, or with `commits` those that were ended."""
    return {int(path.name) for path in (checkpoint / kind).glob("[0-9]*")}


def await_batches(driver: subprocess.Popen[bytes], checkpoint: Path, count: int, log: Path) -> None:
    """Waits until the driver has ended so many more micro-batches."""
    before = len(batches_in(checkpoint, "commits"))
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while len(batches_in(checkpoint, "commits")) < before + count:
        said = log.read_text(errors="replace")[-4000:]
        assert driver.poll() is None, f"the driver ended by itself:\n{said}"
        assert time.monotonic() < deadline, f"the driver does not go on:\n{said}"
        time.sleep(0.02)


def kill_at_random(driver: subprocess.Popen[bytes], checkpoint: Path, log: Path, rng: random.Random) -> None:
    """Lets the driver work for a moment, and kills it and its Java; fails if it was not at work."""
    await_batches(driver, checkpoint, rng.randint(1, 2), log)
    time.sleep(rng.uniform(0, 1.2))
    assert driver.poll() is None, "the driver ended before it was killed: there is too little to do"
    kill_group(driver)


def await_end(driver: subprocess.Popen[bytes], log: Path) -> None:
    """The driver does all that is left, without an error."""
    assert driver.wait(timeout=_PATIENCE_SECONDS) == 0, log.read_text(errors="replace")[-4000:]


def database_rows(path: Path) -> dict[str, tuple[Any, ...]]:
    """The rows of an SQLite sink by match_id, as `frames.embedded` has them."""
    with closing(sqlite3.connect(path)) as connection:
        connection.row_factory = sqlite3.Row
        found = connection.execute("SELECT * FROM deliveries").fetchall()
    read = {"documents": json.loads, "time": datetime.fromisoformat}
    return {row["match_id"]: tuple(read.get(name, _same)(row[name]) for name in COLUMNS) for row in found}


def _same(value: Any) -> Any:
    return value


def claimed_versions(store: Path) -> dict[int, int]:
    """The version that each micro-batch claimed; the store has one query only."""
    with closing(sqlite3.connect(store)) as connection:
        rows = connection.execute("SELECT query_id, batch_id, version FROM penstock_claims").fetchall()
    assert len({query for query, _, _ in rows}) == 1
    return {batch: version for _, batch, version in rows}


def batch_of_files(checkpoint: Path) -> dict[str, int]:
    """Names of files that Spark's own file source read, each with its micro-batch."""
    log: dict[str, int] = {}
    for part in (checkpoint / "sources" / "0").glob("[0-9]*"):
        entries = map(json.loads, part.read_text().splitlines()[1:])
        log |= {Path(entry["path"]).name: entry["batchId"] for entry in entries}
    # After a crash the log of the source may be ahead: a micro-batch reads up to the place that its offset names.
    ends = {batch: _log_offset(checkpoint / "offsets" / str(batch)) for batch in sorted(batches_in(checkpoint))}
    return {name: min(batch for batch, end in ends.items() if place <= end) for name, place in log.items()}


def _log_offset(file: Path) -> int:
    place: int = json.loads(file.read_text().splitlines()[-1])["logOffset"]
    return place


def kill_python_workers(ancestors: list[int], rng: random.Random) -> None:
    """SIGKILL for one of Spark's Python workers below each of the processes; waits until there is one."""
    deadline = time.monotonic() + _PATIENCE_SECONDS
    for ancestor in ancestors:
        while not (workers := python_workers(ancestor)):
            assert time.monotonic() < deadline, "there are no Python workers"
            time.sleep(0.05)
        with suppress(ProcessLookupError):
            os.kill(rng.choice(workers), signal.SIGKILL)


def python_workers(ancestor: int) -> list[int]:
    """Spark's Python workers below a process: what its daemon forked."""
    parents = dict(_parents())
    return [pid for pid in parents if ancestor in _line(pid, parents) and _is_python(pid) and _is_python(parents[pid])]


def _parents() -> Iterator[tuple[int, int]]:
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            status = (folder / "stat").read_text()
        except OSError:
            continue
        yield int(folder.name), int(status.rpartition(")")[2].split()[1])


def _line(pid: int, parents: Mapping[int, int]) -> Iterator[int]:
    while pid in parents:
        pid = parents[pid]
        yield pid


def _is_python(pid: int) -> bool:
    """Spark's daemon, and the workers that it forks."""
    try:
        return b"pyspark.daemon" in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False
