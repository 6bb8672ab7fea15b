"""Nodes without which a query of XPath gives nothing: what an index can find of what it cannot hold."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from penstock.plan import machine, normal
from penstock.plan.types import is_positional, type_of

if TYPE_CHECKING:
    from collections.abc import Callable

VERIFIED = "verified: an index finds what must be there, and the whole query is evaluated then"

_DOWNWARD = frozenset(("child", "descendant", "attribute"))
_PARTS = frozenset(("contains", "starts-with", "ends-with"))
_ANY_NODE = normal.Step("descendant-or-self", normal.KindTest("node"))


def verified(expr: normal.Expr, *, deliver_empty: bool) -> tuple[normal.Expr, machine.Work] | None:
    """A pattern that must select something, and what is evaluated then; None if nothing can be said."""
    kind = type_of(expr)
    if kind == "nodes":
        paths = _nodes(expr)
    elif kind == "boolean" and not deliver_empty:
        paths = _truth(expr)
    else:
        return None
    if not paths:
        return None
    pattern = paths[0] if len(paths) == 1 else normal.Union(tuple(paths))
    return pattern, machine.Verified(expr, "nodes" if kind == "nodes" else "truth")


def _nodes(expr: normal.Expr) -> list[normal.Expr] | None:
    match expr:
        case normal.Path(start=normal.Root() | normal.Context()):
            steps, _ = _steps(expr.steps)
            return [normal.Path(normal.Root(), steps)] if steps else None
        case normal.Path():
            return _nodes(expr.start)
        case normal.Filter():
            return _nodes(expr.base)
        case normal.Union():
            return _each(expr.args, _nodes)
        case _:
            return None


def _truth(expr: normal.Expr) -> list[normal.Expr] | None:
    match expr:
        case normal.And():
            found = [paths for paths in map(_truth, expr.args) if paths is not None]
            return min(found, key=len) if found else None
        case normal.Or():
            return _each(expr.args, _truth)
        case normal.Compare() if _is_value(expr.right) and type_of(expr.left) == "nodes":
            return _nodes(expr.left)
        case normal.Compare() if _is_value(expr.left) and type_of(expr.right) == "nodes":
            return _nodes(expr.right)
        case normal.Call(name="boolean", args=(arg,)) if type_of(arg) == "nodes":
            return _nodes(arg)
        case normal.Call(name=name, args=(arg, normal.String(value=value))) if name in _PARTS and value:
            return _nodes(arg)
        case _:
            return None


def _each(
    args: tuple[normal.Expr, ...], of: Callable[[normal.Expr], list[normal.Expr] | None]
) -> list[normal.Expr] | None:
    found: list[normal.Expr] = []
    for arg in args:
        paths = of(arg)
        if paths is None:
            return None
        found += paths
    return found


def _steps(steps: tuple[normal.Step, ...]) -> tuple[tuple[normal.Step, ...], bool]:
    """As many steps as an index can follow, and whether they select the very nodes of the path."""
    kept: list[normal.Step] = []
    exact = True
    for place, step in enumerate(steps):
        if step == _ANY_NODE and place + 1 < len(steps) and steps[place + 1].axis == "child":
            kept.append(step)
            continue
        if step.axis not in _DOWNWARD:
            # What was opened by `//` must not be left without its step.
            while kept and kept[-1] == _ANY_NODE:
                kept.pop()
            return tuple(kept), False
        predicates, same = _predicates(step)
        kept.append(dataclasses.replace(step, predicates=predicates))
        exact = exact and same
    return tuple(kept), exact


def _predicates(step: normal.Step) -> tuple[tuple[normal.Expr, ...], bool]:
    kept: list[normal.Expr] = []
    exact = True
    for predicate in step.predicates:
        if is_positional(predicate):
            # What counts among other nodes counts other nodes.
            if exact and isinstance(predicate, normal.Number):
                kept.append(predicate)
            else:
                exact = False
            continue
        condition, same = _condition(predicate)
        exact = exact and same
        if condition is not None:
            kept.append(condition)
    return tuple(kept), exact


def _condition(expr: normal.Expr) -> tuple[normal.Expr | None, bool]:
    """What must hold for the expression to be true, and whether it is the same."""
    match expr:
        case normal.And():
            found = [_condition(arg) for arg in expr.args]
            kept = tuple(condition for condition, _ in found if condition is not None)
            whole = normal.And(kept) if len(kept) > 1 else kept[0] if kept else None
            return whole, all(same for _, same in found)
        case normal.Or():
            found = [_condition(arg) for arg in expr.args]
            kept = tuple(condition for condition, _ in found if condition is not None)
            return (normal.Or(kept) if len(kept) == len(found) else None), all(same for _, same in found)
        case normal.Call(name="not", args=(arg,)):
            condition, same = _condition(arg)
            return (expr, True) if same and condition is not None else (None, False)
        case normal.Path(start=normal.Context()):
            steps, same = _steps(expr.steps)
            return (normal.Path(expr.start, steps), same) if steps else (None, False)
        case normal.Compare() if _is_value(expr.right):
            return _of_path(expr, expr.left)
        case normal.Compare() if _is_value(expr.left):
            return _of_path(expr, expr.right)
        case normal.Call(name=name, args=(arg, normal.String(value=value))) if name in _PARTS and value:
            condition, _ = _of_path(expr, arg)
            return (arg if condition is expr else condition), False
        case _:
            return None, False


def _of_path(expr: normal.Expr, path: normal.Expr) -> tuple[normal.Expr | None, bool]:
    """A condition on the values of a path: itself, or that there are any."""
    if isinstance(path, normal.Context):
        return (expr, True) if isinstance(expr, normal.Compare) else (None, False)
    if not isinstance(path, normal.Path) or not isinstance(path.start, normal.Context):
        return None, False
    steps, same = _steps(path.steps)
    if same:
        return expr, True
    return (normal.Path(path.start, steps) if steps else None), False


def _is_value(expr: normal.Expr) -> bool:
    return isinstance(expr, normal.String | normal.Number)
