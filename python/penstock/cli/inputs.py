"""Files as chunks of bytes: standard input, plain and gzipped files, with progress on long ones."""

from __future__ import annotations

import gzip
import io
import os
import sys
import zlib
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import IO, TYPE_CHECKING, cast

from penstock.cli.progress import Progress

if TYPE_CHECKING:
    from collections.abc import Iterator

CHUNK = 1 << 16
STDIN = "-"
READ_ERRORS = (OSError, EOFError, zlib.error)
"""What reading may raise: gzip tells of a cut file by EOFError and of a damaged one by zlib.error."""
_GZIP_MAGIC = b"\x1f\x8b"


def display_name(name: str) -> str:
    """The name to print for an input."""
    return "(standard input)" if name == STDIN else name


@contextmanager
def chunks(name: str) -> Iterator[Iterator[bytes]]:
    """The bytes of `name`, unpacked if they are gzipped, as they become available.

    A chunk may be short: results of a slow pipe should not wait until a buffer is full.
    """
    with nullcontext(sys.stdin.buffer) if name == STDIN else Path(name).open("rb") as raw:
        buffered = raw if isinstance(raw, io.BufferedReader) else io.BufferedReader(cast("io.RawIOBase", raw))
        yield _read(buffered, display_name(name))


def _read(raw: io.BufferedReader, label: str) -> Iterator[bytes]:
    packed = raw.peek(2)[:2] == _GZIP_MAGIC
    source = gzip.GzipFile(fileobj=raw) if packed else raw
    size = os.fstat(raw.fileno()).st_size if _has_descriptor(raw) else 0
    with Progress(label, size) as progress:
        done = 0
        while chunk := source.read1(CHUNK):
            yield chunk
            done += len(chunk)
            progress.update(raw.tell() if packed and size else done)


def _has_descriptor(raw: IO[bytes]) -> bool:
    try:
        raw.fileno()
    except (OSError, io.UnsupportedOperation):
        return False
    return True
