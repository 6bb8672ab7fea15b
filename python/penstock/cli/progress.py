"""A progress bar that shows up only when someone is there to see it and the wait is long."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import TracebackType

    from rich.progress import Progress as RichProgress
    from rich.progress import TaskID

PATIENCE_SECONDS = 2.0


class Progress:
    """Bytes read of one input, or another `unit` counted. Silent unless stderr is a terminal and stdout is not."""

    def __init__(self, label: str, total: int, *, unit: str = "bytes") -> None:
        self._label = label
        self._unit = unit
        self._total = total or None
        self._wanted = sys.stderr.isatty() and not sys.stdout.isatty()
        self._began = time.monotonic()
        self._bar: RichProgress | None = None
        self._task: TaskID | None = None

    def __enter__(self) -> Progress:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def update(self, done: int) -> None:
        """Say how much is done."""
        if not self._wanted:
            return
        if self._bar is None:
            if time.monotonic() - self._began < PATIENCE_SECONDS:
                return
            self._start()
        if self._bar is not None and self._task is not None:
            self._bar.update(self._task, completed=done)

    def _start(self) -> None:
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            DownloadColumn,
            MofNCompleteColumn,
            TextColumn,
            TimeRemainingColumn,
            TransferSpeedColumn,
        )
        from rich.progress import Progress as RichProgress

        amount = (DownloadColumn(), TransferSpeedColumn()) if self._unit == "bytes" else (MofNCompleteColumn(),)
        columns = (TextColumn("{task.description}"), BarColumn(), *amount, TimeRemainingColumn())
        self._bar = RichProgress(*columns, console=Console(stderr=True), transient=True)
        self._task = self._bar.add_task(self._label, total=self._total)
        self._bar.start()
