"""Constants for predicates: drawn uniformly, or frequent ones more often by Zipf's law."""

from __future__ import annotations

from bisect import bisect_left
from itertools import accumulate
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from random import Random


class Draw:
    """Draws from lists that are ranked by frequency. With `skew` 0 every entry is as likely as any other."""

    def __init__(self, rng: Random, skew: float) -> None:
        self._random = rng.random
        self._skew = skew
        self._shares: dict[int, list[float]] = {}

    def __call__(self, ranked: tuple[str, ...]) -> str:
        """One entry: that of rank r with a probability in proportion to 1 / r ** skew."""
        count = len(ranked)
        if not self._skew:
            return ranked[int(count * self._random())]
        shares = self._shares.get(count)
        if shares is None:
            shares = self._shares[count] = list(accumulate(1 / rank**self._skew for rank in range(1, count + 1)))
        return ranked[bisect_left(shares, shares[-1] * self._random())]


def literal(text: str) -> str:
    """An XPath string literal; `text` has one kind of quotes at most.

    >>> print(literal("it's"), literal("plain"))
    "it's" 'plain'
    """
    return f'"{text}"' if "'" in text else f"'{text}'"
