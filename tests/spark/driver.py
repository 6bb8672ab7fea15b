"""A driver as a process of its own, which a test may kill: `python -m spark.driver PROGRAM`, PROGRAM being JSON."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

TESTS = Path(__file__).parents[1]
# Executors live for a minute: what makes Java fast in the long run only makes it start slowly.
_JAVA = "-XX:+UseSerialGC -XX:TieredStopAtLevel=1"


@dataclass(frozen=True)
class Job:
    """All documents of a folder, matched as a batch, or with a checkpoint as a stream that ends when they are read.

    `subscriptions` is a store, or None for those of `frames`, which the driver sends. With `row_tag` the folder has
    files of XML records, otherwise JSON lines with the columns of documents. `target` is a folder, or the URL of a
    database. Without one nothing is matched: the driver says where its tasks run.
    """

    documents: str = ""
    subscriptions: str | None = None
    target: str | None = None
    checkpoint: str | None = None
    row_tag: str | None = None
    files_a_batch: int = 1


@dataclass(frozen=True)
class Program:
    """Jobs that one session does, one after the other."""

    master: str
    jobs: list[Job]
    config: dict[str, str] = field(default_factory=dict)


def start_driver(program: Program, log: Path, environment: dict[str, str] | None = None) -> subprocess.Popen[bytes]:
    """Starts it in a process group of its own, with its Java; what it says is appended to the log."""
    with log.open("ab") as output:
        return subprocess.Popen(
            [sys.executable, "-m", "spark.driver", json.dumps(asdict(program))],
            cwd=TESTS,
            env={**os.environ, **(environment or {})},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )


def _session(program: dict[str, Any]) -> SparkSession:
    from penstock.spark.session import session

    settings = {
        "spark.ui.enabled": "false",
        "spark.driver.host": "127.0.0.1",
        "spark.executor.memory": "512m",
        "spark.executor.extraJavaOptions": _JAVA,
        **program["config"],
    }
    return session(program["master"], settings)


def _run(spark: SparkSession, job: Job) -> None:
    from penstock.spark.sinks import DatabaseSink, FileSink
    from penstock.spark.write import write_batch, write_stream

    if job.target is None:
        _tell_where_tasks_run(spark)
        return
    sink = DatabaseSink(job.target) if "://" in job.target else FileSink(job.target, "parquet")
    if job.checkpoint is None:
        write_batch(_deliveries(spark, job), sink, "all")
    else:
        writer = write_stream(_deliveries(spark, job), sink, job.checkpoint)
        writer.trigger(availableNow=True).start().awaitTermination()


def _deliveries(spark: SparkSession, job: Job) -> DataFrame:
    from penstock.spark import publish, records
    from spark.frames import DOCUMENTS, make_broker

    reader: Any = spark.read
    if job.checkpoint is not None:
        reader = spark.readStream.option("maxFilesPerTrigger", job.files_a_batch)
    if job.row_tag is None:
        documents = reader.schema(DOCUMENTS).json(job.documents)
    else:
        records.register(spark)
        documents = reader.format("xmlrecords").option("rowTag", job.row_tag).load(job.documents)
    return publish(documents, job.subscriptions or make_broker())


def _tell_where_tasks_run(spark: SparkSession) -> None:
    places = spark.range(0, 8, 1, 8).mapInArrow(_place, "folder string, python string, package string").distinct()
    for row in places.collect():
        sys.stdout.write(f"place {json.dumps(row.asDict())}\n")


def _place(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    import time

    import pyarrow

    import penstock

    # Long enough that one worker cannot do the tasks of all.
    time.sleep(0.3)
    for _ in batches:
        here = {"folder": [str(Path.cwd())], "python": [sys.executable], "package": [penstock.__file__]}
        yield pyarrow.RecordBatch.from_pydict(here)


def _main(text: str) -> None:
    program = json.loads(text)
    spark = _session(program)
    for job in program["jobs"]:
        _run(spark, Job(**job))
    spark.stop()


if __name__ == "__main__":
    _main(sys.argv[1])
