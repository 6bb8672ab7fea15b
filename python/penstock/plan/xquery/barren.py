"""Constructors that are not sent empty to everyone.

A constructor that encloses FLWORs, and is itself what the query gives, delivers nothing on a document on which none
of them yields an item.
"""

from __future__ import annotations

import dataclasses
import operator
from typing import Any, TypeVar

from penstock.plan.xquery import normal

_T = TypeVar("_T")


def without_barren(expr: normal.Expr) -> normal.Expr:
    """The query with its outermost constructors guarded.

    >>> from penstock.plan.xquery.build import build
    >>> from penstock.syntax.xquery.prolog import parse
    >>> type(without_barren(build(parse("<r>{for $a in //a return $a}</r>"), {}))).__name__
    'UnlessBarren'
    >>> type(without_barren(build(parse("<r>{//a}</r>"), {}))).__name__
    'Element'
    """
    match expr:
        case normal.Element() | normal.NamedElement() | normal.Document():
            noted = _noting(expr)
            return expr if noted is expr else normal.UnlessBarren(noted)
        case normal.Sequence():
            return normal.Sequence(tuple(map(without_barren, expr.items)))
        case normal.If():
            return normal.If(expr.condition, without_barren(expr.then), without_barren(expr.otherwise))
        case normal.Flwor() if all(isinstance(clause, normal.Let) for clause in expr.clauses):
            return normal.Flwor(expr.clauses, without_barren(expr.returned))
        case _:
            return expr


def _noting(node: _T) -> _T:
    """The same with the outermost FLWORs within it noted; the very same where there are none."""
    changes: dict[str, Any] = {}
    for field in dataclasses.fields(node):  # type: ignore[arg-type]
        value = getattr(node, field.name)
        changed = _noted(value)
        if changed is not value:
            changes[field.name] = changed
    return dataclasses.replace(node, **changes) if changes else node  # type: ignore[type-var]


def _noted(value: Any) -> Any:
    if isinstance(value, normal.Flwor):
        return normal.Yielding(value)
    if isinstance(value, tuple):
        noted = tuple(map(_noted, value))
        return value if all(map(operator.is_, noted, value)) else noted
    return _noting(value) if dataclasses.is_dataclass(value) else value
