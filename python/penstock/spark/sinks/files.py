"""Files of any format that Spark writes, one folder a batch, or one a subscriber and batch."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from penstock.spark.sinks.sink import BATCH, DEFAULT_OPTIONS, check_column, named

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import DataFrame


@dataclass(frozen=True)
class FileSink:
    """Writes `path/batch=NAME/`, or with `by="subscriber"` `path/subscriber=ann/batch=NAME/`.

    `format` is any that Spark writes (JSON lines by default), `options` are its options. A batch that is written again
    replaces its folders, each of them at once: Spark moves them to their places when all are written.
    """

    path: str
    format: str = "json"
    by: str | None = None
    options: Mapping[str, str] = field(default_factory=dict)

    def write(self, rows: DataFrame, batch: str) -> None:
        """Writes the rows of a batch, or replaces them."""
        found = named(rows, batch)
        folders = [BATCH]
        if self.by is not None:
            check_column(rows, self.by, f"one folder for each {self.by}")
            # One file for each, not one a task: there may be many of them.
            found = found.repartition(self.by)
            folders = [self.by, BATCH]
        options = {**DEFAULT_OPTIONS, **self.options}
        writer = found.write.format(self.format).options(**options).partitionBy(*folders).mode("overwrite")
        # Only the folders that rows are written to are replaced, not all that is there.
        writer.option("partitionOverwriteMode", "dynamic").save(self.path)
