"""A pipeline from its start to its end, with errors in few words."""

from __future__ import annotations

import re
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pyspark
from pyspark.errors import PySparkException

from penstock.errors import PenstockError
from penstock.spark.metrics import batch_metrics
from penstock.spark.pipeline.build import start, write
from penstock.spark.pipeline.masters import nobody_listens
from penstock.spark.progress import ProgressLine, Totals
from penstock.spark.session import session

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql.streaming.query import StreamingQuery

    from penstock.spark.pipeline.config import Pipeline
    from penstock.spark.subscriptions import Subscriptions

_POLL_SECONDS = 1
_NOT_INSTALLED = ("DATA_SOURCE_NOT_FOUND", "KAFKA_DATA_SOURCE_NOT_ENABLED")
_FRAMES = "Traceback (most recent call last):"


class PipelineError(PenstockError):
    """A pipeline that could not be started, or broke off."""


class Run:
    """`with Run(...) as run: run.wait()`. `stop()` may be called from a signal's handler, or from another thread."""

    def __init__(self, pipeline: Pipeline, subscriptions: Subscriptions, *, show_progress: bool) -> None:
        self._pipeline = pipeline
        self._subscriptions = subscriptions
        self.totals = Totals()
        self._line = ProgressLine(self.totals) if show_progress else None
        self._stopping = threading.Event()
        if nobody_listens(pipeline.spark.master):
            raise PipelineError(f"spark.master: nobody listens at {pipeline.spark.master}")
        self._spark = session(pipeline.spark.master, pipeline.spark.config)

    @property
    def was_stopped(self) -> bool:
        """Whether `stop` was called."""
        return self._stopping.is_set()

    def __enter__(self) -> Run:
        return self

    def __exit__(self, *_: object) -> None:
        if self._line is not None:
            self._line.end()
        self._spark.stop()

    def stop(self) -> None:
        """Ends it soon. A micro-batch that is on its way is done again by the next run."""
        self._stopping.set()

    def wait(self) -> None:
        """Runs to the end: that of the source, or of patience."""
        with self._translated():
            if self._pipeline.query.batch is not None:
                write(self._spark, self._pipeline, self._subscriptions)
                return
            self._watch(start(self._spark, self._pipeline, self._subscriptions))

    def _watch(self, query: StreamingQuery) -> None:
        """Asks for progress rather than listens for it: events would come late, and may not come at all at the end."""
        add = self.totals.add if self._line is None else self._line.add
        last = -1
        ended = False
        while not ended:
            ended = query.awaitTermination(_POLL_SECONDS) is True
            if self.was_stopped and not ended:
                query.stop()
                ended = True
            for batch in (one for progress in query.recentProgress for one in batch_metrics(progress)):
                if batch.batch_id > last:
                    last = batch.batch_id
                    add(batch)

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except PySparkException as error:
            told = essence(str(error))
            if error.getCondition() in _NOT_INSTALLED:
                told += "\nWhat Spark does not bring is named in [spark.config], for instance\n" + _packages()
            raise PipelineError(told) from error


def _packages() -> str:
    return f'"spark.jars.packages" = "org.apache.spark:spark-sql-kafka-0-10_2.13:{pyspark.__version__}"'


def essence(text: str) -> str:
    """What went wrong, without where in Spark and Python it did.

    >>> essence("[STREAM_FAILED] Query [id] terminated with exception: it rains SQLSTATE: XXKST\\n=== Streaming Query")
    'it rains'
    """
    text = re.split(r"\n=== Streaming Query|\n\s*JVM stacktrace|\n\tat ", text)[0]
    if _FRAMES in text:
        lines = text.rsplit(_FRAMES, 1)[1].splitlines()
        text = "\n".join(line for line in lines if not line.startswith("  "))
    text = re.sub(r"^\[STREAM_FAILED\].*? terminated with exception: ", "", text.strip())
    return re.sub(r"\s*SQLSTATE: \w+", "", text).strip()
