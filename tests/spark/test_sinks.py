"""Sinks keep every delivery once, however often and however far a micro-batch was written before."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import col
from pyspark.sql.streaming.query import StreamingQuery

from penstock import Broker, PenstockError
from penstock.spark import (
    DatabaseSink,
    FileSink,
    Sink,
    SplitSink,
    TableSink,
    dead_letters,
    publish,
    write_batch,
    write_stream,
)
from spark.frames import DOCUMENTS, embedded, frame, make_broker, rows_of, some_documents, write_files
from support.postgresql import server

COUNT = 40
COLUMNS = "subscription, subscriber, documents, stream, time, sequence, kind, fragment, match_id".split(", ")


@pytest.fixture(scope="module")
def deliveries(spark: SparkSession) -> DataFrame:
    return publish(frame(spark, some_documents(COUNT), 3), make_broker(), errors="rows").cache()


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path / 'sink.db'}"
    else:
        with server() as database:
            yield database


def select(url: str, sql: str) -> list[tuple[Any, ...]]:
    if url.startswith("sqlite"):
        with closing(sqlite3.connect(url.removeprefix("sqlite:///"))) as connection:
            return connection.execute(sql).fetchall()
    import psycopg

    with psycopg.connect(url) as server_connection:
        statement: Any = sql
        return server_connection.execute(statement).fetchall()


def expected_ids() -> set[str]:
    return set(embedded(make_broker(), some_documents(COUNT)))


def start(spark: SparkSession, folder: Path, sink: Sink, broker: Broker | str) -> StreamingQuery:
    documents = spark.readStream.schema(DOCUMENTS).option("maxFilesPerTrigger", 1).json(str(folder / "in"))
    found = publish(documents, broker, errors="rows")
    return write_stream(found, sink, str(folder / "checkpoint")).trigger(availableNow=True).start()


def finish(query: StreamingQuery) -> None:
    query.awaitTermination()
    assert query.exception() is None


def forget_commit(folder: Path, batch: int) -> None:
    """As after a crash: the batch was begun, perhaps written, and not noted as done."""
    for commit in (folder / "checkpoint" / "commits").glob(f"*{batch}*"):
        commit.unlink()


class Interrupted:
    """Writes half of a batch's rows to a sink, and breaks off; later it lets everything through."""

    def __init__(self, sink: Sink, broken: Path) -> None:
        self.sink = sink
        self.broken = broken

    def write(self, rows: DataFrame, batch: str) -> None:
        if batch.endswith("1") and not self.broken.exists():
            self.broken.touch()
            self.sink.write(rows.where("hash(match_id) % 2 = 0"), batch)
            raise RuntimeError("the power fails")
        self.sink.write(rows, batch)


def test_files_of_a_batch_are_replaced_by_its_name(spark: SparkSession, tmp_path: Path, deliveries: DataFrame) -> None:
    found = deliveries.where("kind <> 'error'")
    sink = FileSink(str(tmp_path / "out"))
    write_batch(found.limit(5), sink, "monday")
    write_batch(found, sink, "monday")
    write_batch(found.limit(7), sink, "tuesday")
    assert {path.name for path in (tmp_path / "out").glob("batch=*")} == {"batch=monday", "batch=tuesday"}
    written = spark.read.schema(deliveries.schema).json(str(tmp_path / "out" / "batch=monday"))
    assert rows_of(written) == embedded(make_broker(), some_documents(COUNT))
    assert spark.read.json(str(tmp_path / "out" / "batch=tuesday")).count() == 7


def test_one_folder_for_each_subscriber(spark: SparkSession, tmp_path: Path, deliveries: DataFrame) -> None:
    sink = FileSink(str(tmp_path), format="parquet", by="subscriber", options={"compression": "gzip"})
    found = deliveries.where("kind <> 'error'")
    for _ in range(2):
        write_batch(found, sink, "monday")
    assert {path.name for path in tmp_path.glob("subscriber=*")} == {
        "subscriber=ann",
        "subscriber=bob",
        "subscriber=__HIVE_DEFAULT_PARTITION__",
    }
    for subscriber in ("ann", "bob"):
        (file,) = (tmp_path / f"subscriber={subscriber}" / "batch=monday").glob("*.parquet")
        assert file.name.endswith(".gz.parquet")
    written = spark.read.parquet(str(tmp_path)).select(COLUMNS)
    assert rows_of(written) == embedded(make_broker(), some_documents(COUNT))


def test_a_table_of_the_catalog_and_one_for_each_subscriber(spark: SparkSession, deliveries: DataFrame) -> None:
    found = deliveries.where("kind <> 'error'")
    names = ["all_deliveries", "of_ann", "of_bob", "of__"]
    try:
        for sink in (TableSink("all_deliveries"), TableSink("of_{subscriber}", format="json")):
            write_batch(found.limit(3), sink, "mon'day")
            for day in ("mon'day", "tuesday"):
                write_batch(found, sink, day)
        expected = embedded(make_broker(), some_documents(COUNT))
        for day in ("mon'day", "tuesday"):
            of_day = {name: spark.table(name).where(col("batch") == day).select(COLUMNS) for name in names}
            assert rows_of(of_day["all_deliveries"]) == expected
            assert rows_of(of_day["of_ann"].union(of_day["of_bob"]).union(of_day["of__"])) == expected
            assert {row.subscriber for row in of_day["of_ann"].collect()} == {"ann"}
    finally:
        for name in names:
            spark.sql(f"DROP TABLE IF EXISTS {name}")


