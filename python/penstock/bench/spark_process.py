"""A process of its own on so many processors, which is asked to do one thing at a time.

It reads orders from standard input, one a line, and answers each with a line of JSON. So what is compared takes turns
in one run, each in a process that stays warm.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable


class AskedProcess:
    """The asking end: starts a module as such a process."""

    def __init__(self, module: str, *arguments: object) -> None:
        command = [sys.executable, "-m", module, *map(str, arguments)]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)  # noqa: S603
        self.start_seconds = float(self._answer()["seconds"])

    def ask(self, order: str, *arguments: object) -> dict[str, Any]:
        """The answer to an order."""
        if self._process.stdin is None:
            raise RuntimeError("the process was closed")
        self._process.stdin.write(json.dumps([order, *arguments]) + "\n")
        self._process.stdin.flush()
        return self._answer()

    def _answer(self) -> dict[str, Any]:
        line = self._process.stdout.readline() if self._process.stdout else ""
        if not line:
            raise RuntimeError("a process that is measured ended by itself; what it said is above")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def close(self) -> None:
        """Ends the process."""
        self._process.communicate()


def serve(processors: int, start: Callable[[], object]) -> None:
    """The asked end, on so many processors: each order is a method of what `start` gives."""
    _confine(processors)
    began = time.perf_counter()
    asked = start()
    _say({"seconds": time.perf_counter() - began})
    for line in sys.stdin:
        order, *arguments = json.loads(line)
        _say(getattr(asked, order)(*arguments))


def _confine(processors: int) -> None:
    """To so many processors, with all processes that come of this one.

    A task of Spark keeps more than one busy if it can: Java reads ahead while a Python worker matches. Of two
    processors that would leave little for a second core to win.
    """
    if sys.platform == "linux":
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:processors])


def _say(answer: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()
