"""Queries over a structure in the manner of YFilter's generator: random walks with wildcards, closures, predicates."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from random import Random
from typing import TYPE_CHECKING, TypeVar

from penstock.generate.constants import Draw, literal
from penstock.generate.shapes import Shapes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from penstock.generate.shapes import Shape
    from penstock.generate.structure import Structure

Range = tuple[int, int]
Made = TypeVar("Made")
_SPELL = 100_000
_WORTHWHILE = 0.005


@dataclass(frozen=True, slots=True)
class Parameters:
    """What queries to make. Ranges are (least, most), and every number in between is as likely.

    `number_share`, `contains_share` and `starts_share` are the shares of value predicates that compare numbers, search
    a text and test its beginning; the others test for equality. Only what has `min_values` different values
    is asked for. `zipf` 0 draws constants uniformly. `shapes` limits how many queries differ in more than constants.
    """

    number: int = 1_000
    length: Range = (1, 6)
    wildcard: float = 0.1
    closure: float = 0.2
    nested: Range = (0, 0)
    nested_length: Range = (1, 2)
    predicates: Range = (0, 0)
    number_share: float = 0.0
    contains_share: float = 0.0
    starts_share: float = 0.0
    min_values: int = 1
    zipf: float = 0.0
    distinct: bool = True
    shapes: int | None = None
    seed: int = 0


def queries(structure: Structure, parameters: Parameters) -> Iterator[str]:
    """The queries, as many as asked for; fewer if the structure has no more distinct ones.

    >>> from penstock.generate.observe import from_documents
    >>> structure = from_documents([b"<a><b><c/></b></a>"])
    >>> list(queries(structure, Parameters(number=2, length=(2, 3), wildcard=0, closure=0)))
    ['/a/b/c', '/a/b']
    """
    rng = Random(parameters.seed)
    shapes = Shapes(structure, parameters, rng)
    draw = Draw(rng, parameters.zipf)
    drawn = _all_shapes(shapes) if parameters.shapes is None else _some_shapes(shapes, parameters.shapes, rng)
    made = (_filled(shape, draw) for shape in drawn)
    yield from islice(_unique(made, str) if parameters.distinct else made, parameters.number)


def _unique(made: Iterator[Made], key: Callable[[Made], str]) -> Iterator[Made]:
    """Each once, until hardly anything new comes: then nearly all that are likely have been there."""
    seen: set[str] = set()
    while True:
        known = len(seen)
        for one in islice(made, _SPELL):
            text = key(one)
            if text not in seen:
                seen.add(text)
                yield one
        if len(seen) - known < _SPELL * _WORTHWHILE:
            return


def _all_shapes(shapes: Shapes) -> Iterator[Shape]:
    while True:
        yield shapes.make()


def _some_shapes(shapes: Shapes, count: int, rng: Random) -> Iterator[Shape]:
    """Endless draws from `count` shapes that differ in their text."""
    chosen = list(islice(_unique(_all_shapes(shapes), lambda shape: shape.template), count))
    while True:
        yield chosen[int(len(chosen) * rng.random())]


def _filled(shape: Shape, draw: Draw) -> str:
    if not shape.slots:
        return shape.template
    return shape.template % tuple(
        draw(slot.ranked) if slot.is_number else literal(draw(slot.ranked)) for slot in shape.slots
    )