def test_a_database_keeps_one_row_for_each_match(url: str, deliveries: DataFrame) -> None:
    sink = DatabaseSink(url)
    found = deliveries.where("kind <> 'error'")
    write_batch(found.limit(20), sink, "monday")
    write_batch(found.union(found), sink, "monday")
    write_batch(found, sink, "tuesday")
    rows = select(url, f"SELECT {', '.join(COLUMNS)} FROM deliveries ORDER BY match_id")
    expected = embedded(make_broker(), some_documents(COUNT))
    assert [row[8] for row in rows] == sorted(expected)
    subscription, subscriber, documents, stream, time, sequence, kind, fragment, match_id = rows[0]
    if url.startswith("sqlite"):
        import json
        from datetime import datetime

        documents, time = json.loads(documents), datetime.fromisoformat(time)
    found_row = (subscription, subscriber, documents, stream, time, sequence, kind, fragment)
    assert found_row == expected[match_id]


def test_deliveries_and_dead_letters_of_one_batch(url: str, deliveries: DataFrame) -> None:
    sink = SplitSink(DatabaseSink(url), DatabaseSink(url, "letters"))
    for _ in range(2):
        write_batch(deliveries, sink, "monday")
    assert {id for (id,) in select(url, "SELECT match_id FROM deliveries")} == expected_ids()
    letters = select(url, "SELECT document, error_class, line, xml FROM letters")
    assert {row[0] for row in letters} == {f"d{number}" for number in range(6, COUNT, 7)}
    assert len(letters) == len(range(6, COUNT, 7))
    assert {row[1] for row in letters} == {"not-well-formed"}


def test_any_text_can_be_stored(spark: SparkSession, url: str) -> None:
    bad = spark.createDataFrame([("d", b"<a>\0'\"\\\n\xf0\x9f\x90\x9f</a>")], "id string, xml binary")
    write_batch(dead_letters(publish(bad, make_broker(), errors="rows")), DatabaseSink(url, "letters"), "one")
    kept = "\0" if url.startswith("sqlite") else "\ufffd"
    assert select(url, "SELECT xml FROM letters") == [(f"<a>{kept}'\"\\\n🐟</a>",)]


@pytest.mark.parametrize("kind", ["database", "files", "folders", "table"])
def test_a_stream_that_breaks_off_delivers_everything_once(spark: SparkSession, tmp_path: Path, kind: str) -> None:
    write_files(tmp_path / "in", some_documents(COUNT), 14)
    for number, file in enumerate(sorted((tmp_path / "in").iterdir())):
        # Spark takes files by their age, and would not know the order of these.
        os.utime(file, (number, number))
    store = f"sqlite:///{tmp_path / 'subs.db'}"
    make_broker(store=store).close()
    url = f"sqlite:///{tmp_path / 'sink.db'}"
    out = str(tmp_path / "out")
    target: Sink = {
        "database": DatabaseSink(url),
        "files": FileSink(out),
        "folders": FileSink(out, by="subscriber"),
        "table": TableSink("crashed"),
    }[kind]
    letters = FileSink(str(tmp_path / "letters"))
    sink = SplitSink(Interrupted(target, tmp_path / "broken"), letters)
    try:
        query = start(spark, tmp_path, sink, store)
        with pytest.raises(Exception, match="the power fails"):
            query.awaitTermination()
        # Who comes now is not part of the batch that broke off.
        broker = Broker(store=store)
        broker.subscribe("late", "/list")
        broker.close()
        finish(start(spark, tmp_path, sink, store))
        forget_commit(tmp_path, 2)
        finish(start(spark, tmp_path, sink, store))
        match kind:
            case "database":
                found = [row for (row,) in select(url, "SELECT match_id FROM deliveries WHERE subscription <> 'late'")]
                late = select(url, "SELECT documents FROM deliveries WHERE subscription = 'late'")
            case "table":
                found = [row.match_id for row in spark.table("crashed").where("subscription <> 'late'").collect()]
                late = spark.table("crashed").where("subscription = 'late'").select("documents").collect()
            case _:
                rows = spark.read.json(out)
                found = [row.match_id for row in rows.where("subscription <> 'late'").collect()]
                late = rows.where("subscription = 'late'").select("documents").collect()
        assert len(found) == len(set(found))
        assert set(found) == expected_ids()
        # Batch 1 ends with document 27; of the others 34 is broken.
        assert len(late) == COUNT - 28 - 1
        assert spark.read.json(str(tmp_path / "letters")).count() == len(range(6, COUNT, 7))
    finally:
        spark.sql("DROP TABLE IF EXISTS crashed")


def test_a_new_checkpoint_replaces_nothing(spark: SparkSession, tmp_path: Path) -> None:
    import shutil

    write_files(tmp_path / "in", some_documents(6), 6)
    sink = FileSink(str(tmp_path / "out"))
    for _ in range(2):
        finish(start(spark, tmp_path, sink, make_broker()))
        shutil.rmtree(tmp_path / "checkpoint")
    names = [path.name for path in (tmp_path / "out").glob("batch=*")]
    assert len(names) == 2
    assert all(name.endswith("-000000") for name in names)


def test_wrong_sinks_are_told(spark: SparkSession, tmp_path: Path, deliveries: DataFrame) -> None:
    with pytest.raises(PenstockError, match="not the URL of a database"):
        write_batch(deliveries, DatabaseSink("mysql://host/db"), "one")
    grouped = publish(frame(spark, some_documents(2)), make_broker(), grouped=True)
    with pytest.raises(ValueError, match="needs a column match_id"):
        write_batch(grouped, DatabaseSink(f"sqlite:///{tmp_path / 'x.db'}"), "one")
    with pytest.raises(ValueError, match="needs a column subscriber"):
        write_batch(grouped, FileSink(str(tmp_path), by="subscriber"), "one")
