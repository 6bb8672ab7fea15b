"""The pipeline on a standalone cluster: a master and two workers, all processes of their own."""

from __future__ import annotations

import json
import sys
import tarfile
import venv
from collections.abc import Iterator
from pathlib import Path

import pyarrow
import pyarrow.parquet
import pytest

import penstock
from spark.cluster import Cluster, kill_group, standalone_cluster
from spark.driver import Job, Program, start_driver
from spark.frames import arrow_rows, embedded, make_broker, some_documents, write_files
from support.postgresql import server

pytestmark = [pytest.mark.slow, pytest.mark.timeout(280)]
DOCUMENTS = some_documents(120)
WHERE = Job()
# What a worker needs beside the interpreter and what Spark brings itself.
PACKAGES = ("pyarrow", "click", "rich")


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with standalone_cluster(tmp_path_factory.mktemp("cluster")) as running:
        yield running


@pytest.fixture(scope="module")
def store() -> Iterator[str]:
    with server() as url:
        make_broker(store=url).close()
        yield url


def run_to_the_end(program: Program, folder: Path, environment: dict[str, str] | None = None) -> list[dict[str, str]]:
    """Runs a driver, and returns the places where its tasks ran, if it tells."""
    driver = start_driver(program, folder / "log", environment)
    try:
        assert driver.wait(timeout=240) == 0, (folder / "log").read_text(errors="replace")[-5000:]
    finally:
        kill_group(driver)
    lines = (folder / "log").read_text().splitlines()
    return [json.loads(line.removeprefix("place ")) for line in lines if line.startswith("place ")]


def test_batch_and_stream_give_the_rows_of_the_embedded_broker(cluster: Cluster, store: str, tmp_path: Path) -> None:
    """With a store that all machines reach, and with subscriptions that the driver sends; on both workers."""
    incoming = str(tmp_path / "in")
    write_files(tmp_path / "in", DOCUMENTS, 15)
    jobs = [
        Job(incoming, store, str(tmp_path / "batch")),
        Job(incoming, store, str(tmp_path / "stream"), str(tmp_path / "checkpoint"), files_a_batch=4),
        Job(incoming, None, str(tmp_path / "sent")),
    ]
    places = run_to_the_end(Program(cluster.url, [*jobs, WHERE]), tmp_path)
    expected = embedded(make_broker(), DOCUMENTS)
    assert len(expected) > 500
    for job in jobs:
        assert arrow_rows(pyarrow.parquet.read_table(job.target, partitioning=None)) == expected
    workers = {Path(place["folder"]).relative_to(cluster.folder).parts[0] for place in places}
    assert workers == {"worker-0", "worker-1"}


def pack_environment(folder: Path) -> Path:
    """A virtual environment with Penstock and what it needs as an archive, as venv-pack makes one."""
    venv.create(folder / "environment", symlinks=True)
    archive = folder / "environment.tar.gz"
    (packages,) = (folder / "environment" / "lib").glob("*/site-packages")
    inside = str(packages.relative_to(folder / "environment"))
    installed = Path(pyarrow.__file__).parents[1]
    with tarfile.open(archive, "w:gz", compresslevel=1) as packed:
        packed.add(folder / "environment", ".")
        packed.add(Path(penstock.__file__).parent, f"{inside}/penstock")
        for name in PACKAGES:
            packed.add(installed / name, f"{inside}/{name}")
    return archive


def test_penstock_comes_to_the_workers_in_an_archive(cluster: Cluster, tmp_path: Path) -> None:
    write_files(tmp_path / "in", DOCUMENTS, 60)
    archive = pack_environment(tmp_path)
    job = Job(str(tmp_path / "in"), None, str(tmp_path / "out"))
    program = Program(cluster.url, [job, WHERE], {"spark.archives": f"{archive}#environment"})
    python = {"PYSPARK_PYTHON": "./environment/bin/python", "PYSPARK_DRIVER_PYTHON": sys.executable}
    places = run_to_the_end(program, tmp_path, python)
    assert places
    for place in places:
        assert place["package"].startswith(place["folder"] + "/environment/lib")
    assert arrow_rows(pyarrow.parquet.read_table(job.target, partitioning=None)) == embedded(make_broker(), DOCUMENTS)
