"""Limits on queries, which come from strangers."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class QueryLimits:
    """`max_length` in characters; `max_depth` of parentheses, arguments and operators within each other.

    A predicate counts as two levels: its path, its step. The default depth is what recursive functions, the equality
    and the hash of trees included, can walk within Python's own default recursion limit, with room for the caller.
    """

    max_length: int = 65_536
    max_depth: int = 200


DEFAULT_LIMITS = QueryLimits()
