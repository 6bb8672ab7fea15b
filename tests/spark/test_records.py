"""The `xmlrecords` data source in a real session."""

from __future__ import annotations

import gzip
import random
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.sql import functions

import penstock
from penstock.spark import records

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


@pytest.fixture(scope="module", autouse=True)
def source(spark: SparkSession) -> None:
    records.register(spark)


def write_feed(path: Path, numbers: range, ending: str = "</p:feed>") -> None:
    """A feed of records, one of them hidden in a CDATA section."""
    rng = random.Random(numbers.start)
    items = [f"<p:item n='{number}'><![CDATA[<item>]]>{'x' * rng.randint(0, 200)}</p:item>" for number in numbers]
    text = f"<p:feed xmlns:p='urn:p'>\n{chr(10).join(items)}\n{ending}"
    data = text.encode()
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)


def load(spark: SparkSession, path: Path, **options: Any) -> DataFrame:
    return spark.read.format("xmlrecords").options(rowTag="item", **options).load(str(path))


def numbers_of(frame: DataFrame) -> Counter[int]:
    return Counter(int(row.xml.split("n='")[1].split("'")[0]) for row in frame.select("xml").collect())


def test_a_folder_of_plain_and_compressed_files(spark: SparkSession, tmp_path: Path) -> None:
    write_feed(tmp_path / "a.xml", range(1000))
    write_feed(tmp_path / "b.xml.gz", range(1000, 1500))
    write_feed(tmp_path / "c.txt", range(5000, 5010))
    write_feed(tmp_path / "_hidden.xml", range(6000, 6010))
    frame = load(spark, tmp_path, pathGlobFilter="*.xml*", maxPartitionBytes="40k", stream="news").cache()
    assert frame.columns == ["id", "stream", "time", "xml", "path", "offset", "_corrupt_record"]
    rows = frame.collect()
    assert frame.select(functions.spark_partition_id()).distinct().count() >= 4
    expected = {
        f"{path.name}#{record.offset}": record.xml
        for path in (tmp_path / "a.xml", tmp_path / "b.xml.gz")
        for record in penstock.split_records(path, "item")
    }
    assert {row.id: row.xml for row in rows} == expected
    assert len(rows) == 1500
    first = min((row for row in rows if row.path.endswith("a.xml")), key=lambda row: row.offset)
    modified = datetime.fromtimestamp((tmp_path / "a.xml").stat().st_mtime, UTC)
    assert abs(first.time.astimezone(UTC) - modified).total_seconds() < 0.001
    assert (first.stream, first.path, first._corrupt_record) == ("news", str(tmp_path / "a.xml"), None)
    assert first.xml.startswith("<p:item xmlns:p=\"urn:p\" n='0'><![CDATA[<item>]]>")


def test_broken_files_and_large_records_follow_the_mode(spark: SparkSession, tmp_path: Path) -> None:
    write_feed(tmp_path / "good.xml", range(10))
    write_feed(tmp_path / "broken.xml", range(10, 20), ending="<item></p:feed>")
    (tmp_path / "large.xml").write_text(f"<r><item n='20'/><item n='21'>{'x' * 5000}</item><item n='22'/></r>")
    good = [*range(21), 22]

    permissive = load(spark, tmp_path, maxRecordBytes=1000, columnNameOfCorruptRecord="wrong").cache()
    assert sorted(numbers_of(permissive.where("wrong is null"))) == good
    reasons = {row.id.split("#")[0]: row for row in permissive.where("wrong is not null").collect()}
    assert {name: row.xml for name, row in reasons.items()} == {"broken.xml": None, "large.xml": None}
    assert "not-well-formed at line 12" in reasons["broken.xml"].wrong
    assert "a record of 5020 bytes, more than 1000" in reasons["large.xml"].wrong
    permissive.unpersist()

    dropped = load(spark, tmp_path, maxRecordBytes=1000, mode="DROPMALFORMED")
    assert "_corrupt_record" not in dropped.columns
    assert sorted(numbers_of(dropped)) == good

    with pytest.raises(Exception, match=r"broken\.xml: not-well-formed at line 12"):
        load(spark, tmp_path / "broken.xml", mode="FAILFAST").collect()


def test_an_encoding_that_the_files_do_not_tell(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_bytes("<r><item n='1'>Škoda</item></r>".encode("iso8859-2"))
    (row,) = load(spark, tmp_path, encoding="ISO-8859-2").collect()
    assert row.xml == "<item n='1'>Škoda</item>"
    (told,) = load(spark, tmp_path).collect()
    assert told._corrupt_record.startswith("encoding at line 1")


def test_options_that_are_wrong_are_named(spark: SparkSession, tmp_path: Path) -> None:
    write_feed(tmp_path / "a.xml", range(1))
    with pytest.raises(Exception, match="rowTag is missing"):
        spark.read.format("xmlrecords").load(str(tmp_path)).collect()
    with pytest.raises(Exception, match="no file or folder"):
        load(spark, tmp_path / "nowhere").collect()


def test_a_folder_as_a_stream_goes_on_after_a_restart(spark: SparkSession, tmp_path: Path) -> None:
    """Three runs over a growing folder, with one checkpoint: every record once, and the same in a repeated batch."""
    folder, checkpoint = tmp_path / "in", tmp_path / "checkpoint"
    folder.mkdir()
    batches: dict[int, list[Counter[int]]] = {}
    for run in range(3):
        for number in range(3):
            start = (run * 3 + number) * 100
            write_feed(folder / f"{run}-{number}.xml", range(start, start + 100))
        stream = spark.readStream.format("xmlrecords").options(rowTag="item", maxFilesPerTrigger=2).load(str(folder))
        query = (
            stream.writeStream.foreachBatch(lambda rows, id: batches.setdefault(id, []).append(numbers_of(rows)))
            .option("checkpointLocation", str(checkpoint))
            .trigger(availableNow=True)
            .start()
        )
        assert query.awaitTermination(120)
        assert sum((found[0] for found in batches.values()), Counter()) == Counter(range((run + 1) * 300))
        # As after a crash before the last batch was noted as done: the next run repeats it.
        last = max(int(path.name) for path in (checkpoint / "commits").iterdir() if path.name.isdecimal())
        (checkpoint / "commits" / str(last)).unlink()
        (checkpoint / "commits" / f".{last}.crc").unlink()
    assert [len(batches[id]) for id in sorted(batches)] == [1, 2, 1, 2, 1, 1]
    assert all(found == times[0] for times in batches.values() for found in times)
