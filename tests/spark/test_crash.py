"""SIGKILL for drivers and workers at random moments: with an idempotent sink nothing is lost and nothing is doubled."""

from __future__ import annotations

import random
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow.parquet
import pytest

import penstock
from penstock import Broker
from spark import crashing
from spark.cluster import standalone_cluster
from spark.driver import Job, Program
from spark.frames import SUBSCRIPTIONS, Document, arrow_rows, embedded, make_broker, some_documents, write_files

pytestmark = [pytest.mark.slow]
LOCAL = "local[2]"
SHORT = pytest.param(2, 14, id="short", marks=pytest.mark.timeout(280))
LONG = pytest.param(15, 90, id="long", marks=[pytest.mark.soak, pytest.mark.timeout(1800)])
EACH = 10


class Changing:
    """A store whose subscriptions change, and the subscriptions of each of its versions."""

    def __init__(self, url: str) -> None:
        self._broker = Broker(store=url)
        self._rows = {str(row["id"]): row for row in SUBSCRIPTIONS}
        self._broker.subscribe_many(SUBSCRIPTIONS)
        self._versions: dict[int, list[dict[str, Any]]] = {}
        self._note()

    def change(self, number: int) -> None:
        """One more, one less: two versions."""
        added = {"id": f"more-{number}", "query": f"//item[price >= {5 * (number % 4)}]/@id", "subscriber": "eve"}
        self._broker.subscribe(**added)
        self._rows[str(added["id"])] = added
        self._note()
        removed = next(iter(self._rows))
        self._broker.unsubscribe(removed)
        del self._rows[removed]
        self._note()

    def _note(self) -> None:
        assert self._broker.store is not None
        self._versions[self._broker.store.version()] = list(self._rows.values())

    def expected(self, documents: dict[int, list[Document]]) -> dict[str, tuple[Any, ...]]:
        """What the embedded broker delivers of the documents of each version."""
        rows: dict[str, tuple[Any, ...]] = {}
        for version, given in documents.items():
            broker = Broker()
            broker.subscribe_many(self._versions[version])
            rows |= embedded(broker, given)
        return rows


@pytest.mark.parametrize(("kills", "files"), [SHORT, LONG])
def test_killed_drivers_lose_and_double_nothing(tmp_path: Path, kills: int, files: int) -> None:
    """Subscriptions change all the while: what a micro-batch was matched against when it first ran, holds for good."""
    rng = random.Random()
    documents = some_documents(files * EACH)
    write_files(tmp_path / "in", documents, EACH)
    store, target, checkpoint, log = (tmp_path / name for name in ("subs.db", "out.db", "checkpoint", "log"))
    subscriptions = Changing(f"sqlite:///{store}")
    job = Job(str(tmp_path / "in"), f"sqlite:///{store}", f"sqlite:///{target}", str(checkpoint))
    program = Program(LOCAL, [job])
    for number in range(kills):
        with crashing.running_driver(program, log) as driver:
            crashing.kill_at_random(driver, checkpoint, log, rng)
        subscriptions.change(number)
    with crashing.running_driver(program, log) as driver:
        crashing.await_batches(driver, checkpoint, 2, log)
        subscriptions.change(kills)
        crashing.await_end(driver, log)

    versions = crashing.claimed_versions(store)
    batches = crashing.batch_of_files(checkpoint)
    by_version: dict[int, list[Document]] = {}
    for number in range(files):
        version = versions[batches[f"{number + 1:05}.json"]]
        by_version.setdefault(version, []).extend(documents[number * EACH : (number + 1) * EACH])
    assert len(by_version) > kills
    assert crashing.database_rows(target) == subscriptions.expected(by_version)


def write_records(folder: Path, number: int) -> None:
    items = "".join(
        f"<item id='{number}-{place}'><name>pen</name><price>{place}</price><![CDATA[<item>]]></item>\n"
        for place in range(40)
    )
    folder.mkdir(exist_ok=True)
    (folder / f"{number:03}.xml").write_text(f"<list>{items}</list>")


def documents_of_records(folder: Path) -> list[Document]:
    found: list[Document] = []
    for path in sorted(folder.iterdir()):
        modified = path.stat().st_mtime_ns // 1000
        time = datetime.fromtimestamp(modified // 1_000_000, UTC).replace(microsecond=modified % 1_000_000)
        found += [
            (f"{path.name}#{one.offset}", "default", time, one.xml) for one in penstock.split_records(path, "item")
        ]
    return found


@pytest.mark.parametrize(("kills", "files"), [pytest.param(1, 8, id="short"), LONG])
def test_a_folder_of_records_survives_killed_drivers(tmp_path: Path, kills: int, files: int) -> None:
    rng = random.Random()
    for number in range(files):
        write_records(tmp_path / "in", number)
    store, checkpoint, log = (tmp_path / name for name in ("subs.db", "checkpoint", "log"))
    make_broker(store=f"sqlite:///{store}").close()
    job = Job(str(tmp_path / "in"), f"sqlite:///{store}", str(tmp_path / "out"), str(checkpoint), row_tag="item")
    program = Program(LOCAL, [job])
    for _ in range(kills):
        with crashing.running_driver(program, log) as driver:
            crashing.kill_at_random(driver, checkpoint, log, rng)
    with crashing.running_driver(program, log) as driver:
        crashing.await_end(driver, log)
    written = pyarrow.parquet.read_table(tmp_path / "out", partitioning=None)
    assert arrow_rows(written) == embedded(make_broker(), documents_of_records(tmp_path / "in"))


@pytest.mark.parametrize(("kills", "files"), [SHORT, LONG])
def test_killed_workers_of_a_cluster_lose_and_double_nothing(tmp_path: Path, kills: int, files: int) -> None:
    """Python workers while they work, then a worker of the cluster with its executor; the driver lives through it."""
    rng = random.Random()
    documents = some_documents(files * EACH)
    write_files(tmp_path / "in", documents, EACH // 2)
    store, target, checkpoint, log = (tmp_path / name for name in ("subs.db", "out.db", "checkpoint", "log"))
    make_broker(store=f"sqlite:///{store}").close()
    job = Job(str(tmp_path / "in"), f"sqlite:///{store}", f"sqlite:///{target}", str(checkpoint), files_a_batch=2)
    with (
        standalone_cluster(tmp_path / "cluster") as cluster,
        crashing.running_driver(Program(cluster.url, [job]), log) as driver,
    ):
        for _ in range(kills):
            crashing.await_batches(driver, checkpoint, 1, log)
            time.sleep(rng.uniform(0, 1))
            crashing.kill_python_workers([worker.pid for worker in cluster.workers], rng)
        crashing.await_batches(driver, checkpoint, 2, log)
        time.sleep(rng.uniform(0, 1))
        assert driver.poll() is None
        crashing.kill_group(rng.choice(cluster.workers))
        crashing.await_end(driver, log)
    assert crashing.database_rows(target) == embedded(make_broker(), documents)
