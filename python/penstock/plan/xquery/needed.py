"""Conditions of XQuery as XPath that an index decides: the same where possible, else what must hold for them.

A condition that fails is no condition that is false: the query has no value then, and whoever subscribed is told. So
what is asked of a node here holds of every node on which the condition is true, or fails.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING

from penstock.plan import normal as xpath
from penstock.plan.counting import FLIPPED
from penstock.plan.xquery import normal
from penstock.plan.xquery.types import may_be_position

if TYPE_CHECKING:
    from collections.abc import Mapping

_DOWNWARD = frozenset(("child", "descendant", "attribute"))
_PARTS = frozenset(("contains", "starts-with", "ends-with"))
_NUMBERS = frozenset(("integer", "decimal", "double"))
# Integers beyond are not doubles.
_GREATEST = 2**53


@dataclass(frozen=True, slots=True)
class Needed:
    """`condition` holds of every node on which the expression is true or fails; None says nothing of a node.

    `exact`: it holds of no other, and the expression cannot fail. That is so only as long as the values of `doubts`,
    paths from the node, are plain numerals.
    """

    condition: xpath.Expr | None
    exact: bool
    may_fail: bool
    doubts: tuple[xpath.Path, ...] = ()


@dataclass(frozen=True, slots=True)
class Way:
    """The steps of a path, or as many as can be asked for; `exact` if they are all and select the same nodes."""

    steps: tuple[xpath.Step, ...]
    exact: bool
    may_fail: bool = False


UNKNOWN = Needed(None, exact=False, may_fail=True)


@dataclass(frozen=True, slots=True)
class Subject:
    """The node that is spoken of: a variable's value, or the context. `paths` are variables that stand for paths."""

    variable: str | None
    paths: Mapping[str, normal.Expr]
    untyped: bool = False

    def way(self, expr: normal.Expr) -> Way | None:
        """The way from the subject to the nodes of an expression; None if it does not start there."""
        match expr:
            case normal.Variable(name=name) if name == self.variable:
                return Way((), exact=True)
            case normal.Context() if self.variable is None:
                return Way((), exact=True)
            case normal.Variable(name=name) if name in self.paths:
                return self.way(self.paths[name])
            case normal.Path():
                start = self.way(expr.start)
                if start is None or not start.exact:
                    return start
                rest = way(expr.steps, self.paths)
                return Way((*start.steps, *rest.steps), rest.exact, rest.may_fail)
            case normal.Call(name="data" | "string", args=(inner,)):
                found = self.way(inner)
                # `string` asks for one node, `data` for any number.
                return found if expr.name == "data" or (found is not None and not found.steps) else None
            case _:
                return None


def way(steps: tuple[normal.Step, ...], paths: Mapping[str, normal.Expr]) -> Way:
    """Steps downward, until one that an index cannot follow, or whose predicates may fail."""
    kept: list[xpath.Step] = []
    exact = True
    for place, step in enumerate(steps):
        joined = _any_descendant(steps, place)
        if step.axis not in _DOWNWARD and not joined:
            return Way(tuple(kept), exact=False)
        if joined:
            kept.append(xpath.Step(step.axis, step.test))
            continue
        predicates, same, may_fail = _predicates(step, paths)
        kept.append(xpath.Step(step.axis, step.test, predicates))
        exact = exact and same
        if may_fail:
            return Way(tuple(kept), exact=False, may_fail=True)
    return Way(tuple(kept), exact)


def _any_descendant(steps: tuple[normal.Step, ...], place: int) -> bool:
    """`descendant-or-self::node()/child::a[1]` counts among siblings, and stays in two steps."""
    match steps[place : place + 2]:
        case (normal.Step("descendant-or-self", normal.KindTest("node"), ()), normal.Step(axis="child")):
            return True
        case _:
            return False


