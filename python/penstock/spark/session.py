"""A local Spark session that keeps quiet, for demonstrations, tests and laptops."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from pyspark.sql import SparkSession

from penstock.spark.folders import temporary_folder

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

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
"""


def local_session(cores: int = 2, config: Mapping[str, str] | None = None, *, connect: bool = False) -> SparkSession:
    """A session on this machine, with this Python in its workers and a log of errors only.

    With `connect=True` it is a Spark Connect session whose server runs here as well.
    """
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    builder = SparkSession.builder.appName("penstock")
    builder = builder.remote(f"local[{cores}]") if connect else builder.master(f"local[{cores}]")
    settings = {"spark.ui.enabled": "false", "spark.sql.shuffle.partitions": str(cores)}
    return _started(builder, {**settings, **(config or {})})


def session(master: str, config: Mapping[str, str] | None = None) -> SparkSession:
    """A session as quiet as `local_session`, on any master, or (`sc://host`) on a server of Spark Connect."""
    builder = SparkSession.builder.appName("penstock")
    if master.startswith("sc://"):
        for key, value in (config or {}).items():
            builder = builder.config(key, value)
        return builder.remote(master).getOrCreate()
    if master.startswith("local"):
        # The address of this machine, which a cluster needs, is of no use here, and may be unknown.
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    return _started(builder.master(master), config or {})


def _started(builder: SparkSession.Builder, config: Mapping[str, str]) -> SparkSession:
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    logging = temporary_folder() / "log4j2.properties"
    logging.write_text(_LOGGING)
    settings = {
        "spark.driver.extraJavaOptions": f"-Dlog4j.configurationFile={logging}",
        "spark.ui.showConsoleProgress": "false",
        **config,
    }
    for key, value in settings.items():
        builder = builder.config(key, value)
    with _silence():
        return builder.getOrCreate()


@contextmanager
def _silence() -> Iterator[None]:
    """The virtual machine speaks before it has read how to log: only its standard error can be turned off."""
    sys.stderr.flush()
    kept = os.dup(2)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)
