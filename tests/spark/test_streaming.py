"""Streams give what the embedded broker gives, whatever the batches; every micro-batch has exactly one version."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession

from penstock import Broker
from penstock.spark import dead_letters, publish
from penstock.store import open_store
from spark.frames import (
    DOCUMENTS,
    START,
    Document,
    embedded,
    make_broker,
    rows_of,
    run,
    some_documents,
    utc,
    write_files,
)
from support.postgresql import server


def stream(spark: SparkSession, folder: Path, files_a_batch: int) -> DataFrame:
    return spark.readStream.schema(DOCUMENTS).option("maxFilesPerTrigger", files_a_batch).json(str(folder))


@pytest.mark.parametrize(("each", "files_a_batch"), [(40, 1), (7, 2), (3, 100)])
def test_any_batches_give_the_rows_of_the_embedded_broker(
    spark: SparkSession, tmp_path: Path, each: int, files_a_batch: int
) -> None:
    documents = some_documents(40)
    write_files(tmp_path / "in", documents, each)
    deliveries = publish(stream(spark, tmp_path / "in", files_a_batch), make_broker())
    run(deliveries, tmp_path / "out", tmp_path / "checkpoint")
    assert rows_of(spark.read.parquet(str(tmp_path / "out"))) == embedded(make_broker(), documents)


def test_dead_letters_and_deliveries_of_one_stream(spark: SparkSession, tmp_path: Path) -> None:
    documents = some_documents(30)
    write_files(tmp_path / "in", documents, 10)
    found = publish(stream(spark, tmp_path / "in", 1), make_broker(), errors="rows", watermark="1 minute")
    run(found, tmp_path / "out", tmp_path / "checkpoint")
    written = spark.read.parquet(str(tmp_path / "out"))
    assert rows_of(written.where("kind <> 'error'")) == embedded(make_broker(), documents)
    refused = {id for id, _, _, _ in documents[6::7]}
    assert {row.document for row in dead_letters(written).collect()} == refused


def found_ids(spark: SparkSession, target: Path) -> dict[str, set[str]]:
    rows = spark.read.parquet(str(target)).collect()
    return {
        id: {row.subscription for row in rows if row.documents == [id]} for id in {row.documents[0] for row in rows}
    }


def document(id: str) -> Document:
    return (id, "s", some_documents(1)[0][2], "<a><b/></a>")


def changing_run(spark: SparkSession, folder: Path, broker: Broker) -> None:
    """Three micro-batches of one query that is never restarted; subscriptions change between them."""
    (folder / "in").mkdir()
    deliveries = publish(stream(spark, folder / "in", 1), broker)
    writer = deliveries.writeStream.format("parquet").option("checkpointLocation", str(folder / "checkpoint"))
    query = writer.start(str(folder / "out"))
    try:
        write_files(folder / "in", [document("one")], 1)
        query.processAllAvailable()
        broker.subscribe("b", "//b")
        write_files(folder / "in", [document("two")], 1)
        query.processAllAvailable()
        broker.unsubscribe("a")
        broker.subscribe("b", "/a/b/..", replace=True)
        write_files(folder / "in", [document("three")], 1)
        query.processAllAvailable()
    finally:
        query.stop()


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path / 'subs.db'}"
    else:
        with server() as database:
            yield database


def test_changes_are_active_from_the_next_micro_batch(spark: SparkSession, tmp_path: Path, url: str) -> None:
    broker = Broker(store=url)
    broker.subscribe("a", "//a")
    changing_run(spark, tmp_path, broker)
    assert found_ids(spark, tmp_path / "out") == {"one": {"a"}, "two": {"a", "b"}, "three": {"b"}}
    (three,) = spark.read.parquet(str(tmp_path / "out")).where("documents[0] = 'three'").collect()
    assert three.fragment == "<a><b/></a>"


def test_a_broker_without_a_store_is_live_as_well(spark: SparkSession, tmp_path: Path) -> None:
    broker = Broker()
    broker.subscribe("a", "//a")
    changing_run(spark, tmp_path, broker)
    assert found_ids(spark, tmp_path / "out") == {"one": {"a"}, "two": {"a", "b"}, "three": {"b"}}
    assert [one.subscription for one in broker.publish("<a><b/></a>")] == ["b"]


def test_a_replayed_micro_batch_has_its_version_again(spark: SparkSession, tmp_path: Path, url: str) -> None:
    broker = Broker(store=url)
    broker.subscribe("old", "//a")
    write_files(tmp_path / "in", [document("one")], 1)
    run(publish(stream(spark, tmp_path / "in", 1), url), tmp_path / "out", tmp_path / "checkpoint")
    broker.unsubscribe("old")
    broker.subscribe("new", "//a")
    # As after a crash: the batch was begun, and what it did was not committed.
    for commit in (tmp_path / "checkpoint" / "commits").glob("*0*"):
        commit.unlink()
    shutil.rmtree(tmp_path / "out")
    write_files(tmp_path / "in", [document("two")], 1)
    run(publish(stream(spark, tmp_path / "in", 1), url), tmp_path / "out", tmp_path / "checkpoint")
    assert found_ids(spark, tmp_path / "out") == {"one": {"old"}, "two": {"new"}}
    with open_store(url) as store:
        assert store.version() == 3


def times_of(spark: SparkSession, target: Path) -> dict[str, datetime]:
    return {row.documents[0]: utc(row.time) for row in spark.read.parquet(str(target)).collect()}


def test_documents_without_a_time_have_that_of_their_micro_batch_also_when_it_is_replayed(
    spark: SparkSession, tmp_path: Path
) -> None:
    broker = Broker(store=f"sqlite:///{tmp_path / 'subs.db'}")
    broker.subscribe("a", "//a")
    (tmp_path / "in").mkdir()

    def delivered(batch: str) -> dict[str, datetime]:
        lines = [{"id": batch, "xml": "<a/>"}, {"id": f"{batch}, too", "xml": "<a/>"}]
        timed = {"id": f"{batch}, timed", "time": START.isoformat(), "xml": "<a/>"}
        (tmp_path / "in" / f"{batch}.json").write_text("\n".join(map(json.dumps, [*lines, timed])))
        run(publish(stream(spark, tmp_path / "in", 1), broker), tmp_path / "out", tmp_path / "checkpoint")
        return times_of(spark, tmp_path / "out")

    one = delivered("one")
    assert START < one["one"] == one["one, too"]
    assert timedelta() < datetime.now(UTC) - one["one"] < timedelta(minutes=1)
    assert one["one, timed"] == START
    # As after a crash: the batch was begun, and what it did was not committed.
    for commit in (tmp_path / "checkpoint" / "commits").glob("*0*"):
        commit.unlink()
    shutil.rmtree(tmp_path / "out")
    both = delivered("two")
    assert {id: both[id] for id in one} == one
    assert both["two"] == both["two, too"] > one["one"]


def test_java_is_compiled_once_and_not_for_every_micro_batch(spark: SparkSession, tmp_path: Path) -> None:
    write_files(tmp_path / "in", some_documents(10), 2)
    java = spark.sparkContext._jvm
    assert java is not None
    compiled = java.org.apache.spark.metrics.source.CodegenMetrics.METRIC_COMPILATION_TIME().getCount
    counts = []
    for name in ("first", "second"):
        run(publish(stream(spark, tmp_path / "in", 1), make_broker()), tmp_path / name, tmp_path / f"{name} checkpoint")
        counts.append(compiled())
    assert counts[0] == counts[1]


def test_a_frame_of_subscriptions_is_a_snapshot_for_streams(spark: SparkSession, tmp_path: Path) -> None:
    given = spark.createDataFrame([("a", "//a")], "id string, query string")
    write_files(tmp_path / "in", [document("one"), document("two")], 1)
    run(publish(stream(spark, tmp_path / "in", 1), given), tmp_path / "out", tmp_path / "checkpoint")
    assert found_ids(spark, tmp_path / "out") == {"one": {"a"}, "two": {"a"}}
