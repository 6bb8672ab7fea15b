"""`penstock run` on a Spark that runs already: a standalone cluster, and a server of Spark Connect."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from penstock import Broker
from spark.cluster import standalone_cluster
from spark.connect_server import connect_server
from spark.frames import DOCUMENTS, embedded, some_documents, write_files

pytestmark = [pytest.mark.slow, pytest.mark.timeout(280)]
GIVEN = some_documents(40)
QUERY = "//item/name"
PIPELINE = """
[source]
format = "json"
path = "{folder}/in"
schema = "{schema}"
options = {{ maxFilesPerTrigger = "2" }}

[subscriptions]
store = "sqlite:///{folder}/subs.db"

[sink]
kind = "files"
path = "{folder}/out"

[query]
checkpointLocation = "{folder}/state"
availableNow = true

[spark]
master = "{master}"
config = {{ {config} }}
"""
SMALL = '"spark.ui.enabled" = "false", "spark.driver.host" = "127.0.0.1", "spark.executor.memory" = "512m"'


def run_pipeline(folder: Path, master: str, config: str) -> str:
    """What `penstock run` says in the end. It must have delivered what the embedded broker does."""
    write_files(folder / "in", GIVEN, 10)
    broker = Broker(store=f"sqlite:///{folder / 'subs.db'}")
    broker.subscribe("names", QUERY)
    broker.close()
    text = PIPELINE.format(folder=folder, schema=DOCUMENTS, master=master, config=config)
    (folder / "pipeline.toml").write_text(text)
    command = [sys.executable, "-m", "penstock.cli", "run", str(folder / "pipeline.toml")]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=200)
    assert done.returncode == 0, done.stderr
    lines = [line for file in (folder / "out").glob("batch=*/*.json") for line in file.read_text().splitlines()]
    expected = Broker()
    expected.subscribe("names", QUERY)
    assert sorted(json.loads(line)["match_id"] for line in lines) == sorted(embedded(expected, GIVEN))
    return done.stderr


def test_on_a_standalone_cluster(tmp_path: Path) -> None:
    with standalone_cluster(tmp_path / "cluster", workers=1) as cluster:
        said = run_pipeline(tmp_path, cluster.url, SMALL)
    assert said.startswith("done: 2 batches: 40 documents")
    assert said.count("\n") == 1


def test_on_a_server_of_spark_connect(tmp_path: Path) -> None:
    pytest.importorskip("grpc")
    with connect_server(tmp_path) as url:
        said = run_pipeline(tmp_path, url, "")
    assert said.startswith("done: 2 batches: 40 documents")
    assert said.count("\n") == 1
