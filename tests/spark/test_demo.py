"""`penstock demo` on Spark says what the embedded demonstration says, and more."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest
from click.testing import CliRunner

from penstock.cli import main

# What differs: how long things took, and what only Spark knows of.
TIMES = re.compile(r"in [\d,]+ ms|^from arrival .*|^Spark started.*|^versions of .*|^time within .*", re.MULTILINE)


def lines(output: str) -> list[str]:
    return [line for line in TIMES.sub("", output).splitlines() if line.strip()]


@pytest.mark.slow
def test_the_demonstration_on_spark() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "penstock.cli", "demo"], capture_output=True, text=True, check=False, timeout=240
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "versions of the subscriptions used: 1, 4, 6" in done.stdout
    embedded = CliRunner().invoke(main, ["demo", "--embedded"])
    assert lines(done.stdout)[1:] == lines(embedded.stdout)


def test_without_java_the_embedded_broker_takes_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda _: None)
    monkeypatch.delenv("JAVA_HOME", raising=False)
    result = CliRunner().invoke(main, ["demo"])
    assert result.exit_code == 0
    assert "Java was not found" in result.stderr
    assert "here is the embedded broker" in result.stderr
    assert "dead letter broken-5" in result.stdout
