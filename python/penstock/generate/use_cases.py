"""Documents of the Bib and Book DTDs of XQuery's use cases: small messages, all values whole numbers."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


def bib(*, seed: int = 0, books: int = 20, max_value: int = 10) -> Iterator[str]:
    """A bibliography. With 20 books it has about 149 elements.

    >>> "".join(bib(books=3)).count("<book ")
    3
    """
    rng = Random(seed)

    def value(name: str) -> str:
        return f"<{name}>{rng.randint(1, max_value)}</{name}>"

    yield "<bib>\n"
    for _ in range(books):
        # Mostly one, five at most.
        people = 1 if rng.random() < 0.97 else rng.randint(2, 5)
        yield f'<book year="{rng.randint(1, max_value)}">{value("title")}'
        if rng.random() < 0.8:
            yield "".join(f"<author>{value('last')}{value('first')}</author>" for _ in range(people))
        else:
            yield "".join(
                f"<editor>{value('last')}{value('first')}{value('affiliation')}</editor>" for _ in range(people)
            )
        yield f"{value('publisher')}{value('price')}</book>\n"
    yield "</bib>\n"


def book(*, seed: int = 0, sections: int = 12, depth: int = 5, max_value: int = 10) -> Iterator[str]:
    """A book whose sections hold sections: with 12 at the top, four within each other at most, about 83 elements.

    >>> text = "".join(book())
    >>> text.startswith("<book><title>"), text.count("<section") > 12
    (True, True)
    """
    writing = _Book(Random(seed), max_value)
    yield f"<book>{writing.value('title')}{writing.value('author')}"
    for _ in range(sections):
        yield from writing.section(depth - 1)
    yield "</book>\n"


class _Book:
    def __init__(self, rng: Random, max_value: int) -> None:
        self.rng = rng
        self.max_value = max_value

    def number(self) -> int:
        return self.rng.randint(1, self.max_value)

    def value(self, name: str) -> str:
        return f"<{name}>{self.number()}</{name}>"

    def times(self, chance: float) -> int:
        """Up to four times."""
        count = 0
        while count < 4 and self.rng.random() < chance:
            count += 1
        return count

    def section(self, levels: int) -> Iterator[str]:
        yield f'\n<section id="s{self.number()}" difficulty="{self.number()}">{self.value("title")}'
        for _ in range(self.times(0.45)):
            yield self.value("p")
        for _ in range(self.times(0.29)):
            size = f'width="{self.number()}" height="{self.number()}"'
            yield f'<figure {size}>{self.value("title")}<image source="{self.number()}"/></figure>'
        if levels > 1:
            for _ in range(self.times(0.29)):
                yield from self.section(levels - 1)
        yield "</section>"
