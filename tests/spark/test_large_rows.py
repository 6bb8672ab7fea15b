"""Large documents beside small ones: matched, within limits, without more memory than they need."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import DataFrame, SparkSession

from penstock import Broker
from penstock.spark import dead_letters, publish
from penstock.spark.letters import XML_LIMIT

LARGE = 100 << 20
NEIGHBOURS = 200


@pytest.fixture
def broker() -> Broker:
    broker = Broker()
    broker.subscribe("small", "/small/text()")
    broker.subscribe("count", "count(/large/b)")
    broker.subscribe("end", "/large/end")
    return broker


def large_document(size: int) -> str:
    """An expression of Spark's SQL. It depends on the row, or Spark would make the document part of its plans."""
    return f"concat('<large>', repeat('<b>x</b>', CAST(id >= 0 AS int) * {size // 8}), '<end/></large>')"


@pytest.fixture(scope="module")
def documents(spark: SparkSession) -> DataFrame:
    """One document of 100 MB in the midst of small ones, in one partition. It is made where it is used."""
    xml = f"CASE WHEN id = {NEIGHBOURS // 2} THEN {large_document(LARGE)} ELSE concat('<small>', id, '</small>') END"
    return spark.range(0, NEIGHBOURS + 1, 1, 1).selectExpr("CAST(id AS string) AS id", f"{xml} AS xml")


def _start_to_measure(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Forgets the largest size that this worker has had, and gives its size now."""
    for _ in batches:
        Path("/proc/self/clear_refs").write_text("5")
        yield pa.RecordBatch.from_pydict({"kilobytes": [_status("VmRSS")]})


def _measure(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for _ in batches:
        yield pa.RecordBatch.from_pydict({"kilobytes": [_status("VmHWM")]})


def _status(name: str) -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith(name)).split()[1])


def largest(spark: SparkSession, probe: object) -> int:
    """Bytes of the largest of the workers, which all get some of these tasks."""
    found = spark.range(0, 8, 1, 8).mapInArrow(probe, "kilobytes long").collect()  # type: ignore[arg-type]
    return 1024 * max(row.kilobytes for row in found)


def test_a_document_of_100_mb_and_its_neighbours(spark: SparkSession, documents: DataFrame, broker: Broker) -> None:
    before = largest(spark, _start_to_measure)
    rows = publish(documents, broker, errors="rows").collect()
    grown = largest(spark, _measure) - before
    small = sorted(int(row.fragment) for row in rows if row.subscription == "small")
    assert small == [number for number in range(NEIGHBOURS + 1) if number != NEIGHBOURS // 2]
    others = {(row.subscription, row.kind, row.fragment) for row in rows if row.subscription != "small"}
    # A count of nothing is a count, too.
    assert others == {("count", "atomic", str(LARGE // 8)), ("count", "atomic", "0"), ("end", "element", "<end/>")}
    # It comes in a batch of Arrow, and is read where it lies: no copies.
    assert grown < 2 * LARGE


def test_a_limit_makes_it_a_dead_letter(documents: DataFrame, broker: Broker) -> None:
    found = publish(documents, broker, errors="rows", limits={"document_bytes": 1 << 20}).cache()
    (letter,) = dead_letters(found).collect()
    assert (letter.document, letter.error_class) == (str(NEIGHBOURS // 2), "limit")
    assert len(letter.xml) == XML_LIMIT
    assert found.where("subscription = 'small'").count() == NEIGHBOURS
    found.unpersist()


def test_a_partition_of_many_large_documents_is_not_held_as_a_whole(spark: SparkSession) -> None:
    """Spark's batches end at 64 MB (`spark.sql.execution.arrow.maxBytesPerBatch`)."""
    count, each = 300, 1 << 20
    broker = Broker()
    broker.subscribe("end", "/large/end")
    given = spark.range(0, count, 1, 1).selectExpr("CAST(id AS string) AS id", f"{large_document(each)} AS xml")
    before = largest(spark, _start_to_measure)
    assert publish(given, broker).count() == count
    assert largest(spark, _measure) - before < count * each * 2 // 3


@pytest.mark.parametrize("records", [1, 7, 100_000])
def test_any_size_of_batches_gives_the_same_rows(spark: SparkSession, broker: Broker, records: int) -> None:
    name = "spark.sql.execution.arrow.maxRecordsPerBatch"
    given = spark.range(0, 600, 1, 1).selectExpr("CAST(id AS string) AS id", "concat('<small>', id, '</small>') AS xml")
    before = spark.conf.get(name)
    spark.conf.set(name, records)
    try:
        found = publish(given, broker).where("subscription = 'small'").collect()
    finally:
        spark.conf.set(name, before)
    assert sorted(int(row.fragment) for row in found) == list(range(600))
