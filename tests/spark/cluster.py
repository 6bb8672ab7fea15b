"""A standalone cluster of our own: a master and workers, each a process, from the pip package of PySpark."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import pyspark

from support.postgresql import free_port

_PATIENCE_SECONDS = 90
# The processes live for a minute: what makes Java fast in the long run only makes it start slowly.
_JAVA = "-XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Dspark.master.rest.enabled=false"


@dataclass
class Cluster:
    """A running cluster. `folder` has the logs of its processes and what the workers keep."""

    url: str
    folder: Path
    workers: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def add_worker(self, stack: ExitStack) -> None:
        """One more worker with one core, known to the master when this returns."""
        name = f"worker-{len(self.workers)}"
        options = ["--cores", "1", "--memory", "1g", "--work-dir", str(self.folder / name), "--webui-port", "0"]
        log = self.folder / f"{name}.log"
        started = stack.enter_context(spark_process("worker.Worker", [*options, "--host", "127.0.0.1", self.url], log))
        self.workers.append(started)

    def await_workers(self) -> None:
        """Waits until the master knows them all."""
        for number, worker in enumerate(self.workers):
            await_line(self.folder / f"worker-{number}.log", "Successfully registered with master", worker)


@contextmanager
def standalone_cluster(folder: Path, workers: int = 2) -> Iterator[Cluster]:
    """A master and so many workers on free ports of this machine; all of them are gone afterwards."""
    folder.mkdir(parents=True, exist_ok=True)
    port = free_port()
    with ExitStack() as stack:
        cluster = Cluster(f"spark://127.0.0.1:{port}", folder)
        address = ["--host", "127.0.0.1", "--port", str(port), "--webui-port", "0"]
        master = stack.enter_context(spark_process("master.Master", address, folder / "master.log"))
        # Workers try again until the master is there, but wait long before they do.
        await_line(folder / "master.log", "I have been elected leader", master)
        for _ in range(workers):
            cluster.add_worker(stack)
        cluster.await_workers()
        yield cluster


@contextmanager
def spark_process(role: str, arguments: list[str], log: Path, python: str = "") -> Iterator[subprocess.Popen[bytes]]:
    """One of Spark's own processes, in a group of its own: executors are its children, and end with it."""
    home = Path(pyspark.__file__).parent
    command = [str(home / "bin" / "spark-class"), f"org.apache.spark.deploy.{role}", *arguments]
    environment = {
        **os.environ,
        "SPARK_HOME": str(home),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_DAEMON_MEMORY": "640m",
        "SPARK_DAEMON_JAVA_OPTS": _JAVA,
        # Executors of a cluster find their Python by the driver's word only.
        "PYSPARK_PYTHON": python,
    }
    with log.open("wb") as output:
        process = subprocess.Popen(
            command,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        yield process
    finally:
        kill_group(process)


def kill_group(process: subprocess.Popen[bytes]) -> None:
    """SIGKILL for a process and all that it started."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def await_line(log: Path, text: str, process: subprocess.Popen[bytes]) -> None:
    """Waits until a process has written this to its log; it is an error if it ends first, or takes too long."""
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while text not in log.read_text(errors="replace"):
        if process.poll() is not None or time.monotonic() > deadline:
            raise RuntimeError(f"{log.name} does not say {text!r}:\n{log.read_text(errors='replace')[-3000:]}")
        time.sleep(0.1)
