"""Fair timing on machines whose speed drifts: everything that is compared takes turns within one run."""

from __future__ import annotations

import gc
import os
import statistics
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

LEAST_SECONDS = 0.1
"""What many small documents are timed by lasts so long: one pass over a few of them takes a millisecond or two."""

_SLOW_SECONDS = 4.0
_SLOW_ROUNDS = 1


def interleaved(
    actions: Mapping[str, Callable[[], object]],
    *,
    rounds: int,
    repeat_slow: bool = False,
    at_least: float = 0.0,
    before: Mapping[str, Callable[[], object]] | None = None,
) -> dict[str, list[float]]:
    """The seconds of each action in each round; the order rotates, so that no one always follows the same neighbour.

    An action that takes very long is not repeated, unless asked for: its noise is small against its length. One that
    takes less than `at_least` seconds is done again and again until they are over, and the mean counts: once would be
    too short to time, and what its neighbour left in the caches would be timed with it. `before` has what is done
    before an action, outside of what is timed.

    >>> sorted(interleaved({"a": lambda: None, "b": lambda: None}, rounds=2))
    ['a', 'b']
    """
    names = list(actions)
    seconds: dict[str, list[float]] = {name: [] for name in names}
    for number in range(rounds):
        turn = number % len(names)
        for name in names[turn:] + names[:turn]:
            taken = seconds[name]
            if not repeat_slow and len(taken) >= _SLOW_ROUNDS and taken[0] > _SLOW_SECONDS:
                continue
            if before and name in before:
                before[name]()
            taken.append(_timed(actions[name], at_least))
    return seconds


def ratio(baseline: list[float], candidate: list[float]) -> float:
    """How many times faster the candidate is: the median over rounds of the ratio within the round.

    >>> ratio([2.0, 4.0, 8.0], [1.0, 2.0, 2.0])
    2.0
    """
    pairs = list(zip(baseline, candidate, strict=False))
    return statistics.median(base / max(own, 1e-9) for base, own in pairs)


def _timed(action: Callable[[], object], at_least: float) -> float:
    gc.collect()
    times, taken, began = 0, 0.0, time.perf_counter()
    while times == 0 or taken < at_least:
        action()
        times += 1
        taken = time.perf_counter() - began
    return taken / times


def peak_memory_bytes() -> int:
    """The largest resident size that this process has had.

    From /proc where there is one: getrusage also counts what the parent held when it started this process.
    """
    return _status("VmHWM")


def resident_bytes() -> int:
    """The resident size of this process now; where there is no /proc, the largest it has had."""
    return _status("VmRSS")


def _status(field: str) -> int:
    status = Path("/proc/self/status")
    if status.exists():
        line = next(line for line in status.read_text().splitlines() if line.startswith(field))
        return int(line.split()[1]) * 1024
    import resource

    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def machine() -> dict[str, object]:
    """What the figures were taken on."""
    import platform

    return {
        "python": platform.python_version(),
        "cores": os.cpu_count() or 1,
        "system": f"{platform.system()} {platform.machine()}",
    }
