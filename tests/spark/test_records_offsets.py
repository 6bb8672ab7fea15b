"""Offsets, options and files of `xmlrecords`, without a session."""

from __future__ import annotations

import inspect
import json
import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from penstock.spark import records_options
from penstock.spark.records_files import RecordFile, list_files
from penstock.spark.records_offsets import INITIAL, advance, between
from penstock.spark.records_options import RecordOptions, read_options
from penstock.spark.records_read import plan_partitions

WEEK = timedelta(weeks=1)
DOCS = (Path(__file__).parents[2] / "docs" / "records.md").read_text(encoding="utf-8")
DAY = 24 * 3600 * 1_000_000


def file(name: str, modified: int) -> RecordFile:
    return RecordFile(f"/in/{name}", name, 10, modified)


def test_files_are_taken_oldest_first_and_once() -> None:
    files = [file("c", 3), file("a", 5), file("b", 4)]
    first = advance(INITIAL, files, 2, WEEK)
    assert [found.name for found in between(INITIAL, first)] == ["c", "b"]
    # What the checkpoint gives back is JSON.
    second = advance(json.loads(json.dumps(first)), files, 2, WEEK)
    assert [found.name for found in between(first, second)] == ["a"]
    assert advance(second, files, 2, WEEK) is second
    assert between(second, second) == []


def test_a_file_that_comes_late_with_an_old_date_is_read() -> None:
    first = advance(INITIAL, [file("new", 5 * DAY)], None, WEEK)
    second = advance(first, [file("new", 5 * DAY), file("late", 1 * DAY)], None, WEEK)
    assert between(first, second) == [file("late", 1 * DAY)]


def test_offsets_do_not_grow_for_ever() -> None:
    offset, files = INITIAL, []
    for day in range(30):
        files.append(file(f"{day:02}", day * DAY))
        following = advance(offset, files, None, WEEK)
        assert [found.name for found in between(offset, following)] == [f"{day:02}"]
        offset = following
    assert len(offset["files"]) == 8
    assert advance(offset, [*files, file("ancient", 2 * DAY)], None, WEEK) is offset


def test_options_have_sparks_names_in_any_case() -> None:
    given = {
        "PATH": "/in",
        "rowtag": "p:item",
        "mode": "failfast",
        "maxRecordBytes": "1MB",
        "maxPartitionBytes": "64k",
        "maxFilesPerTrigger": "5",
        "maxFileAge": "12h",
        "time": "2024-05-01T12:00:00Z",
        "recursiveFileLookup": "true",
        "encoding": "Latin1",
    }
    expected = RecordOptions(
        paths=("/in",),
        row_tag="p:item",
        mode="FAILFAST",
        max_record_bytes=1 << 20,
        max_partition_bytes=64 << 10,
        max_files_per_trigger=5,
        max_file_age=timedelta(hours=12),
        time=datetime(2024, 5, 1, 12, tzinfo=UTC),
        recursive=True,
        encoding="iso8859-1",
    )
    assert read_options(given) == expected
    assert read_options({"rowTag": "a", "paths": '["/x", "/y"]'}).paths == ("/x", "/y")


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("mode", "STRICT", "mode must be one of PERMISSIVE"),
        ("maxRecordBytes", "much", "maxRecordBytes must be a size"),
        ("maxRecordBytes", "2g", "not more than 1073741824"),
        ("maxPartitionBytes", "0", "maxPartitionBytes must be a size"),
        ("maxFilesPerTrigger", "-1", "maxFilesPerTrigger must be a whole number"),
        ("maxFileAge", "soon", "maxFileAge"),
        ("rowTag", "<item>", "row tag"),
        ("encoding", "klingon", "encoding must name an encoding"),
        ("encoding", "hex", "encoding must name an encoding"),
        ("time", "2024-05-01T12:00:00", "time zone"),
    ],
)
def test_a_wrong_option_is_named(name: str, value: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        read_options({"path": "/in", "rowTag": "a", name: value})


def test_files_below_a_folder(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / ".tmp").mkdir()
    for name in ("b.xml", "a.xml", ".c.xml", "sub/d.xml", ".tmp/e.xml"):
        (tmp_path / name).write_text("<r/>")
    options = RecordOptions((str(tmp_path),), "item")
    assert [found.name for found in list_files(options)] == ["a.xml", "b.xml"]
    assert [found.name for found in list_files(replace(options, recursive=True))] == ["a.xml", "b.xml", "sub/d.xml"]
    assert [found.name for found in list_files(replace(options, paths=(f"file:{tmp_path}/a.xml",)))] == ["a.xml"]
    pattern = replace(options, paths=(f"{tmp_path}/*.xml",))
    assert [found.name for found in list_files(pattern)] == [f"{tmp_path}/a.xml", f"{tmp_path}/b.xml"]


def test_small_files_share_a_task_and_large_ones_are_cut(tmp_path: Path) -> None:
    for number in range(40):
        (tmp_path / f"{number:02}.xml").write_text("<r><item/></r>")
    (tmp_path / "large.xml").write_text("<r>" + "<item>x</item>" * 10_000 + "</r>")
    options = RecordOptions((str(tmp_path),), "item", max_partition_bytes=40_000)
    partitions = plan_partitions(list_files(options), options)
    large = [piece for partition in partitions for piece in partition.value if piece.file.name == "large.xml"]
    assert [piece.part.start for piece in large[1:]] == [piece.part.end for piece in large[:-1]]
    assert len(large) == 4
    small = [piece for partition in partitions for piece in partition.value if piece.file.name != "large.xml"]
    assert len(small) == 40
    roomy = replace(options, max_partition_bytes=32 << 20)
    assert len(plan_partitions(list_files(roomy), roomy)) < 40


def test_every_option_is_in_the_docs() -> None:
    documented = set(re.findall(r"^\| `(\w+)` \|", DOCS.split("## Options")[1].split("## Modes")[0], re.MULTILINE))
    source = inspect.getsource(records_options)
    looked_up = set(re.findall(r'given(?:\.get\(|\[)"(\w+)"', source)) | set(re.findall(r'_size\("(\w+)"', source))
    assert {name.lower() for name in looked_up} - {"path", "paths"} == {name.lower() for name in documented}
