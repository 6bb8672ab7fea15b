"""What `explain` says of each path of a query: what could come twice or out of order, and what is done about it.

An index finds the bindings of the first `for`, or of several that are one pattern, and decides some conditions; the
evaluator does the rest.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

from penstock.plan.xquery import normal
from penstock.plan.xquery.claims import may_nest
from penstock.plan.xquery.predicates import without_predicates
from penstock.plan.xquery.sorting import Sorting, sorting
from penstock.plan.xquery.starts import DOCUMENT, UNKNOWN, Start

_FOUND = "the index gives each once, in document order"
_ASKED = "the index only asks whether one fits"
_FIRST = "the evaluator stops at the first"
# The first node of a path is all that these ask for.
_TRUTHS = frozenset(("not", "boolean", "exists", "empty"))
_SETS = {normal.Union: "their union", normal.Intersect: "their intersection", normal.Except: "their difference"}
_SET_ARISES = "may come twice and out of order (no claim is about several paths)"


def path_lines(expr: normal.Expr, left: normal.Expr | None) -> tuple[str, ...]:
    r"""A line for each path of a query, in its order.

    `left` is what an index that finds the bindings leaves to the evaluator; None if it leaves everything.

    >>> from penstock.plan.xquery.build import build
    >>> from penstock.syntax.xquery.prolog import parse
    >>> for line in path_lines(build(parse("for $i in 1 to 3 return //b//c"), {}), None):
    ...     print(*line.split("; "), sep="\n")
    return /descendant::b/descendant::c: may come twice (more than one //), may come out of order (a step after //)
    the evaluator sorts and removes duplicates where a step has several starts
    """
    found = None if left is None else _indexed(expr)
    reader = _Reader(found, None if left is None else _indexed(left))
    reader.read(expr, _Place({}, DOCUMENT))
    return tuple(reader.lines)


def _indexed(expr: normal.Expr) -> normal.Expr:
    """The part of a query whose bindings an index finds: all of it, or what a constructor encloses."""
    match expr:
        case normal.UnlessBarren(constructor=normal.Element(content=content)):
            return next((part.flwor for part in content if isinstance(part, normal.Yielding)), expr)
        case _:
            return expr


@dataclass(frozen=True, slots=True)
class _Place:
    """Where an expression stands: what the variables and the context are there, and what it is part of.

    `asked`: a condition that the index decides. `truth`: one whose truth is all that is asked for.
    """

    variables: dict[str, Start]
    context: Start
    role: str = ""
    asked: bool = False
    truth: bool = False

    def start(self, expr: normal.Expr) -> Start:
        """The nodes of an expression, as far as a path leads there."""
        match expr:
            case normal.Root():
                return DOCUMENT
            case normal.Context():
                return self.context
            case normal.Variable():
                return self.variables.get(expr.name, UNKNOWN)
            case normal.Path():
                return self.start(expr.start).along(expr.steps)
            case normal.Filter():
                return self.start(expr.base).written("(...)/")
            case _:
                return UNKNOWN

    def bind(self, name: str, start: Start) -> _Place:
        """With one more variable."""
        return dataclasses.replace(self, variables={**self.variables, name: start.written(f"${name}/")})

    def within(self, context: Start) -> _Place:
        """With another context."""
        return dataclasses.replace(self, context=context)

    def value(self) -> _Place:
        """As something whose value is asked for."""
        return dataclasses.replace(self, truth=False)

    def condition(self) -> _Place:
        """As something whose truth is asked for."""
        return dataclasses.replace(self, truth=True)

    def part(self, role: str, *, asked: bool = False) -> _Place:
        """As part of a clause."""
        return dataclasses.replace(self, role=role, asked=asked, truth=False)


class _Reader:
    """Reads a query from left to right."""

    def __init__(self, found: normal.Expr | None, left: normal.Expr | None) -> None:
        # Each line once, in order.
        self.lines: dict[str, None] = {}
        self._found = found
        self._left = left

    def read(self, node: Any, place: _Place) -> None:
        """Says what there is to say of the paths in an expression, or in several."""
        if self._found is not None and node is self._found:
            self._found = None
            self._read_found(node, place)
            return
        match node:
            case tuple():
                for one in node:
                    self.read(one, place)
            case normal.Path():
                self._path(node, place)
            case normal.Filter():
                self.read(node.base, place.value())
                self._predicates(node.predicates, place.start(node.base), "(...)", place)
            case normal.Each() | normal.Mapped():
                self.read(node.base, place.value())
                self.read(node.step, place.value().within(_each_of(node.base, place)))
            case normal.Union() | normal.Intersect() | normal.Except():
                self.read(node.args if isinstance(node, normal.Union) else (node.left, node.right), place.value())
                self.lines[f"{place.role}{_SETS[type(node)]}: {_SET_ARISES}; {Sorting.ALWAYS.value}"] = None
            case normal.And() | normal.Or():
                self.read(node.args, place.condition())
            case normal.Call(name=name, args=(arg,)) if name in _TRUTHS:
                self.read(arg, place.condition())
            case normal.If():
                self.read(node.condition, place.condition())
                self.read((node.then, node.otherwise), place.value())
            case normal.Quantified():
                role = f"{'every' if node.every else 'some'} ${node.variable} in "
                self.read(node.domain, place.part(role, asked=place.asked))
                self.read(node.satisfies, place.bind(node.variable, place.start(node.domain).one_by_one()).condition())
            case normal.Flwor():
                self._flwor(node, place, None)
            case _ if dataclasses.is_dataclass(node):
                for field in dataclasses.fields(node):
                    self.read(getattr(node, field.name), place.value())

    def _read_found(self, node: Any, place: _Place) -> None:
        match node, self._left:
            case normal.Flwor(), normal.Flwor() as left:
                self._flwor(without_predicates(node), place, left)
            case _:
                self._found_paths(node, place, _FOUND)

    # Paths

    def _path(self, path: normal.Path, place: _Place, done: str | None = None, besides: str = "") -> None:
        start = place.start(path.start)
        self.read(path.start, place.value())
        done = _done(path, start, place) if done is None else done
        self.lines[f"{place.role}{start.text(path.steps)}: {start.arises(path.steps)}; {done}{besides}"] = None
        for number, step in enumerate(path.steps, 1):
            steps = path.steps[:number]
            self._predicates(step.predicates, start.along(steps), start.text(steps), place)

    def _found_paths(self, domain: normal.Expr, place: _Place, done: str) -> None:
        """A path, or a union of some, that the index follows, and asks their predicates."""
        asking = dataclasses.replace(place, asked=True)
        for path in domain.args if isinstance(domain, normal.Union) else (domain,):
            if isinstance(path, normal.Path):
                self._path(path, asking, done)

    def _predicates(self, predicates: tuple[normal.Expr, ...], start: Start, text: str, place: _Place) -> None:
        context = start.one_by_one().written(f"{text}[", "]")
        self.read(predicates, place.within(context).condition())

    # FLWOR

    def _flwor(self, flwor: normal.Flwor, place: _Place, left: normal.Flwor | None) -> None:
        """`left`: what an index leaves of the FLWOR; None if it does not help."""
        patterned = 0 if left is None else len(_loops(flwor)) - len(_loops(left)) + 1
        unasked = None if left is None else _left_conditions(left)
        loops = 0
        for number, clause in enumerate(flwor.clauses):
            match clause:
                case normal.For():
                    loops += 1
                    if loops <= patterned:
                        last = "" if loops == patterned else _loops(flwor)[patterned - 1].variable
                        self._patterned(clause, place, last)
                    else:
                        follows = loops == patterned + 1 > 1
                        self._loop(
                            clause, place, _why_apart(clause, flwor.clauses[number - 1], place) if follows else ""
                        )
                    place = place.bind(clause.variable, place.start(clause.domain).one_by_one())
                case normal.Let():
                    self.read(clause.value, place.part(f"let ${clause.variable} := "))
                    place = place.bind(clause.variable, place.start(clause.value))
                case normal.Where():
                    for condition in _conditions(clause):
                        asked = unasked is not None and condition not in unasked
                        self.read(condition, place.part("where ", asked=asked).condition())
                case normal.OrderBy():
                    self.read(clause.keys, place.part("order by "))
                case normal.GroupBy():
                    for name in _bound(flwor.clauses[:number]):
                        # From here on it has the values of all tuples of a group.
                        place = place.bind(name, UNKNOWN)
        self.read(flwor.returned, place.part("return "))

    def _patterned(self, clause: normal.For, place: _Place, last: str) -> None:
        """A loop whose bindings the index finds; or those of `last`, to which it leads."""
        self._found_paths(
            clause.domain, place.part(_role(clause)), f"part of the pattern of ${last}" if last else _FOUND
        )

    def _loop(self, clause: normal.For, place: _Place, why: str) -> None:
        if isinstance(clause.domain, normal.Path):
            self._path(clause.domain, place.part(_role(clause)), besides=why)
        else:
            self.read(clause.domain, place.part(_role(clause)))


def _done(path: normal.Path, start: Start, place: _Place) -> str:
    if place.asked:
        return _ASKED
    # A path from the document is worked out once, and whole.
    if not place.truth or isinstance(path.start, normal.Root):
        return sorting(path.steps, several=start.several).value
    before = sorting(path.steps[:-1], several=start.several)
    return _FIRST if before is Sorting.NOTHING else f"{before.value}, and stops at the first node of the last step"


def _each_of(base: normal.Expr, place: _Place) -> Start:
    """The context of a step that is an expression."""
    start = place.start(base).one_by_one()
    if isinstance(base, normal.Path):
        return start.written(f"{place.start(base.start).text(base.steps)}/")
    return start


def _why_apart(clause: normal.For, before: normal.Clause, place: _Place) -> str:
    """Why a loop over what is below the bindings just found is not one pattern with them, if the claims forbid that."""
    match clause, before:
        case (
            normal.For(position=None, domain=normal.Path(start=normal.Variable(name=name) as start)),
            normal.For(variable=outer, position=None),
        ) if name == outer:
            binding = place.start(start).binding
            if binding and may_nest(binding):
                return f"; not one pattern with ${outer}, whose nodes may hold one another (//: no claim 4)"
    return ""


def _role(clause: normal.For) -> str:
    return f"${clause.variable} in " if clause.position is None else f"${clause.variable} at ${clause.position} in "


def _loops(flwor: normal.Flwor) -> list[normal.For]:
    return [clause for clause in flwor.clauses if isinstance(clause, normal.For)]


def _bound(clauses: tuple[normal.Clause, ...]) -> list[str]:
    return [clause.variable for clause in clauses if isinstance(clause, normal.For | normal.Let)]


def _conditions(clause: normal.Where) -> tuple[normal.Expr, ...]:
    return clause.condition.args if isinstance(clause.condition, normal.And) else (clause.condition,)


def _left_conditions(left: normal.Flwor) -> list[normal.Expr]:
    return [one for clause in left.clauses if isinstance(clause, normal.Where) for one in _conditions(clause)]
