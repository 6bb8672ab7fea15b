"""Documents that could not be used, and why."""

from __future__ import annotations

import threading
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime


@dataclass(frozen=True, slots=True)
class DeadLetter:
    """A document with an error; `subscription` is set when only that subscription's evaluation failed."""

    document: str
    stream: str
    time: datetime
    error_class: str
    message: str
    line: int
    column: int
    offset: int
    xml: str | bytes | None
    subscription: str | None = None


class DeadLetters:
    """The newest dead letters, oldest first; `count` counts also those that had to make room."""

    def __init__(self, capacity: int = 10_000) -> None:
        self._letters: deque[DeadLetter] = deque(maxlen=capacity)
        self._lock = threading.Lock()
        self.count = 0

    def add(self, letter: DeadLetter) -> None:
        """Keeps a letter."""
        with self._lock:
            self._letters.append(letter)
            self.count += 1

    def clear(self) -> None:
        """Forgets the letters; the count stays."""
        with self._lock:
            self._letters.clear()

    def __iter__(self) -> Iterator[DeadLetter]:
        with self._lock:
            return iter(list(self._letters))

    def __len__(self) -> int:
        return len(self._letters)

    def __getitem__(self, index: int) -> DeadLetter:
        return self._letters[index]
