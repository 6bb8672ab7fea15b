"""Shapes: queries with slots where their constants go."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, NamedTuple

from penstock.generate.descent import Descent

if TYPE_CHECKING:
    from random import Random

    from penstock.generate.queries import Parameters, Range
    from penstock.generate.structure import Element, Field, Structure

Kind = Literal["whole", "numbers", "words", "openings"]
_DRAWS, _ATTEMPTS = 100, 300
_COMPARISONS = ("<", "<=", ">", ">=")
_DEEPER = 0.5
"""How likely a closure goes down one more level than it has to."""


class Slot(NamedTuple):
    """Where a constant goes, and those that may go there, most frequent first."""

    ranked: tuple[str, ...]
    is_number: bool


class Shape(NamedTuple):
    """A query with `%s` for each slot; names of XML have no percent sign."""

    template: str
    slots: tuple[Slot, ...]


@dataclass(slots=True)
class _Piece:
    """A step of the path, or a whole nested path: its text so far, the slots in it, and the element it leads to."""

    text: str
    element: Element
    slots: list[Slot] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)


class Shapes:
    """Makes shapes, each by a walk of its own."""

    def __init__(self, structure: Structure, parameters: Parameters, rng: Random) -> None:
        self._roots = list(structure.roots)
        self._parameters = parameters
        self._random = rng.random
        self._choose = Descent(rng).choose

    def make(self) -> Shape:
        """One shape; ValueError if the structure has hardly any with these parameters."""
        # What is asked for is drawn before the attempts: otherwise what succeeds easily would become more frequent.
        # Only what the structure has nowhere (numbers, say) is given up.
        for _ in range(_DRAWS):
            branches = self._between(self._parameters.nested)
            kinds = [self._kind() for _ in range(self._between(self._parameters.predicates))]
            for _ in range(_ATTEMPTS):
                shape = self._attempt(branches, kinds)
                if shape is not None:
                    return shape
        raise ValueError("these parameters ask for more than the structure has: shorter paths, fewer predicates?")

    def _attempt(self, branches: int, kinds: list[Kind]) -> Shape | None:
        steps = self._walk(self._roots, self._parameters.length)
        if steps is None:
            return None
        nested = []
        for _ in range(branches):
            step = steps[int(len(steps) * self._random())]
            branch = self._branch(step.element)
            if branch is None:
                return None
            nested.append((step, branch))
        places = [*steps, *(branch for _, branch in nested)]
        for kind in kinds:
            if not self._add_predicate(places[int(len(places) * self._random())], kind):
                return None
        for step, branch in nested:
            step.text += f"[{branch.text}]"
            step.slots += branch.slots
        return Shape("".join(step.text for step in steps), tuple(slot for step in steps for slot in step.slots))

    def _walk(self, choices: list[Element], length: Range) -> list[_Piece] | None:
        """Downwards from one of `choices`; None if there is no way to go as far as it must."""
        random, wildcard, closure = self._random, self._parameters.wildcard, self._parameters.closure
        steps = []
        for left in range(self._between(length), 0, -1):
            if not choices:
                break
            element = self._choose(choices, left)
            separator = "/"
            if random() < closure:
                separator = "//"
                while element.children and random() < _DEEPER:
                    element = self._choose(element.children, left)
            steps.append(_Piece(separator + ("*" if random() < wildcard else element.name), element))
            choices = element.children
        return steps if len(steps) >= length[0] else None

    def _branch(self, element: Element) -> _Piece | None:
        steps = self._walk(element.children, self._parameters.nested_length)
        if not steps:
            return None
        text = "".join(step.text for step in steps)
        return _Piece(f".{text}" if text.startswith("//") else text[1:], steps[-1].element)

    def _add_predicate(self, place: _Piece, kind: Kind) -> bool:
        least = self._parameters.min_values
        fields = [
            one for one in place.element.fields if len(getattr(one, kind)) >= least and one.path not in place.asked
        ]
        if not fields:
            return False
        chosen = fields[int(len(fields) * self._random())]
        # Two constants for one value would rarely agree.
        place.asked.append(chosen.path)
        place.text += f"[{self._condition(chosen, kind)}]"
        place.slots.append(Slot(getattr(chosen, kind), kind == "numbers"))
        return True

    def _condition(self, chosen: Field, kind: Kind) -> str:
        if kind in ("whole", "numbers"):
            comparison = "=" if kind == "whole" else _COMPARISONS[int(len(_COMPARISONS) * self._random())]
            return f"{chosen.path or 'text()'} {comparison} %s"
        function = "contains" if kind == "words" else "starts-with"
        if chosen.path.startswith("@"):
            return f"{function}({chosen.path}, %s)"
        # A function's argument is one node; which of several children is meant should not matter.
        return f"{chosen.path}[{function}(., %s)]" if chosen.path else f"{function}(., %s)"

    def _kind(self) -> Kind:
        parameters = self._parameters
        draw = self._random()
        shares: tuple[tuple[Kind, float], ...] = (
            ("numbers", parameters.number_share),
            ("words", parameters.contains_share),
            ("openings", parameters.starts_share),
        )
        for kind, share in shares:
            if draw < share:
                return kind
            draw -= share
        return "whole"

    def _between(self, bounds: Range) -> int:
        least, most = bounds
        return least + int((most - least + 1) * self._random()) if most > least else least
