"""What queries can be made of: elements, what is inside them, and the values that occur there."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

_LONGEST_VALUE = 60
_MOST_VALUES = 20_000


@dataclass(slots=True)
class Values:
    """The values of a place, counted: whole ones for comparisons, words and first words for searches in text."""

    whole: Counter[str] = field(default_factory=Counter)
    words: Counter[str] = field(default_factory=Counter)
    openings: Counter[str] = field(default_factory=Counter)

    def add(self, text: str) -> None:
        """Take note of a value. Only what can be written as a literal on one line is of use."""
        if len(text) <= _LONGEST_VALUE and text.isprintable() and not text.isspace() and text:
            _count(self.whole, text)
        words = [word for word in text.split() if len(word) <= _LONGEST_VALUE and word.isprintable()]
        if words and words[0] == text[: len(words[0])]:
            _count(self.openings, words[0])
        for word in words:
            _count(self.words, word)

    def merge(self, other: Values) -> None:
        """Take over the counts of another place."""
        self.whole.update(other.whole)
        self.words.update(other.words)
        self.openings.update(other.openings)


def _count(counter: Counter[str], value: str) -> None:
    # Samples may be large; more constants than this would not make other queries.
    if len(counter) < _MOST_VALUES or value in counter:
        counter[value] += 1


@dataclass(frozen=True, slots=True)
class Field:
    """A value that a predicate on an element can ask for, with the possible constants, most frequent first.

    `path` leads from the element to it: `@name`, `name` for a child, or empty for the element's own text.
    """

    path: str
    whole: tuple[str, ...]
    numbers: tuple[str, ...]
    words: tuple[str, ...]
    openings: tuple[str, ...]


@dataclass(slots=True)
class Element:
    """An element in its place; where a DTD is recursive, so is this graph."""

    name: str
    children: list[Element] = field(default_factory=list)
    fields: list[Field] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Structure:
    """All elements, from the roots of documents on, and the prefixes that their names use."""

    roots: tuple[Element, ...]
    namespaces: dict[str, str] = field(default_factory=dict)


def make_field(path: str, values: Values) -> Field | None:
    """The field at `path`, or None if nothing that occurs there can be a constant."""
    # No XPath literal can hold both kinds of quotes.
    whole, words, openings = (
        tuple(value for value, _ in counter.most_common() if not ("'" in value and '"' in value))
        for counter in (values.whole, values.words, values.openings)
    )
    numbers = tuple(value for value in whole if _is_number(value))
    return Field(path, whole, numbers, words, openings) if whole or words else None


def _is_number(value: str) -> bool:
    digits = value.removeprefix("-").replace(".", "", 1)
    return digits.isascii() and digits.isdigit() and not value.endswith(".")
