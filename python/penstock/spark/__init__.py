"""Documents and deliveries as DataFrames, batch or streaming."""

from penstock.spark.letters import dead_letters
from penstock.spark.metrics import BatchMetrics, MetricsListener, batch_metrics
from penstock.spark.publish import publish
from penstock.spark.sinks import ConsoleSink, DatabaseSink, FileSink, Sink, SplitSink, TableSink
from penstock.spark.subscriptions import rejected
from penstock.spark.write import write_batch, write_stream

__all__ = [
    "BatchMetrics",
    "ConsoleSink",
    "DatabaseSink",
    "FileSink",
    "MetricsListener",
    "Sink",
    "SplitSink",
    "TableSink",
    "batch_metrics",
    "dead_letters",
    "publish",
    "rejected",
    "write_batch",
    "write_stream",
]
