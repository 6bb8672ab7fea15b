"""The option `encoding` of `xmlrecords`, without a session: files whose encoding is not what they say."""

from __future__ import annotations

import codecs
import gzip
import io
from pathlib import Path
from typing import Any

import pytest

from penstock import DocumentError
from penstock.spark.records import XmlRecords
from penstock.spark.records_decoding import Decoded
from penstock.spark.records_files import list_files
from penstock.spark.records_options import RecordOptions
from penstock.spark.records_read import plan_partitions, read_partition

TEXT = "<r>\n" + "".join(f"<item n='{number}'>č€ж{number}</item>\n" for number in range(50)) + "</r>"
PLAIN = [f"<item n='{number}'>č€ж{number}</item>" for number in range(50)]


def rows(path: Path, **parameters: Any) -> list[dict[str, Any]]:
    """All rows of the source, by however many tasks."""
    options = RecordOptions((str(path),), "item", **parameters)
    schema = XmlRecords({"path": str(path), "rowTag": "item", "mode": options.mode}).schema()
    partitions = plan_partitions(list_files(options), options)
    return [row for part in partitions for batch in read_partition(part, options, schema) for row in batch.to_pylist()]


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16", "utf-8", "gb18030", "utf-32-be", "utf-8-sig"])
@pytest.mark.parametrize("declared", [None, "UTF-8", "ISO-8859-1", "KOI8-R"])
def test_the_option_goes_before_the_declaration(tmp_path: Path, encoding: str, declared: str | None) -> None:
    head = "" if declared is None else f"<?xml version='1.0' encoding = '{declared}' standalone=\"yes\"?>\n"
    (tmp_path / "a.xml").write_bytes((head + TEXT).encode(encoding))
    found = rows(tmp_path / "a.xml", encoding=encoding, max_partition_bytes=300)
    assert [row["xml"] for row in found] == PLAIN
    # Offsets count bytes of the text as UTF-8, with its declaration as it was.
    text = (head + TEXT).encode()
    assert [row["offset"] for row in found] == [text.index(plain.encode()) for plain in PLAIN]


def test_compressed_files_are_decoded_after_they_were_unpacked(tmp_path: Path) -> None:
    (tmp_path / "a.xml.gz").write_bytes(gzip.compress(TEXT.encode("utf-16-be")))
    assert [row["xml"] for row in rows(tmp_path / "a.xml.gz", encoding="utf-16-be")] == PLAIN


def test_a_file_that_is_utf_8_is_still_cut_into_parts(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text(f"<?xml version='1.0' encoding='UTF-8'?>{TEXT}")
    options = RecordOptions((str(tmp_path / "a.xml"),), "item", encoding="utf-8", max_partition_bytes=200)
    assert len(plan_partitions(list_files(options), options)) > 5
    assert [row["xml"] for row in rows(tmp_path / "a.xml", encoding="utf-8", max_partition_bytes=200)] == PLAIN


def test_wrong_bytes_are_a_broken_file_from_there_on(tmp_path: Path) -> None:
    data = bytearray(TEXT.encode("ascii", errors="replace"))
    place = data.index(b"<item n='7'>") + 14
    data[place] = 0xFF
    (tmp_path / "a.xml").write_bytes(data)
    *good, bad = rows(tmp_path / "a.xml", encoding="ascii")
    assert len(good) == 7
    assert bad["_corrupt_record"].startswith(f"encoding at line 9, column 15 (byte {place}): not ascii")


@pytest.mark.parametrize("size", [1, 2, 3, 7, 64, 5000])
def test_any_chunks_give_the_same_bytes(size: int) -> None:
    text = f"<?xml version='1.0' encoding='KOI8-R'?>{TEXT}"
    source = Decoded(io.BytesIO(text.encode("utf-16")), "utf-16")
    pieces = list(iter(lambda: source.read(size), b""))
    assert max(map(len, pieces)) <= size
    assert b"".join(pieces) == text.replace(" encoding='KOI8-R'", " " * 18).encode()


def pieces_of(source: Decoded, size: int, found: list[bytes]) -> None:
    while piece := source.read(size):
        found.append(piece)


@pytest.mark.parametrize("size", [1, 2, 5, 1000])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-16-be", "gb18030"])
def test_a_character_that_breaks_off_is_told_at_its_place(encoding: str, size: int) -> None:
    data = codecs.BOM_UTF16_BE + "<r>\nab€".encode("utf-16-be") if encoding == "utf-16" else "<r>\nab€".encode(encoding)
    found: list[bytes] = []
    with pytest.raises(DocumentError) as caught:
        pieces_of(Decoded(io.BytesIO(data[:-1]), encoding), size, found)
    assert b"".join(found) == b"<r>\nab"
    assert (caught.value.line, caught.value.column, caught.value.offset) == (2, 3, 6)
