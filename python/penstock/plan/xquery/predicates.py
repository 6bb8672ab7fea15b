"""Predicates on what a variable is bound to, told as conditions on the variable."""

from __future__ import annotations

import dataclasses
from typing import Any

from penstock.plan.xquery import normal
from penstock.plan.xquery.types import may_be_position


def without_predicates(flwor: normal.Flwor) -> normal.Flwor:
    """`for $b in P[C]` is `for $b in P where C`, as long as nothing in C counts.

    >>> from penstock.plan.xquery.build import build
    >>> from penstock.syntax.xquery.prolog import parse
    >>> one, other = (build(parse(text), {}) for text in (
    ...     "for $b in //b[c < 5] return $b", "for $b in //b where $b/c < 5 return $b"))
    >>> without_predicates(one) == other
    True
    """
    first = flwor.clauses[0]
    if not isinstance(first, normal.For) or first.position is not None or not isinstance(first.domain, normal.Path):
        return flwor
    last = first.domain.steps[-1]
    if any(may_be_position(one) or _binds(one, first.variable) for one in last.predicates):
        return flwor
    conditions = [normal.Where(_about(one, first.variable)) for one in last.predicates]
    steps = (*first.domain.steps[:-1], dataclasses.replace(last, predicates=()))
    bare = dataclasses.replace(first, domain=dataclasses.replace(first.domain, steps=steps))
    return normal.Flwor((bare, *conditions, *flwor.clauses[1:]), flwor.returned)


def _about(node: Any, variable: str) -> Any:
    """The variable in the place of the context; steps and predicates have contexts of their own."""
    match node:
        case normal.Context():
            return normal.Variable(variable)
        case normal.Path():
            return dataclasses.replace(node, start=_about(node.start, variable))
        case normal.Filter() | normal.Each() | normal.Mapped():
            return dataclasses.replace(node, base=_about(node.base, variable))
        case tuple():
            return tuple(_about(one, variable) for one in node)
        case normal.Step() | normal.NameTest() | normal.KindTest():
            return node
    if not dataclasses.is_dataclass(node) or isinstance(node, type):
        return node
    fields = {field.name: _about(getattr(node, field.name), variable) for field in dataclasses.fields(node)}
    return dataclasses.replace(node, **fields)


def _binds(node: Any, variable: str) -> bool:
    """Whether an expression uses the name for something of its own."""
    if isinstance(node, tuple):
        return any(_binds(one, variable) for one in node)
    if not dataclasses.is_dataclass(node):
        return False
    names = [getattr(node, name, None) for name in ("variable", "position")]
    return variable in names or any(_binds(getattr(node, field.name), variable) for field in dataclasses.fields(node))
