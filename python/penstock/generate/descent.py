"""Choosing the next element of a walk so that every path of names is as likely as any other.

A uniform choice among children would find the few paths of small subtrees again and again, and those of large ones
hardly ever: hundreds of thousands of distinct queries would take hours.
"""

from __future__ import annotations

from bisect import bisect
from itertools import accumulate
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from random import Random

    from penstock.generate.structure import Element


class Descent:
    """Draws children in proportion to the number of paths that begin with them."""

    def __init__(self, rng: Random) -> None:
        self._random = rng.random
        # By identity: a recursive DTD is a graph, and elements of the same name differ in their places.
        self._paths: dict[tuple[int, int], int] = {}
        self._sums: dict[tuple[int, int], list[int]] = {}

    def choose(self, children: list[Element], levels: int) -> Element:
        """One of `children`, for a walk that goes through `levels` levels at most, theirs included."""
        key = (id(children), levels)
        sums = self._sums.get(key)
        if sums is None:
            sums = self._sums[key] = list(accumulate(self._count(child, levels) for child in children))
        return children[bisect(sums, int(sums[-1] * self._random()))]

    def _count(self, element: Element, levels: int) -> int:
        """The number of paths of at most `levels` names that begin with this element."""
        key = (id(element), levels)
        if key not in self._paths:
            below = sum(self._count(child, levels - 1) for child in element.children) if levels > 1 else 0
            self._paths[key] = 1 + below
        return self._paths[key]
