"""A server of Spark Connect of our own, as a process."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from spark.cluster import await_line, spark_process
from support.postgresql import free_port


@contextmanager
def connect_server(folder: Path, cores: int = 1) -> Iterator[str]:
    """Its URL. Each has a port of its own; servers that PySpark starts itself would all want the same."""
    port = free_port()
    settings = {
        "spark.connect.grpc.binding.port": str(port),
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
        "spark.ui.enabled": "false",
    }
    arguments = [
        *("--class", "org.apache.spark.sql.connect.service.SparkConnectServer", "--master", f"local[{cores}]"),
        *(word for key, value in settings.items() for word in ("--conf", f"{key}={value}")),
        "spark-internal",
    ]
    log = folder / "server.log"
    with spark_process("SparkSubmit", arguments, log, sys.executable) as server:
        await_line(log, "Spark Connect server started", server)
        yield f"sc://127.0.0.1:{port}"
