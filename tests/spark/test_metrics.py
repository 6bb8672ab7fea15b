"""What is counted in workers arrives where Spark's users look for it."""

from __future__ import annotations

import io
import time
from pathlib import Path

import pytest
from pyspark.sql import Observation, SparkSession

from penstock.spark import (
    BatchMetrics,
    FileSink,
    MetricsListener,
    SplitSink,
    batch_metrics,
    publish,
    write_stream,
)
from penstock.spark.progress import ProgressLine, Totals
from spark.frames import DOCUMENTS, embedded, frame, make_broker, rows_of, some_documents, write_files

COUNT = 40
REFUSED = len(range(6, COUNT, 7))
BYTES = sum(len((xml or "").encode()) for _, _, _, xml in some_documents(COUNT))


@pytest.mark.parametrize("grouped", [False, True])
@pytest.mark.parametrize("errors", ["rows", "drop"])
def test_a_batch_is_observed(spark: SparkSession, grouped: bool, errors: str) -> None:
    observation = Observation("feeds")
    documents = frame(spark, some_documents(COUNT), 3)
    broker = make_broker()
    found = publish(documents, broker, errors=errors, grouped=grouped, metrics=observation)  # type: ignore[arg-type]
    expected = embedded(make_broker(), some_documents(COUNT))
    if grouped:
        assert "metric" not in {row.kind for row in found.collect()}
    else:
        assert rows_of(found.where("kind <> 'error'")) == expected
    figures = observation.get
    assert figures["documents"] == COUNT
    assert figures["bytes"] == BYTES
    assert figures["deliveries"] == len(expected)
    assert figures["errors"] == REFUSED
    assert 0 < figures["matching_seconds"] < 60
    assert figures["loading_seconds"] > 0
    assert figures["version"] is None


def test_no_documents_are_no_figures(spark: SparkSession) -> None:
    observation = Observation("nothing")
    assert publish(frame(spark, []), make_broker(), metrics=observation).count() == 0
    assert observation.get["documents"] in (0, None)


def test_a_listener_hears_of_every_micro_batch(spark: SparkSession, tmp_path: Path) -> None:
    heard: list[BatchMetrics] = []
    listener = MetricsListener(heard.append)
    spark.streams.addListener(listener)
    try:
        write_files(tmp_path / "in", some_documents(COUNT), 10)
        documents = spark.readStream.schema(DOCUMENTS).option("maxFilesPerTrigger", 1).json(str(tmp_path / "in"))
        broker = make_broker()
        found = publish(documents, broker, errors="rows", metrics="feeds")
        # Both sinks read the batch; it is matched, and counted, once.
        sink = SplitSink(FileSink(str(tmp_path / "out")), FileSink(str(tmp_path / "letters")))
        query = write_stream(found, sink, str(tmp_path / "checkpoint")).trigger(availableNow=True).start()
        query.awaitTermination()
        deadline = time.monotonic() + 30
        while len(heard) < 4 and time.monotonic() < deadline:
            time.sleep(0.05)
        last = query.lastProgress
    finally:
        spark.streams.removeListener(listener)
    assert [one.batch_id for one in heard] == [0, 1, 2, 3]
    assert [one.documents for one in heard] == [10] * 4
    assert sum(one.bytes for one in heard) == BYTES
    assert sum(one.errors for one in heard) == REFUSED
    assert sum(one.deliveries for one in heard) == len(embedded(make_broker(), some_documents(COUNT)))
    assert {one.name for one in heard} == {"feeds"}
    assert {one.query for one in heard} == {query.id}
    assert {one.version for one in heard} == {1}
    assert all(one.matching_seconds > 0 and one.seconds > 0 for one in heard)
    assert last is not None
    assert batch_metrics(last)[0].batch_id == 3


def test_the_stage_has_a_name_in_the_plan(spark: SparkSession, capsys: pytest.CaptureFixture[str]) -> None:
    publish(frame(spark, some_documents(1)), make_broker(), metrics="feeds").explain()
    plan = capsys.readouterr().out
    assert "MatchStage(id" in plan
    assert "CollectMetrics feeds" in plan


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def some_metrics(batch_id: int, documents: int) -> BatchMetrics:
    return BatchMetrics("feeds", "q", batch_id, documents, 1000 * documents, 3, 1, 0.2, 0.5, 7, 1.0)


def test_progress_is_one_line_on_a_terminal() -> None:
    terminal = Terminal()
    line = ProgressLine(Totals(), terminal)
    line.add(some_metrics(0, 2000))
    line.add(some_metrics(1, 1000))
    line.end()
    line.add(some_metrics(2, 1000))
    shown = terminal.getvalue()
    assert "\n" not in shown
    assert shown.count("\r") == 3
    assert "2 batches: 3,000 documents (3.0 MB), 6 deliveries, 2 errors; matching 1.0 s, 3 MB/s" in shown
    assert "subscriptions at version 7" in shown


def test_no_progress_where_nobody_sees_it() -> None:
    file = io.StringIO()
    totals = Totals()
    line = ProgressLine(totals, file)
    line.add(some_metrics(0, 2000))
    # An empty micro-batch is none.
    line.add(BatchMetrics("feeds", "q", 1, 0, 0, 0, 0, 0.0, 0.0, None, 0.1))
    line.end()
    assert file.getvalue() == ""
    assert (totals.batches, totals.documents, totals.version) == (1, 2000, 7)
