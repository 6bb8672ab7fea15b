"""Tables of Spark's catalog, one for all deliveries or one for each subscriber."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pyspark.sql import functions as F  # noqa: N812

from penstock.spark.sinks.persisting import persisted
from penstock.spark.sinks.sink import BATCH, DEFAULT_OPTIONS, check_column, named

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_HOLDER = "{subscriber}"
_TABLE = "table of the subscriber"


@dataclass(frozen=True)
class TableSink:
    """Writes to a table that is partitioned by batch; one that is not there is made.

    A name with `{subscriber}` in it is one table for each: `deliveries_{subscriber}`. What a table's name may not hold
    becomes `_`, as does the lack of a subscriber. A batch that is written again replaces its partition.
    """

    name: str
    format: str = "parquet"

    def write(self, rows: DataFrame, batch: str) -> None:
        """Writes the rows of a batch, or replaces them."""
        if _HOLDER not in self.name:
            self._write(rows, self.name, batch)
            return
        check_column(rows, "subscriber", "one table for each subscriber")
        table = F.regexp_replace(F.coalesce("subscriber", F.lit("_")), r"\W", "_")
        with persisted(rows.withColumn(_TABLE, table)) as found:
            for (own,) in found.select(_TABLE).distinct().collect():
                self._write(found.where(F.col(_TABLE) == own).drop(_TABLE), self.name.replace(_HOLDER, own), batch)

    def _write(self, rows: DataFrame, table: str, batch: str) -> None:
        # Made empty first: a table whose creation broke off half-way could not be made again.
        empty = named(rows, batch).limit(0)
        writer = empty.write.format(self.format).options(**DEFAULT_OPTIONS)
        writer.partitionBy(BATCH).mode("ignore").saveAsTable(table)
        # Unlike insertInto, this replaces one partition whatever the session's partitionOverwriteMode is.
        name = batch.replace("\\", "\\\\").replace("'", "\\'")
        statement = f"INSERT OVERWRITE TABLE {table} PARTITION ({BATCH} = '{name}') SELECT * FROM {{rows}}"  # noqa: S608
        rows.sparkSession.sql(statement, rows=rows)
