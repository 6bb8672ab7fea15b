"""The DTDs of XQuery's use cases that the experiments on FLWOR subscriptions are made with, as data."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Declared:
    """What a DTD says of an element: the elements and attributes it may have, and whether it has text."""

    children: tuple[str, ...] = ()
    attributes: tuple[str, ...] = ()
    has_text: bool = False


@dataclass(frozen=True, slots=True)
class Schema:
    """Elements by name; the first is the root."""

    elements: dict[str, Declared]

    @property
    def root(self) -> str:
        """The document element."""
        return next(iter(self.elements))


_TEXT = Declared(has_text=True)

BIB = Schema(
    {
        "bib": Declared(("book",)),
        "book": Declared(("title", "author", "editor", "publisher", "price"), ("year",)),
        "author": Declared(("last", "first")),
        "editor": Declared(("last", "first", "affiliation")),
        "title": _TEXT,
        "last": _TEXT,
        "first": _TEXT,
        "affiliation": _TEXT,
        "publisher": _TEXT,
        "price": _TEXT,
    }
)

BOOK = Schema(
    {
        "book": Declared(("title", "author", "section")),
        "section": Declared(("title", "p", "figure", "section"), ("id", "difficulty")),
        "figure": Declared(("title", "image"), ("width", "height")),
        "image": Declared((), ("source",)),
        "title": _TEXT,
        "author": _TEXT,
        "p": _TEXT,
    }
)

SCHEMAS = {"bib": BIB, "book": BOOK}
