"""Which elements may hold which: what a DTD says about recursion."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


class SchemaGraph:
    """Elements by name, each with an edge to every element that it may hold.

    >>> graph = SchemaGraph({"book": ["section"], "section": ["section", "figure"], "figure": []})
    >>> graph.on_loop("section"), graph.on_loop("figure"), graph.on_same_loop("section", "figure")
    (True, False, False)
    """

    def __init__(self, children: Mapping[str, Iterable[str]]) -> None:
        self._children = {name: frozenset(inner) for name, inner in children.items()}
        self._below: dict[str, frozenset[str]] = {}

    def below(self, name: str) -> frozenset[str]:
        """All that an element may hold, however deep."""
        if name not in self._below:
            found: set[str] = set()
            waiting = [name]
            while waiting:
                for inner in self._children.get(waiting.pop(), frozenset()) - found:
                    found.add(inner)
                    waiting.append(inner)
            self._below[name] = frozenset(found)
        return self._below[name]

    def on_loop(self, name: str | None) -> bool:
        """Whether an element may hold itself; of a wildcard nothing is known."""
        return name is None or name in self.below(name)

    def on_same_loop(self, one: str | None, other: str | None) -> bool:
        """Whether each may hold the other."""
        return one is None or other is None or (other in self.below(one) and one in self.below(other))
