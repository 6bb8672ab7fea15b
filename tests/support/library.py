"""Documents in the manner of the use cases of XQuery: books with authors and prices, and sections within sections."""

from __future__ import annotations

from random import Random

_WORDS = ("data", "Web", "stream", "Unix", "tea & time", "a<b", "Émile", "0", "7")
_LAST = ("Stevens", "Buneman", "Suciu", "Kay", "abiteboul")
_FIRST = ("W.", "Dan", "Serge", "")


def make_library(random: Random, *, books: int = 4) -> bytes:
    """A well-formed document."""
    content = "".join(_book(random, number) for number in range(random.randint(0, books)))
    return f"<bib>{content}</bib>".encode()


def _book(random: Random, number: int) -> str:
    year = f' year="{random.choice((1992, 1994, 1999, 2000))}"' if random.random() < 0.8 else ""
    authors = "".join(_author(random) for _ in range(random.randint(0, 3)))
    price = f"<price>{random.choice((65.95, 39.95, 100, 7, 12.5))}</price>" if random.random() < 0.8 else ""
    sections = "".join(_section(random, 3) for _ in range(random.randint(0, 2)))
    return f'<book id="b{number}"{year}><title>{_text(random)}</title>{authors}{price}{sections}</book>'


def _author(random: Random) -> str:
    return f"<author><last>{random.choice(_LAST)}</last><first>{random.choice(_FIRST)}</first></author>"


def _section(random: Random, depth: int) -> str:
    inner = "".join(_section(random, depth - 1) for _ in range(random.randint(0, 2) if depth else 0))
    kind = f' k="{random.choice("ab")}"' if random.random() < 0.5 else ""
    comment = "<!--note-->" if random.random() < 0.1 else ""
    text = f"<title>{_text(random)}</title><p>{_text(random)}<em>{_text(random)}</em></p>"
    return f"<section{kind}>{text}{comment}{inner}</section>"


def _text(random: Random) -> str:
    words = " ".join(random.choice(_WORDS) for _ in range(random.randint(0, 2)))
    return words.replace("&", "&amp;").replace("<", "&lt;")
