"""Large XML as a sequence of records, each a document of its own."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from penstock.errors import DocumentError
from penstock.kernel import _native
from penstock.kernel.unpacking import Readable, unpacked

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_RECORD_BYTES = 128 << 20
_CHUNK = 4 << 20


@dataclass(frozen=True, slots=True)
class Record:
    """One record. `xml` is None, and `error` says why, when the record is larger than allowed.

    `offset` is the byte of the file at which it begins, `line` the line. In a file that is not UTF-8 or has a document
    type declaration, the offset counts bytes of the text as UTF-8, with entities written in.
    """

    xml: str | None
    offset: int
    line: int
    error: str | None = None


@dataclass(frozen=True, slots=True)
class RecordColumns:
    """Records by column, for Arrow: bytes of the texts, their ends (32 bits, from 0), offsets in the file (64 bits)."""

    texts: bytes
    ends: bytes
    offsets: bytes
    too_large: tuple[Record, ...]
    """These are not in the columns."""

    @property
    def count(self) -> int:
        """How many records the columns hold."""
        return len(self.offsets) // 8


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a file that is read on its own: bytes from `start` to `end`, between tags that make a document of it.

    `end` is None at the end of the file, where `error` is what is wrong with the file, if that is known.
    """

    start: int = 0
    end: int | None = None
    opening: str = ""
    closing: str = ""
    error: DocumentError | None = None


WHOLE = Part()


def split_records(
    source: str | os.PathLike[str] | Readable, row_tag: str, *, max_record_bytes: int = MAX_RECORD_BYTES
) -> Iterator[Record]:
    """The outermost elements named `row_tag` of a large file, one by one; memory holds one record.

    `item` takes elements of that name with any prefix, `p:item` only those written so. Each record gets the namespace
    declarations that it needs to stand alone. `source` is a path (`.gz` is unpacked) or something to read bytes from.
    A file that is broken raises `DocumentError` after the records before the error.

    >>> import io, penstock
    >>> feed = io.BytesIO(b'<p:feed xmlns:p="urn:p"><p:item>1</p:item><![CDATA[<item>]]><item/></p:feed>')
    >>> [record.xml for record in penstock.split_records(feed, "item")]
    ['<p:item xmlns:p="urn:p">1</p:item>', '<item/>']
    """
    check_row_tag(row_tag)
    if isinstance(source, (str, os.PathLike)):
        return _split_path(Path(source), row_tag, max_record_bytes)
    return split_stream(source, row_tag, max_record_bytes)


def check_row_tag(row_tag: str) -> None:
    """Raises ValueError for what cannot be an element's name."""
    if not row_tag or row_tag != row_tag.strip() or any(character in "<>/&\"'= {}" for character in row_tag):
        raise ValueError(f"the row tag must be an element's name such as 'item' or 'p:item', not {row_tag!r}")


def split_stream(source: Readable, row_tag: str, max_record_bytes: int, part: Part = WHOLE) -> Iterator[Record]:
    """The records of a file that is open at the start of `part`."""
    splitter = _native.RecordSplitter(row_tag, max_record_bytes, part.opening, part.start)
    for chunk in _chunks(source, part):
        rows, error = splitter.write(chunk)
        yield from _records(rows, max_record_bytes)
        if error is not None:
            # The error as the pass over the whole file saw it has the right place.
            raise part.error or error
    rows, error = splitter.close()
    yield from _records(rows, max_record_bytes)
    if error is not None:
        raise part.error or error


def split_columns(source: Readable, row_tag: str, max_record_bytes: int, part: Part = WHOLE) -> Iterator[RecordColumns]:
    """As `split_stream`, many records at a time."""
    splitter = _native.RecordSplitter(row_tag, max_record_bytes, part.opening, part.start)
    for chunk in _chunks(source, part):
        (texts, ends, offsets, rows), error = splitter.write_columns(chunk)
        yield RecordColumns(texts, ends, offsets, tuple(_records(rows, max_record_bytes)))
        if error is not None:
            raise part.error or error
    (texts, ends, offsets, rows), error = splitter.close_columns()
    yield RecordColumns(texts, ends, offsets, tuple(_records(rows, max_record_bytes)))
    if error is not None:
        raise part.error or error


def find_parts(source: Readable, row_tag: str, part_bytes: int) -> list[Part]:
    """Cuts a file into parts of at least `part_bytes`, none inside a record; one part when it cannot be cut."""
    cutter = _native.RecordCutter(row_tag, part_bytes)
    parts: list[Part] = []
    start, opening = 0, ""
    problem: DocumentError | None = None
    try:
        while chunk := source.read(_CHUNK):
            cutter.write(chunk)
            if not cutter.is_divisible:
                return [WHOLE]
        cutter.close()
    except DocumentError as error:
        problem = error
    for end, next_opening, closing in cutter.take():
        parts.append(Part(start, end, opening, closing))
        start, opening = end, next_opening
    return [*parts, Part(start, None, opening, "", problem)]


def _split_path(path: Path, row_tag: str, max_record_bytes: int) -> Iterator[Record]:
    with path.open("rb") as raw:
        yield from split_stream(unpacked(raw, path.name), row_tag, max_record_bytes)


def _chunks(source: Readable, part: Part) -> Iterator[bytes]:
    """The bytes of the part, and then its closing tags."""
    place = part.start
    while part.end is None or place < part.end:
        chunk = source.read(_CHUNK if part.end is None else min(_CHUNK, part.end - place))
        if not chunk:
            break
        place += len(chunk)
        yield chunk
    if part.closing:
        yield part.closing.encode()


def _records(rows: list[tuple[str | None, int, int, int]], most: int) -> Iterator[Record]:
    for text, offset, line, size in rows:
        error = (
            f"limit at line {line} (byte {offset}): a record of {size} bytes, more than {most}"
            if text is None
            else None
        )
        yield Record(text, offset, line, error)
