"""Deliveries and dead letters, each to a sink of its own, from one batch that is matched once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from penstock.spark.letters import dead_letters
from penstock.spark.sinks.persisting import persisted

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from penstock.spark.sinks.sink import Sink


@dataclass(frozen=True)
class SplitSink:
    """For what `publish(..., errors="rows")` gives: the rows of kind `error` go to `dead_letters`, in their columns."""

    deliveries: Sink
    dead_letters: Sink

    def write(self, rows: DataFrame, batch: str) -> None:
        """Writes both."""
        with persisted(rows) as found:
            self.deliveries.write(found.where("kind <> 'error'"), batch)
            self.dead_letters.write(dead_letters(found), batch)
