"""Every example runs and prints something."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.py"))


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda file: file.name)
def test_example_runs(example: Path) -> None:
    if example.name.startswith("spark_") and shutil.which("java") is None:
        pytest.skip("Spark needs Java")
    done = subprocess.run([sys.executable, str(example)], capture_output=True, text=True, check=False, timeout=240)
    assert (done.returncode, done.stderr) == (0, "")
    assert len(done.stdout.splitlines()) >= 3
