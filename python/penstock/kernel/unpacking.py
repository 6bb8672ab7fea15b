"""Files as bytes to read, compressed or not."""

from __future__ import annotations

import gzip
import zlib
from typing import IO, Protocol, cast

from penstock.errors import DocumentError


class Readable(Protocol):
    """Anything with bytes to read: a file, a socket's file, an open archive member."""

    def read(self, size: int, /) -> bytes: ...


def unpacked(raw: Readable, name: str) -> Readable:
    """The file itself, or what it holds when its name says that it is compressed."""
    return _Unpacked(raw) if is_compressed(name) else raw


def is_compressed(name: str) -> bool:
    """Whether a file of this name is unpacked before it is read."""
    return name.endswith(".gz")


class _Unpacked:
    """Reads gzip and, unlike GzipFile, gives all that comes before a fault in it."""

    def __init__(self, raw: Readable) -> None:
        self._packed = gzip.GzipFile(fileobj=cast("IO[bytes]", raw))
        # Of what comes next; the column in bytes, since the encoding is not known here.
        self._line, self._column, self._offset = 1, 1, 0
        self._fault: DocumentError | None = None

    def read(self, size: int, /) -> bytes:
        pieces = []
        missing = size
        while missing and self._fault is None:
            try:
                piece = self._packed.read1(missing)
            except (EOFError, gzip.BadGzipFile, zlib.error) as error:
                message = f"broken compressed data: {error}"
                self._fault = DocumentError("encoding", message, self._line, self._column, self._offset)
                break
            if not piece:
                break
            pieces.append(piece)
            missing -= len(piece)
            self._advance(piece)
        if self._fault is not None and not pieces:
            raise self._fault
        return b"".join(pieces)

    def _advance(self, piece: bytes) -> None:
        line_end = piece.rfind(b"\n")
        self._column = self._column + len(piece) if line_end < 0 else len(piece) - line_end
        self._line += piece.count(b"\n")
        self._offset += len(piece)