def _predicates(step: normal.Step, paths: Mapping[str, normal.Expr]) -> tuple[tuple[xpath.Expr, ...], bool, bool]:
    kept: list[xpath.Expr] = []
    exact = True
    for predicate in step.predicates:
        if may_be_position(predicate):
            position = _position(predicate)
            # What counts among fewer nodes than before counts other nodes.
            if position is None:
                return tuple(kept), False, True
            if not exact:
                continue
            kept.append(position)
            continue
        one = needed(predicate, Subject(None, paths))
        if one.condition is not None:
            kept.append(one.condition)
        exact = exact and one.exact
        if one.may_fail:
            return tuple(kept), False, True
    return tuple(kept), exact, False


def _position(predicate: normal.Expr) -> xpath.Expr | None:
    match predicate:
        case normal.Constant(type="integer", value=value):
            return xpath.Number(float(value))
        case normal.Call(name="last"):
            return xpath.Call("last", ())
        case _:
            return None


def needed(expr: normal.Expr, subject: Subject, *, numbers: bool = False) -> Needed:
    """What must hold of the subject; `numbers`: comparisons with numbers may be exact but for doubts."""
    match expr:
        case normal.And():
            return _all(tuple(needed(arg, subject) for arg in expr.args))
        case normal.Or():
            return _some(tuple(needed(arg, subject) for arg in expr.args))
        case normal.Call(name="not" | "empty", args=(arg,)):
            inner = needed(normal.Call("exists", (arg,)) if expr.name == "empty" else arg, subject)
            if inner.exact and inner.condition is not None:
                return Needed(xpath.Call("not", (inner.condition,)), exact=True, may_fail=False)
            return Needed(None, exact=False, may_fail=inner.may_fail)
        case normal.Call(name="boolean", args=(arg,)):
            return needed(arg, subject)
        case normal.Call(name="exists", args=(arg,)) | (normal.Path() | normal.Variable() as arg):
            return _exists(subject.way(arg)) or UNKNOWN
        case normal.Call(name=name, args=(arg, normal.Constant(type="string", value=value))) if name in _PARTS:
            return _part(name, subject.way(arg), value)
        case normal.Compare():
            return _compared(expr, subject, numbers=numbers)
        case normal.CompareValues():
            return _compared_values(expr, subject)
        case normal.Quantified(every=False):
            return _quantified(expr, subject)
        case _:
            return UNKNOWN


def _all(args: tuple[Needed, ...]) -> Needed:
    """Read from left to right: what comes after a failure is not asked."""
    conditions: list[xpath.Expr] = []
    for arg in args:
        if arg.condition is not None:
            conditions.append(arg.condition)
        if arg.may_fail:
            break
    condition = conditions[0] if len(conditions) == 1 else xpath.And(tuple(conditions)) if conditions else None
    return Needed(condition, all(arg.exact for arg in args), any(arg.may_fail for arg in args))


def _some(args: tuple[Needed, ...]) -> Needed:
    conditions = [arg.condition for arg in args if arg.condition is not None]
    condition = xpath.Or(tuple(conditions)) if len(conditions) == len(args) else None
    return Needed(condition, all(arg.exact for arg in args), any(arg.may_fail for arg in args))


def _exists(way: Way | None) -> Needed | None:
    if way is None:
        return None
    return Needed(_path(way.steps), way.exact, way.may_fail)


def _path(steps: tuple[xpath.Step, ...]) -> xpath.Path | None:
    return xpath.Path(xpath.Context(), steps) if steps else None


