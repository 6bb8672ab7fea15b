"""Constructors that keep the normal form normal: the same meaning, fewest and plainest steps."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from penstock.plan import normal
from penstock.plan.types import is_positional, type_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

ANY_NODE = normal.KindTest("node")

# What an axis becomes after descendant-or-self::node(), for steps whose predicates do not count positions.
_AFTER_ANY_DESCENDANT: dict[normal.Axis, normal.Axis] = {
    "child": "descendant",
    "descendant": "descendant",
    "self": "descendant-or-self",
    "descendant-or-self": "descendant-or-self",
}


def path(start: normal.Expr, steps: Sequence[normal.Step]) -> normal.Expr:
    """Steps from a node-set: one path where there were several, `//` fused with its step, `.` left out."""
    if isinstance(start, normal.Path):
        steps = (*start.steps, *steps)
        start = start.start
    kept: list[normal.Step] = []
    after_any = False
    for step in steps:
        if step.axis == "self" and step.test == ANY_NODE and not step.predicates:
            continue
        axis = _AFTER_ANY_DESCENDANT.get(step.axis) if after_any else None
        if axis is None or any(map(is_positional, step.predicates)):
            kept.append(step)
        else:
            kept[-1] = normal.Step(axis, step.test, step.predicates)
        last = kept[-1]
        after_any = last.axis == "descendant-or-self" and last.test == ANY_NODE and not last.predicates
    return normal.Path(start, tuple(kept)) if kept else start


def filtered(base: normal.Expr, predicates: Sequence[normal.Expr]) -> normal.Expr:
    """Predicates on a node-set. Those that do not count positions move into the last step: `(//a)[b]` is `//a[b]`."""
    if isinstance(base, normal.Filter):
        predicates = (*base.predicates, *predicates)
        base = base.base
    movable = 0
    if isinstance(base, normal.Path):
        while movable < len(predicates) and not is_positional(predicates[movable]):
            movable += 1
        last = base.steps[-1]
        moved = dataclasses.replace(last, predicates=(*last.predicates, *predicates[:movable]))
        base = normal.Path(base.start, (*base.steps[:-1], moved))
    rest = tuple(predicates[movable:])
    return normal.Filter(base, rest) if rest else base


def truth(expr: normal.Expr) -> normal.Expr:
    """An expression of which only the effective boolean value is asked: `boolean()` around it says nothing."""
    while isinstance(expr, normal.Call) and expr.name == "boolean":
        expr = expr.args[0]
    return expr


def predicate(expr: normal.Expr) -> normal.Expr:
    """As `truth`, but a number would become a position, so `boolean()` around one stays."""
    if isinstance(expr, normal.Path | normal.Compare):
        return expr
    inner = truth(expr)
    return inner if type_of(inner) in ("nodes", "boolean", "string") else expr


def flattened(
    kind: type[normal.And] | type[normal.Or] | type[normal.Union], args: Iterable[normal.Expr]
) -> normal.And | normal.Or | normal.Union:
    """`and`, `or` or `|`, with operands of the same kind taken in."""
    flat: list[normal.Expr] = []
    for arg in args:
        if isinstance(arg, kind):
            flat.extend(arg.args)
        else:
            flat.append(arg)
    return kind(tuple(flat))
