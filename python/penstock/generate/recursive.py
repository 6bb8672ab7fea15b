"""Sections within sections: data on which one element matches a query in many ways."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

from penstock.generate.words import Prose

if TYPE_CHECKING:
    from collections.abc import Iterator


def recursive(*, size: int = 1_000_000, seed: int = 0, depth: int = 28, fanout: float = 1.6) -> Iterator[str]:
    """A book of sections nested `depth` deep at most (the book is depth 1), at least `size` characters, in pieces.

    A section that may have subsections has `fanout` of them on average, and one at least on the way down to the
    full depth, so that every chapter reaches it.

    >>> "".join(recursive(size=5_000, depth=5)).count("<section") > 10
    True
    """
    if depth < 3:
        raise ValueError("depth is the book, a section and its title at least: 3")
    rng = Random(seed)
    prose = Prose(rng)
    yield "<book>\n"
    written = number = 0
    while written < size:
        for piece in _section(rng, prose, depth - 1, fanout, on_spine=True):
            written += len(piece)
            yield piece
        number += 1
    yield "</book>\n"


def _section(rng: Random, prose: Prose, levels: int, fanout: float, *, on_spine: bool) -> Iterator[str]:
    """A section with `levels` levels of elements left, its own included; a title or paragraph takes the last one."""
    kind = "open" if rng.random() < 0.5 else "closed"
    yield f'<section kind="{kind}" difficulty="{1 + int(10 * rng.random())}">\n<title>{prose.words(1, 5)}</title>\n'
    if rng.random() < 0.7:
        yield f"<p>{prose.words(5, 30)}</p>\n"
    if levels > 2:
        # Off the spine most sections end early; otherwise the book would grow as fanout to the power of depth.
        children = _draw(rng, fanout) if on_spine else int(rng.random() < 0.4)
        spine = int(children * rng.random()) if on_spine else -1
        for child in range(children):
            yield from _section(rng, prose, levels - 1, fanout, on_spine=child == spine)
    if rng.random() < 0.5:
        yield f"<figure><title>{prose.words(1, 3)}</title></figure>\n" if levels > 2 else "<figure/>\n"
    yield "</section>\n"


def _draw(rng: Random, average: float) -> int:
    """One at least, `average` on average."""
    whole = int(average)
    return max(1, whole + (rng.random() < average - whole))
