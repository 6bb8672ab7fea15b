"""From a pipeline's description to a running query."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.spark import records
from penstock.spark.publish import publish
from penstock.spark.sinks import ConsoleSink, DatabaseSink, FileSink, SplitSink, TableSink
from penstock.spark.write import write_batch, write_stream

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

    from penstock.spark.pipeline.config import Pipeline, Target
    from penstock.spark.sinks import Sink
    from penstock.spark.subscriptions import Subscriptions


def start(spark: SparkSession, pipeline: Pipeline, subscriptions: Subscriptions) -> StreamingQuery:
    """Starts the stream of a pipeline that has no batch name. Its metrics have the name of the query."""
    query = pipeline.query
    found = _deliveries(spark, pipeline, subscriptions)
    writer = write_stream(found, _sinks(pipeline), query.checkpointLocation or "").queryName(query.name)
    if query.availableNow:
        writer = writer.trigger(availableNow=True)
    elif query.once:
        writer = writer.trigger(once=True)
    elif query.processingTime is not None:
        writer = writer.trigger(processingTime=query.processingTime)
    return writer.start()


def write(spark: SparkSession, pipeline: Pipeline, subscriptions: Subscriptions) -> None:
    """Runs a pipeline that has a batch name, to its end."""
    write_batch(_deliveries(spark, pipeline, subscriptions), _sinks(pipeline), pipeline.query.batch or "")


def _deliveries(spark: SparkSession, pipeline: Pipeline, subscriptions: Subscriptions) -> DataFrame:
    query = pipeline.query
    return publish(
        _documents(spark, pipeline),
        subscriptions,
        errors="drop" if pipeline.dead_letters is None else "rows",
        mode=query.mode,
        watermark=query.watermark,
        columns=pipeline.source.columns,
        namespaces=pipeline.subscriptions.namespaces,
        metrics=query.name if query.batch is None else None,
    )


def _documents(spark: SparkSession, pipeline: Pipeline) -> DataFrame:
    source = pipeline.source
    reader = spark.readStream if pipeline.query.batch is None else spark.read
    reader = reader.options(**source.options)
    if source.table is not None:
        return reader.table(source.table)
    if source.format == "xmlrecords":
        records.register(spark)
    reader = reader.format(source.format or "")
    if source.schema is not None:
        reader = reader.schema(source.schema)
    return reader.load() if source.path is None else reader.load(source.path)


def _sinks(pipeline: Pipeline) -> Sink:
    deliveries = _sink(pipeline.sink, "deliveries")
    if pipeline.dead_letters is None:
        return deliveries
    return SplitSink(deliveries, _sink(pipeline.dead_letters, "dead_letters"))


def _sink(target: Target, table: str) -> Sink:
    match target.kind:
        case "files":
            return FileSink(target.path or "", target.format or "json", target.by, target.options)
        case "table":
            return TableSink(target.table or "", target.format or "parquet")
        case "database":
            return DatabaseSink(target.url or "", target.table or table)
        case "console":
            return ConsoleSink()
