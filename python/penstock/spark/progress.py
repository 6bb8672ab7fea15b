"""One line on a terminal that says how far a stream is."""

from __future__ import annotations

import sys
import threading
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from penstock.spark.metrics import BatchMetrics


class Totals:
    """The figures of all micro-batches so far; give `add` to a `MetricsListener`."""

    def __init__(self) -> None:
        self.batches = 0
        self.documents = 0
        self.bytes = 0
        self.deliveries = 0
        self.errors = 0
        self.matching_seconds = 0.0
        self.version: int | None = None

    def add(self, batch: BatchMetrics) -> None:
        """Counts a micro-batch; one that found nothing new does not count as one."""
        self.batches += bool(batch.documents)
        self.documents += batch.documents
        self.bytes += batch.bytes
        self.deliveries += batch.deliveries
        self.errors += batch.errors
        self.matching_seconds += batch.matching_seconds
        self.version = self.version if batch.version is None else batch.version

    def __str__(self) -> str:
        speed = f", {self.bytes / 1e6 / self.matching_seconds:,.0f} MB/s" if self.matching_seconds else ""
        version = "" if self.version is None else f"; subscriptions at version {self.version}"
        return (
            f"{self.batches:,} batches: {self.documents:,} documents ({self.bytes / 1e6:,.1f} MB), "
            f"{self.deliveries:,} deliveries, {self.errors:,} errors; "
            f"matching {self.matching_seconds:,.1f} s{speed}{version}"
        )


class ProgressLine:
    """Writes the totals over themselves after each micro-batch, if there is a terminal to see it."""

    def __init__(self, totals: Totals, output: TextIO | None = None) -> None:
        self._totals = totals
        self._output = sys.stderr if output is None else output
        self._wanted = self._output.isatty()
        self._lock = threading.Lock()
        self._ended = False

    def add(self, batch: BatchMetrics) -> None:
        """Counts a micro-batch, and shows it."""
        with self._lock:
            self._totals.add(batch)
            if self._wanted and not self._ended:
                # Back to the start of the line, and what is left of a longer one erased.
                self._output.write(f"\r{self._totals}\x1b[K")
                self._output.flush()

    def end(self) -> None:
        """Leaves the line; what comes next starts on a new one, and nothing is shown any more."""
        with self._lock:
            if self._wanted and not self._ended and self._totals.batches:
                self._output.write("\r\x1b[K")
                self._output.flush()
            self._ended = True
