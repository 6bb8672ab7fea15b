"""When something is certain, seen from a node: at its start tag, at its end, or later."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

Moment: TypeAlias = Literal["start", "end", "parent", "ancestor", "document"]

_ORDER: tuple[Moment, ...] = ("start", "end", "parent", "ancestor", "document")


@dataclass(frozen=True, slots=True)
class Wait:
    """An event: the start of the node itself, or the end of the element `of` (None if its name is not known)."""

    moment: Moment
    of: str | None = None
    # The element is the document element: its end is as far away as the document's.
    whole: bool = False

    @property
    def rank(self) -> tuple[int, bool]:
        return _ORDER.index(self.moment), self.whole

    @property
    def is_far(self) -> bool:
        """Whether it comes only when the document has been read."""
        return self.moment == "document" or self.whole

    def phrase(self) -> str:
        match self.moment:
            case "start":
                return "at the start tag"
            case "end":
                return f"at the end of {self.of or 'the element'}"
            case "parent":
                return f"at the end of its parent {self.of}" if self.of else "at its parent's end"
            case "ancestor":
                return f"at the end of the enclosing {self.of}" if self.of else "at the end of an enclosing element"
            case "document":
                return "at the document's end"


START = Wait("start")
DOCUMENT_END = Wait("document")


@dataclass(frozen=True, slots=True)
class Bounds:
    """The earliest events at which a condition may be found true or false, and the one by which it is decided."""

    true_from: Wait
    false_from: Wait
    latest: Wait


def exactly(wait: Wait) -> Bounds:
    """Decided at this event, neither before nor after."""
    return Bounds(wait, wait, wait)


def later(*waits: Wait) -> Wait:
    """The last of some events."""
    return max(waits, key=lambda wait: wait.rank)


def sooner(*waits: Wait) -> Wait:
    """The first of some events."""
    return min(waits, key=lambda wait: wait.rank)
