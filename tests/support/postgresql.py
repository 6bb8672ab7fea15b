"""A PostgreSQL server of our own for the tests: a temporary folder, a free port of this machine, gone afterwards."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

_USER = "postgres"


def _programs() -> Path | None:
    """The folder of `initdb` and `pg_ctl`: Debian does not put them on the path."""
    found = shutil.which("initdb")
    folders = [Path(found).resolve().parent] if found else []
    folders += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return next((folder for folder in folders if (folder / "initdb").exists() and (folder / "pg_ctl").exists()), None)


def _as_server(*command: str | Path) -> None:
    """Runs a program of the server, which refuses to run as root."""
    words = [str(word) for word in command]
    if os.geteuid() == 0:
        words = ["setpriv", f"--reuid={_USER}", f"--regid={_USER}", "--clear-groups", *words]
    done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, cwd="/")
    if done.returncode:
        raise RuntimeError(f"{' '.join(words)}: {done.stdout}{done.stderr}")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@contextmanager
def server() -> Iterator[str]:
    """The URL of a new server's first database."""
    pytest.importorskip("psycopg", reason="needs psycopg: pip install 'penstock[postgresql]'")
    programs = _programs()
    if programs is None:
        pytest.skip("needs a PostgreSQL server: initdb and pg_ctl are not here (Debian: apt install postgresql)")
    # Not pytest's temporary folder: another user has to reach it.
    with tempfile.TemporaryDirectory(prefix="penstock-postgresql-") as name:
        folder = Path(name)
        if os.geteuid() == 0:
            shutil.chown(folder, _USER, _USER)
        data, port = folder / "data", free_port()
        _as_server(programs / "initdb", "-D", data, "-U", _USER, "-A", "trust", "-E", "UTF8", "--no-sync")
        options = f"-p {port} -k {folder} -c listen_addresses=127.0.0.1 -c shared_buffers=32MB -c fsync=off"
        _as_server(programs / "pg_ctl", "-D", data, "-l", folder / "log", "-w", "-o", options, "start")
        try:
            yield f"postgresql://{_USER}@127.0.0.1:{port}/postgres"
        finally:
            _as_server(programs / "pg_ctl", "-D", data, "-m", "immediate", "stop")