def _compared(expr: normal.Compare, subject: Subject, *, numbers: bool) -> Needed:
    comparison, left, right = expr.comparison, expr.left, expr.right
    if isinstance(left, normal.Constant):
        comparison, left, right = FLIPPED[comparison], right, left
    found = subject.way(left)
    if found is None:
        return UNKNOWN
    loosened = Needed(_path(found.steps), exact=False, may_fail=True)
    if not isinstance(right, normal.Constant):
        other = subject.way(right)
        if other is None:
            return loosened
        # Untyped values are compared as strings: nothing can fail but the paths.
        both = [path for path in (_path(found.steps), _path(other.steps)) if path is not None]
        there: xpath.Expr | None = xpath.And(tuple(both)) if len(both) > 1 else both[0] if both else None
        needed_paths = loosened.condition if found.may_fail else there
        return Needed(needed_paths, exact=False, may_fail=found.may_fail or other.may_fail)
    target = _path(found.steps) or xpath.Context()
    if right.type == "string":
        if comparison in ("=", "!="):
            condition = xpath.Compare(comparison, target, xpath.String(right.value))
            return Needed(condition if found.exact else _path(found.steps), found.exact, found.may_fail)
        return Needed(_path(found.steps), exact=False, may_fail=found.may_fail)
    untyped = _gives_untyped(found.steps, subject)
    if right.type in _NUMBERS and numbers and found.exact and untyped and _is_double(right):
        condition = xpath.Compare(comparison, target, xpath.Number(float(right.value)))
        doubt = target if isinstance(target, xpath.Path) else xpath.Path(target, (_SELF,))
        return Needed(condition, exact=True, may_fail=False, doubts=(doubt,))
    return loosened


_SELF = xpath.Step("self", xpath.KindTest("node"))


def _gives_untyped(steps: tuple[xpath.Step, ...], subject: Subject) -> bool:
    """Comments and instructions are strings, and are not compared with numbers."""
    if not steps:
        return subject.untyped
    test = steps[-1].test
    return isinstance(test, xpath.NameTest) or test.kind == "text"


def _is_double(constant: normal.Constant) -> bool:
    return constant.type != "integer" or abs(int(constant.value)) <= _GREATEST


def _compared_values(expr: normal.CompareValues, subject: Subject) -> Needed:
    """One value at most on either side, else it fails; none is neither true nor a failure."""
    left, right = (expr.right, expr.left) if isinstance(expr.left, normal.Constant) else (expr.left, expr.right)
    found = subject.way(left)
    if found is None:
        return UNKNOWN
    is_string = isinstance(right, normal.Constant) and right.type == "string"
    if is_string and expr.comparison in ("=", "!=") and found.exact and _is_single(found):
        target = _path(found.steps) or xpath.Context()
        value = xpath.String(right.value) if isinstance(right, normal.Constant) else xpath.String("")
        return Needed(xpath.Compare(expr.comparison, target, value), exact=True, may_fail=False)
    return Needed(_path(found.steps), exact=False, may_fail=True)


def _is_single(way: Way) -> bool:
    """Whether a node has one such node at most."""
    match way.steps:
        case ():
            return True
        case (xpath.Step("attribute", xpath.NameTest(uri=str(), local=str())),):
            return True
        case _:
            return False


def _part(name: str, found: Way | None, value: str) -> Needed:
    """`contains` and its like take one string at most; an empty one holds nothing but the empty string."""
    if found is None or not value:
        return UNKNOWN
    if found.exact and _is_single(found):
        target = _path(found.steps) or xpath.Context()
        return Needed(xpath.Call(name, (target, xpath.String(value))), exact=True, may_fail=False)
    return Needed(_path(found.steps), exact=False, may_fail=True)


def _quantified(expr: normal.Quantified, subject: Subject) -> Needed:
    """`some $x in path satisfies condition` is `path[condition]`."""
    found = subject.way(expr.domain)
    if found is None:
        return UNKNOWN
    if not found.exact or not found.steps:
        return Needed(_path(found.steps), exact=False, may_fail=True)
    inner = needed(expr.satisfies, Subject(expr.variable, {}))
    steps = found.steps if inner.condition is None else with_predicate(found.steps, inner.condition)
    return Needed(_path(steps), inner.exact, inner.may_fail)


def with_predicate(steps: tuple[xpath.Step, ...], condition: xpath.Expr) -> tuple[xpath.Step, ...]:
    """The steps with one more predicate on the last."""
    last = dataclasses.replace(steps[-1], predicates=(*steps[-1].predicates, condition))
    return (*steps[:-1], last)
