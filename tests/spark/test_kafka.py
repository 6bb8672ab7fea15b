"""A pipeline from Kafka: what it hands to the connector, which PySpark does not bring, and what it says without it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from pyspark.sql.datasource import DataSource, SimpleDataSourceStreamReader

from penstock import Broker
from penstock.spark.pipeline import PipelineError, Run, read_pipeline
from penstock.spark.pipeline.build import start

SENT = datetime(2024, 5, 1, tzinfo=UTC)
PIPELINE = """
[source]
format = "kafka"
[source.options]
"kafka.bootstrap.servers" = "127.0.0.1:9092"
subscribe = "orders"
[source.columns]
id = "key"
stream = "topic"
time = "timestamp"
xml = "value"
[subscriptions]
store = "sqlite:///{folder}/subs.db"
[sink]
kind = "files"
path = "{folder}/out"
[query]
checkpointLocation = "{folder}/state"
availableNow = true
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    broker = Broker(store=f"sqlite:///{tmp_path}/subs.db")
    broker.subscribe("all", "/order/@*")
    broker.close()
    file = tmp_path / "pipeline.toml"
    file.write_text(PIPELINE.format(folder=tmp_path))
    return file


class _Reader(SimpleDataSourceStreamReader):
    def __init__(self, options: dict[str, str]) -> None:
        self._value = f'<order servers="{options["kafka.bootstrap.servers"]}" topic="{options["subscribe"]}"/>'

    def initialOffset(self) -> dict[str, int]:  # noqa: N802 - Spark calls it so
        return {"offset": 0}

    def read(self, start: dict[str, int]) -> tuple[Iterator[tuple[object, ...]], dict[str, int]]:
        rows = [(b"k1", self._value.encode(), "orders", SENT)] if start["offset"] == 0 else []
        return iter(rows), {"offset": 1}

    def readBetweenOffsets(  # noqa: N802
        self,
        start: dict[str, int],
        end: dict[str, int],  # noqa: ARG002
    ) -> Iterator[tuple[object, ...]]:
        return self.read(start)[0]


class _LikeKafka(DataSource):
    """Has the columns of the connector, whose name Spark keeps for it, and tells of the options that it was given."""

    @classmethod
    def name(cls) -> str:
        return "like_kafka"

    def schema(self) -> str:
        return "key binary, value binary, topic string, timestamp timestamp"

    def simpleStreamReader(self, schema: object) -> _Reader:  # noqa: N802, ARG002
        return _Reader(dict(self.options))


@pytest.mark.slow
def test_options_and_columns_reach_the_connector(spark: SparkSession, file: Path) -> None:
    session = spark.newSession()
    session.dataSource.register(_LikeKafka)
    file.write_text(file.read_text().replace('format = "kafka"', 'format = "like_kafka"'))
    pipeline = read_pipeline(file)
    start(session, pipeline, pipeline.subscriptions.store or "").awaitTermination(120)
    lines = [line for out in (file.parent / "out").glob("batch=*/*.json") for line in out.read_text().splitlines()]
    found = [json.loads(line) for line in lines]
    assert {row["fragment"] for row in found} == {"127.0.0.1:9092", "orders"}
    for row in found:
        assert (row["documents"], row["stream"]) == (["k1"], "orders")
        assert datetime.fromisoformat(row["time"]) == SENT


def test_without_the_connector_the_setting_that_brings_it_is_named(
    spark: SparkSession, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A session of its own would take long to start, and end that of all other tests.
    monkeypatch.setattr("penstock.spark.pipeline.running.session", lambda *_: spark.newSession())
    pipeline = read_pipeline(file)
    run = Run(pipeline, pipeline.subscriptions.store or "", show_progress=False)
    with pytest.raises(PipelineError, match=r'kafka(?s:.*)\[spark.config\](?s:.*)"spark.jars.packages" = "org.apache'):
        run.wait()


@pytest.mark.parametrize("master", ["sc://127.0.0.1:9", "spark://127.0.0.1:9,localhost:9"])
def test_a_master_that_is_not_there_is_told_at_once(file: Path, master: str) -> None:
    with file.open("a") as text:
        text.write(f'[spark]\nmaster = "{master}"\n')
    pipeline = read_pipeline(file)
    with pytest.raises(PipelineError, match=r"spark.master: nobody listens at \w+://127.0.0.1:9"):
        Run(pipeline, pipeline.subscriptions.store or "", show_progress=False)
