"""The examples of docs/store.md do what they say."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from penstock.store import open_store

TEXT = (Path(__file__).parents[3] / "docs" / "store.md").read_text(encoding="utf-8")
PYTHON = re.findall(r"^```python\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
SHELL = re.findall(r"^```console\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("block", PYTHON)
def test_python(block: str, tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", block], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    with open_store(f"sqlite:///{tmp_path}/subs.db", create=False) as store:
        assert store.version() > 0


def test_command_line(tmp_path: Path) -> None:
    (block,) = SHELL
    script = "set -e\n" + "\n".join(line.removeprefix("$ ") for line in block.splitlines())
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(
        ["bash", "-c", script], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "2 subscriptions put into the store\n")
    assert [line.split("\t")[0] for line in done.stdout.splitlines()] == ["outages", "floods"]


def test_every_method_is_described() -> None:
    from penstock.store import Store

    methods = [name for name, member in vars(Store).items() if callable(member) and not name.startswith("_")]
    assert methods
    assert [name for name in methods if f"| `{name}(" not in TEXT] == []
