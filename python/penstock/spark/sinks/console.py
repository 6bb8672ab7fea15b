"""Standard output, for trying things out."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pyspark.sql import functions as F  # noqa: N812

from penstock.spark.sinks.sink import DEFAULT_OPTIONS

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


@dataclass(frozen=True)
class ConsoleSink:
    """Prints each row as a JSON object on a line. A replayed batch is printed again: what is read cannot be unread."""

    def write(self, rows: DataFrame, batch: str) -> None:  # noqa: ARG002 - one line is as good as another
        """Prints the rows."""
        found = rows.select(F.to_json(F.struct("*"), DEFAULT_OPTIONS))
        for (line,) in found.toLocalIterator():
            sys.stdout.write(f"{line}\n")
        sys.stdout.flush()
