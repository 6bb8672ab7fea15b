"""A local Spark session that keeps quiet, for demonstrations, tests and laptops."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

from pyspark.sql import SparkSession
from pyspark.sql.utils import is_remote

from penstock.spark.folders import temporary_folder
from penstock.spark.java_errors import without_warnings_of_java

if TYPE_CHECKING:
    from collections.abc import Mapping

_LOGGING = """
rootLogger.level = error
rootLogger.appenderRef.stderr.ref = stderr
appender.stderr.type = Console
appender.stderr.name = stderr
appender.stderr.target = SYSTEM_ERR
appender.stderr.layout.type = PatternLayout
appender.stderr.layout.pattern = %d{HH:mm:ss} %p %c{1}: %m%n%ex
logger.gateway.name = org.apache.spark.api.python.PythonGatewayServer
logger.gateway.level = error
logger.utils.name = org.apache.spark.util.Utils
logger.utils.filter.aborting.type = RegexFilter
logger.utils.filter.aborting.regex = Aborting task.*
logger.utils.filter.aborting.onMatch = deny
logger.utils.filter.aborting.onMismatch = neutral
"""
# Why a query fails is told by the exception that its caller gets: all of these would tell it, too.
_TOLD_BY_EXCEPTIONS = {
    "executor": "org.apache.spark.executor.Executor",
    "tasks": "org.apache.spark.scheduler.TaskSetManager",
    "writing": "org.apache.spark.sql.execution.datasources",
    "streaming": "org.apache.spark.sql.execution.streaming.runtime.MicroBatchExecution",
}

FOR_DOCUMENTS = {
    "spark.sql.execution.arrow.maxBytesPerBatch": "4MB",
    "spark.sql.parquet.columnarReaderBatchSize": "256",
}
"""What Spark keeps at once, for rows that are documents rather than numbers.

As it is, tens of megabytes wander through Java's memory at each step, and a worker waits until all of them are there.
"""

_CHECKPOINTS = "spark.sql.streaming.checkpointFileManagerClass"
_BY_FILE_SYSTEM = (
    "org.apache.spark.sql.execution.streaming.checkpointing.FileSystemBasedCheckpointFileManager",
    # Spark 4.0
    "org.apache.spark.sql.execution.streaming.FileSystemBasedCheckpointFileManager",
)


def local_session(cores: int = 2, config: Mapping[str, str] | None = None) -> SparkSession:
    """A session on this machine, with this Python in its workers and a log of errors only."""
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    builder = SparkSession.builder.appName("penstock").master(f"local[{cores}]")
    settings = {"spark.ui.enabled": "false", "spark.sql.shuffle.partitions": str(cores)}
    return _started(builder, {**settings, **(config or {})})


def session(master: str, config: Mapping[str, str] | None = None) -> SparkSession:
    """A session as quiet as `local_session`, on any master, or (`sc://host`) on a server of Spark Connect."""
    builder = SparkSession.builder.appName("penstock")
    if master.startswith("sc://"):
        for key, value in {**FOR_DOCUMENTS, **(config or {})}.items():
            builder = builder.config(key, value)
        return builder.remote(master).getOrCreate()
    if master.startswith("local"):
        # The address of this machine, which a cluster needs, is of no use here, and may be unknown.
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    return _started(builder.master(master), config or {})


def _started(builder: SparkSession.Builder, config: Mapping[str, str]) -> SparkSession:
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    logging = temporary_folder() / "log4j2.properties"
    silent = (f"logger.{key}.name = {name}\nlogger.{key}.level = off\n" for key, name in _TOLD_BY_EXCEPTIONS.items())
    logging.write_text(_LOGGING + "".join(silent))
    settings = {
        # Matching needs the cores that a collector would take which works beside it.
        "spark.driver.extraJavaOptions": f"-Dlog4j.configurationFile={logging} -XX:+UseParallelGC",
        "spark.ui.showConsoleProgress": "false",
        **FOR_DOCUMENTS,
        **config,
    }
    for key, value in settings.items():
        builder = builder.config(key, value)
    with without_warnings_of_java():
        spark = builder.getOrCreate()
    if _keeps_checkpoints_here(spark):
        _rename_checkpoints_cheaply(spark)
    return spark


def _keeps_checkpoints_here(spark: SparkSession) -> bool:
    """Whether it is a session on this machine, whose user did not say how checkpoints are to be written."""
    # In mode `connect` there is no context to ask.
    is_local = not is_remote() and str(spark.sparkContext.master).startswith("local")
    return is_local and spark.conf.get(_CHECKPOINTS, None) is None


def _rename_checkpoints_cheaply(spark: SparkSession) -> None:
    """On a local disk, Hadoop starts ten processes (`chmod`, `readlink`) for every file of a checkpoint, one by one.

    Spark's other way to such files, which is as atomic there, starts two.
    """
    java: Any = spark.sparkContext._jvm  # noqa: SLF001 - nothing public tells which classes there are
    for name in _BY_FILE_SYSTEM:
        if java.ClassLoader.getSystemResource(f"{name.replace('.', '/')}.class") is not None:
            spark.conf.set(_CHECKPOINTS, name)
            return
