"""The embedded broker on W7's documents, on one processor: `python -m penstock.bench.spark_embedded FOLDER`."""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from penstock import Broker
from penstock.bench.spark_data import document_folder
from penstock.bench.spark_process import serve

_ROWS_AT_ONCE = 1024
"""As many as the broker matches at once. Of pyarrow's ways to read such files on one processor this was the fastest."""


class Embedded:
    """What the process does with its orders; each is a method."""

    def __init__(self, folder: Path) -> None:
        self._documents = document_folder(folder)

    def files(self, url: str) -> dict[str, Any]:
        """All documents, read from their files as they are matched."""
        broker = self._broker(url)
        for path in self._files():
            for batch in pq.ParquetFile(path).iter_batches(_ROWS_AT_ONCE, use_threads=False):
                broker.publish_batch(pa.Table.from_batches([batch]))
        return {}

    def memory(self, url: str) -> dict[str, Any]:
        """All documents, which are in memory already."""
        broker = self._broker(url)
        for table in self._tables():
            broker.publish_batch(table)
        return {}

    @cache  # noqa: B019 - lives as long as the process
    def _broker(self, url: str) -> Broker:
        return Broker(store=url)

    @cache  # noqa: B019 - lives as long as the process
    def _tables(self) -> list[pa.Table]:
        return [pq.read_table(path) for path in self._files()]

    def _files(self) -> list[Path]:
        return sorted(self._documents.iterdir())


if __name__ == "__main__":
    serve(1, lambda: Embedded(Path(sys.argv[1])))
