"""When everything that an expression can ask for has been read, seen from the node it is evaluated on."""

from __future__ import annotations

from enum import IntEnum

from penstock.plan import normal
from penstock.plan.types import operands


class Reach(IntEnum):
    """The event at which an expression's value is certain; a later one includes the earlier."""

    START = 0
    END = 1
    PARENT = 2
    DOCUMENT = 3


class _Place(IntEnum):
    """Where the nodes of a path lie, seen from the context node."""

    SELF = 0
    ATTRIBUTE = 1
    INSIDE = 2
    ABOVE = 3
    SIBLING = 4
    ELSEWHERE = 5


# The reach of nodes that are only counted or named, and of nodes whose content is asked for.
_SEEN = {
    _Place.SELF: Reach.START,
    _Place.ATTRIBUTE: Reach.START,
    _Place.INSIDE: Reach.END,
    _Place.ABOVE: Reach.START,
    _Place.SIBLING: Reach.PARENT,
    _Place.ELSEWHERE: Reach.DOCUMENT,
}
_READ = _SEEN | {_Place.SELF: Reach.END, _Place.ABOVE: Reach.DOCUMENT}

# Functions that ask their argument only for its nodes' existence, number or names.
_LOOK_ONLY = {"boolean", "not", "exists", "empty", "count", "name", "local-name", "namespace-uri"}

_FROM_SELF: dict[normal.Axis, _Place] = {
    "child": _Place.INSIDE,
    "descendant": _Place.INSIDE,
    "self": _Place.SELF,
    "attribute": _Place.ATTRIBUTE,
    "namespace": _Place.ATTRIBUTE,
    "parent": _Place.ABOVE,
    "ancestor": _Place.ABOVE,
    "following-sibling": _Place.SIBLING,
    "preceding-sibling": _Place.SIBLING,
}
_INSIDE_AXES = {
    "child",
    "descendant",
    "descendant-or-self",
    "self",
    "attribute",
    "namespace",
    "following-sibling",
    "preceding-sibling",
}


def reach_of(expr: normal.Expr, *, content: bool = False) -> Reach:
    """The reach of an expression's value; with `content` also of the nodes it gives, whole.

    `position()` and `last()` of the expression's own context count as known: the caller supplies them.
    """
    return _Reach().expression(expr, content)


class _Reach:
    def __init__(self) -> None:
        self._variables: dict[str, tuple[_Place, ...]] = {}

    def expression(self, expr: normal.Expr, content: bool) -> Reach:
        match expr:
            case (
                normal.Context() | normal.Root() | normal.Path() | normal.Filter() | normal.Union() | normal.Variable()
            ):
                places, reach = self._nodes(expr)
                table = _READ if content else _SEEN
                return max([reach, *(table[place] for place in places)])
            case normal.Call(name="id"):
                return Reach.DOCUMENT
            case normal.Call():
                reads = expr.name not in _LOOK_ONLY
                return max((self.expression(arg, reads) for arg in expr.args), default=Reach.START)
            case normal.Or() | normal.And():
                return max(self.expression(arg, content=False) for arg in expr.args)
            case normal.If():
                branches = max(self.expression(expr.then, content), self.expression(expr.otherwise, content))
                return max(self.expression(expr.condition, content=False), branches)
            case normal.Quantified():
                places, reach = self._nodes(expr.domain)
                self._variables[expr.variable] = places
                return max([reach, self.expression(expr.satisfies, content=False), *(_SEEN[place] for place in places)])
            case _:
                return max((self.expression(arg, content=True) for arg in operands(expr)), default=Reach.START)

    def _nodes(self, expr: normal.Expr) -> tuple[tuple[_Place, ...], Reach]:
        """Where the nodes lie, and what had to be known to find them."""
        match expr:
            case normal.Context():
                return (_Place.SELF,), Reach.START
            case normal.Variable():
                return self._variables.get(expr.name, (_Place.ELSEWHERE,)), Reach.START
            case normal.Path():
                places, reach = self._nodes(expr.start)
                for step in expr.steps:
                    places = tuple({after for place in places for after in _walk(place, step.axis)})
                    reach = max(
                        [reach, *(_SEEN[place] for place in places), *self._predicates(step.predicates, places)]
                    )
                return places, reach
            case normal.Filter():
                places, reach = self._nodes(expr.base)
                return places, max(
                    [reach, *(_SEEN[place] for place in places), *self._predicates(expr.predicates, places)]
                )
            case normal.Union():
                found = [self._nodes(arg) for arg in expr.args]
                return tuple({place for places, _ in found for place in places}), max(reach for _, reach in found)
            case _:
                return (_Place.ELSEWHERE,), Reach.DOCUMENT

    def _predicates(self, predicates: tuple[normal.Expr, ...], places: tuple[_Place, ...]) -> list[Reach]:
        """A predicate's reach is seen from the node it is asked of."""
        found: list[Reach] = []
        for predicate in predicates:
            inner = _Reach()
            inner._variables = dict.fromkeys(self._variables, (_Place.ELSEWHERE,))
            own = inner.expression(predicate, content=False)
            found.extend(_outward(own, place) for place in places)
        return found


def _outward(reach: Reach, place: _Place) -> Reach:
    """What `reach` seen from a node at `place` means seen from the context node."""
    if reach == Reach.START or place in (_Place.SELF, _Place.ELSEWHERE):
        return max(reach, _SEEN[place]) if place != _Place.SELF else reach
    if place in (_Place.INSIDE, _Place.ATTRIBUTE):
        # The parent of a node inside is the context node at most.
        return Reach.END if reach in (Reach.END, Reach.PARENT) else Reach.DOCUMENT
    if place == _Place.SIBLING:
        return Reach.PARENT if reach in (Reach.END, Reach.PARENT) else Reach.DOCUMENT
    return Reach.DOCUMENT


def _walk(place: _Place, axis: normal.Axis) -> tuple[_Place, ...]:
    match place:
        case _Place.SELF:
            if axis == "descendant-or-self":
                return (_Place.SELF, _Place.INSIDE)
            if axis == "ancestor-or-self":
                return (_Place.SELF, _Place.ABOVE)
            return (_FROM_SELF.get(axis, _Place.ELSEWHERE),)
        case _Place.ATTRIBUTE:
            return (place,) if axis in ("self", "descendant-or-self") else (_Place.ELSEWHERE,)
        case _Place.INSIDE:
            if axis in _INSIDE_AXES:
                return (place,)
            if axis == "parent":
                return (_Place.SELF, place)
            if axis in ("ancestor", "ancestor-or-self"):
                return (_Place.SELF, place, _Place.ABOVE)
            return (_Place.ELSEWHERE,)
        case _Place.ABOVE:
            if axis in ("self", "parent", "ancestor", "ancestor-or-self"):
                return (place,)
            return (_Place.ATTRIBUTE,) if axis in ("attribute", "namespace") else (_Place.ELSEWHERE,)
        case _Place.SIBLING:
            if axis in _INSIDE_AXES:
                return (place,)
            return (_Place.ABOVE, place) if axis == "parent" else (_Place.ELSEWHERE,)
        case _:
            return (_Place.ELSEWHERE,)
