"""The engine as the rest of the package sees it."""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from penstock.kernel import _native

if TYPE_CHECKING:
    from collections.abc import Iterable

    from penstock.kernel.compile import CompiledQuery

Delivery = _native.Delivery
Engine = _native.Engine
Feed = _native.Feed
FragmentMatch = _native.FragmentMatch
Matches = _native.Matches
PreparedQuery = _native.PreparedQuery
Program = _native.Program
Publishing = _native.Publishing
Set = _native.Set
Subscriptions = _native.Subscriptions
Waiting = _native.Waiting

Given: TypeAlias = tuple[str, str, str | None, str | None, int, bool]
"""A subscription as the engine takes it: id, query, subscriber, stream, number of options, may replace."""
Known: TypeAlias = tuple[str, str, str | None, str | None, int]
"""The same as the engine gives it back."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What one document may cost (over a limit it is refused: an error of class `limit`), and how much is remembered.

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
    automaton_states: int = 65_536
    """States that an automaton learns; then it forgets them all and begins anew. Each thread has its own."""
    automaton_bytes: int = 512 << 20
    """The same for the bytes of all that it learns."""


def make_engine(limits: Limits | None = None) -> Engine:
    """An engine for documents within these limits; any number of threads may call it."""
    return Engine(json.dumps(dataclasses.asdict(limits or Limits())).encode())


def link(queries: Iterable[CompiledQuery], targets: Iterable[tuple[str, str | None]] | None = None) -> Set:
    """Queries linked into one streaming machine; deliveries bear the ids and subscribers of `targets`, or places."""
    programs = [query.native for query in queries]
    if targets is None:
        targets = ((str(place), None) for place in range(len(programs)))
    return Set(programs, list(targets))
