"""FLWOR subscriptions over the Bib and Book DTDs: bindings, conditions on them, and what is returned of each."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING

from penstock.generate.schemas import BOOK, Schema

if TYPE_CHECKING:
    from collections.abc import Iterator

# So many queries in a row that are there already: there are hardly any others.
_PATIENCE = 20_000


@dataclass(frozen=True, slots=True)
class FlworParameters:
    """`depth` of bindings at most, numbers of predicate and return paths and their depth, the probability of `//`."""

    number: int = 1_000
    depth: int = 3
    predicates: int = 1
    returns: int = 2
    inner_depth: int = 2
    closure: float = 0.2
    max_value: int = 10
    seed: int = 0


def flwors(schema: Schema = BOOK, parameters: FlworParameters | None = None) -> Iterator[str]:
    """Distinct queries, conditions and return paths each in alphabetical order; fewer if there are not so many.

    >>> print(next(flwors(BOOK, FlworParameters(seed=3))))
    for $x in /book//section where $x/figure/title = "9" return <result>{$x/section}{$x/section/p}</result>
    """
    made = _Maker(schema, parameters or FlworParameters())
    seen: set[str] = set()
    repeated = 0
    while len(seen) < made.wanted.number and repeated < _PATIENCE:
        query = made.query()
        if query in seen:
            repeated += 1
        else:
            repeated = 0
            seen.add(query)
            yield query


class _Maker:
    def __init__(self, schema: Schema, wanted: FlworParameters) -> None:
        self.schema = schema
        self.wanted = wanted
        self.rng = Random(wanted.seed)

    def query(self) -> str:
        wanted = self.wanted
        element, binding = self.binding()
        conditions = {self.condition(element) for _ in range(wanted.predicates)}
        returned = {self.returned(element) for _ in range(wanted.returns)}
        where = " and ".join(sorted(conditions))
        holes = "".join(f"{{$x{path}}}" for path in sorted(returned))
        return f"for $x in {binding} where {where} return <result>{holes}</result>"

    def axis(self) -> str:
        return "//" if self.rng.random() < self.wanted.closure else "/"

    def binding(self) -> tuple[str, str]:
        """An element, not the root, and a path to it; one that conditions and return paths can start from."""
        while True:
            name = self.schema.root
            path = self.axis() + name
            for _ in range(self.rng.randint(2, self.wanted.depth) - 1):
                children = self.schema.elements[name].children
                if not children:
                    break
                name = self.rng.choice(children)
                path += self.axis() + name
            if self.schema.elements[name].children:
                return name, path

    def walk(self, element: str, steps: int) -> tuple[str, str]:
        path = ""
        for _ in range(steps):
            children = self.schema.elements[element].children
            if not children:
                break
            element = self.rng.choice(children)
            path += self.axis() + element
        return element, path

    def condition(self, element: str) -> str:
        """An element with text, or an attribute, has a value."""
        while True:
            last, path = self.walk(element, self.rng.randint(1, self.wanted.inner_depth))
            declared = self.schema.elements[last]
            targets = [path] if declared.has_text and path else []
            targets += [f"{path}/@{name}" for name in declared.attributes]
            if targets:
                return f'$x{self.rng.choice(targets)} = "{self.rng.randint(1, self.wanted.max_value)}"'

    def returned(self, element: str) -> str:
        return self.walk(element, self.rng.randint(1, self.wanted.inner_depth))[1]
