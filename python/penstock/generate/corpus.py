"""Documents of a file: one of XML, or one a line of JSON (`{"xml": ...}`); gzipped or not."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_GZIP_MAGIC = b"\x1f\x8b"


def read_documents(path: Path) -> Iterator[bytes]:
    """The documents of `path`, in the file's order."""
    with path.open("rb") as raw:
        packed = raw.read(2) == _GZIP_MAGIC
    with gzip.open(path, "rb") if packed else path.open("rb") as source:
        if path.name.removesuffix(".gz").endswith(".jsonl"):
            for line in source:
                yield json.loads(line)["xml"].encode()
        else:
            yield source.read()
