"""What a Java that this process starts writes to standard error."""

from __future__ import annotations

import os
import sys
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_OWN_WARNING = b"WARNING: "


@contextmanager
def without_warnings_of_java() -> Iterator[None]:
    """For the block in which it is started: its virtual machine warns of itself before it has read how to log.

    All else reaches standard error, during the start and for as long as Java and its children live.
    """
    sys.stderr.flush()
    shown = os.dup(2)
    source, sink = os.pipe()
    os.dup2(sink, 2)
    os.close(sink)
    is_started = threading.Event()
    threading.Thread(target=_hand_on, args=(source, shown, is_started), name="java-errors", daemon=True).start()
    try:
        yield
    finally:
        sys.stderr.flush()
        # Java keeps the pipe that it was started with. If none was started, this was its last writer.
        os.dup2(shown, 2)
        is_started.set()


def _hand_on(source: int, shown: int, is_started: threading.Event) -> None:
    with open(source, "rb") as lines, open(shown, "wb", buffering=0) as output:
        for line in lines:
            if is_started.is_set() or not line.startswith(_OWN_WARNING):
                output.write(line)
