"""The engine as the rest of the package sees it."""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from penstock.kernel import _native

if TYPE_CHECKING:
    from collections.abc import Iterable

    from penstock.kernel.compile import CompiledQuery

Results = tuple[list[tuple[str, str, int]], list[tuple[int, int]], list[tuple[int, str]]]
Feed = _native.Feed
Set = _native.Set
match_id = _native.match_id


@dataclass(frozen=True, slots=True)
class Limits:
    """What one document may cost; over a limit it is refused with an error of class `limit`.

    >>> Limits(depth=50).depth
    50
    """

    depth: int = 2_000
    """Open elements."""
    document_bytes: int = 16 << 30
    """Bytes of one document."""
    attributes: int = 20_000
    """Attributes, with namespace declarations, of one element."""
    attribute_bytes: int = 64 << 20
    """Bytes of one attribute's value, comment, processing instruction or document type declaration."""
    name_bytes: int = 16_384
    """Bytes of one name."""
    distinct_names: int = 1 << 20
    """Distinct names of one document."""
    entity_bytes: int = 16 << 20
    """Bytes that entity references may add to one document."""
    entity_depth: int = 32
    """Entity references within entities."""
    buffered_bytes: int = 2 << 30
    """Bytes held for undecided results of one document."""
    evaluation_steps: int = 2_000_000_000
    """Steps that the evaluator may take on one document."""
    deliveries: int = 100_000_000
    """Deliveries of one document."""


class Engine:
    """Matches documents against linked queries; any number of threads may call it."""

    def __init__(self, limits: Limits | None = None) -> None:
        self.limits = limits or Limits()
        self._native = _native.Engine(json.dumps(dataclasses.asdict(self.limits)).encode())

    def document(self, queries: Set, document: object) -> Results:
        """The results of a whole document, in document order."""
        return self._native.document(queries, document)

    def open(self, queries: Set, *, ordered: bool = False) -> Feed:
        """A document that comes in chunks."""
        return self._native.open(queries, ordered)

    def automata(self) -> list[tuple[int, int, int]]:
        """States, transitions and flushes of each idle automaton."""
        return self._native.automata()


def link(queries: Iterable[CompiledQuery]) -> Set:
    """Queries linked into one machine; results name them by their place."""
    return Set([query.native for query in queries])
