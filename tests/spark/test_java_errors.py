"""What Java says reaches the user, except that its virtual machine warns of itself when it is started."""

from __future__ import annotations

import subprocess
import time

import pytest

from penstock.spark.java_errors import without_warnings_of_java

SAYING = """
echo 'WARNING: Using incubator modules' >&2
echo 'Error: no such option' >&2
read line
echo 'WARNING: of a program' >&2
echo 'ERROR Executor: it rains' >&2
"""


def said(capfd: pytest.CaptureFixture[str], last: str) -> str:
    """All that has come when the last of it has."""
    text, deadline = "", time.monotonic() + 10
    while last not in text and time.monotonic() < deadline:
        text += capfd.readouterr().err
        time.sleep(0.01)
    return text


def test_errors_reach_the_user_during_the_start_and_later(capfd: pytest.CaptureFixture[str]) -> None:
    with without_warnings_of_java():
        process = subprocess.Popen(["/bin/sh", "-c", SAYING], stdin=subprocess.PIPE)
        assert said(capfd, "option\n") == "Error: no such option\n"
    process.communicate(b"\n", timeout=10)
    assert said(capfd, "rains\n") == "WARNING: of a program\nERROR Executor: it rains\n"


def test_a_start_that_fails_leaves_standard_error_as_it_was(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(OSError, match="no Java"), without_warnings_of_java():
        raise OSError("no Java")
    subprocess.run(["/bin/sh", "-c", "echo directly >&2"], check=True)
    assert said(capfd, "directly\n") == "directly\n"
