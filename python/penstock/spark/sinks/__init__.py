"""Where deliveries go: files, tables of the catalog, tables of a database; each keeps a replayed batch once."""

from penstock.spark.sinks.console import ConsoleSink
from penstock.spark.sinks.database import DatabaseSink
from penstock.spark.sinks.files import FileSink
from penstock.spark.sinks.sink import Sink
from penstock.spark.sinks.split import SplitSink
from penstock.spark.sinks.tables import TableSink

__all__ = ["ConsoleSink", "DatabaseSink", "FileSink", "Sink", "SplitSink", "TableSink"]
