"""Several `for` clauses as one pattern, where each node that the last of them binds stands for one tuple.

`for $b in P, $c in $b/Q` has a tuple for each way to get from a node of P to one of Q. If no node of P holds another,
there is one way to each, and the order of tuples is the order of the nodes: then P/Q is all there is to find.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

from penstock.plan import normal as xpath
from penstock.plan.xquery import normal
from penstock.plan.xquery.claims import may_nest
from penstock.plan.xquery.needed import Subject, needed, way, with_predicate

_PARENT = normal.Step("parent", normal.KindTest("node"))
_ONE_LEVEL = frozenset(("child", "attribute"))


@dataclass(frozen=True, slots=True)
class Fused:
    """The variable whose nodes are found, the steps to them, how others follow from it, and what clauses are left."""

    variable: str
    steps: tuple[xpath.Step, ...]
    lets: tuple[normal.Let, ...]
    clauses: tuple[normal.Clause, ...]
    count: int


def fused(variable: str, steps: tuple[xpath.Step, ...], flwor: normal.Flwor) -> Fused:
    """As many `for` clauses as can be one pattern; the first alone, if no other can."""
    made = Fused(variable, steps, (), flwor.clauses[1:], 1)
    while (more := _one_more(made, flwor.returned)) is not None:
        made = more
    return made


def _one_more(made: Fused, returned: normal.Expr) -> Fused | None:
    match made.clauses:
        case (
            normal.For(
                position=None,
                domain=normal.Path(start=normal.Variable(name=outer), steps=steps),
                allowing_empty=False,
            ) as clause,
            *rest,
        ) if outer == made.variable and clause.variable != outer and not may_nest(made.steps):
            found = way(steps, {})
            if not found.exact or not found.steps:
                return None
        case _:
            return None
    conditions, left = _conditions_on(outer, tuple(rest))
    known = [let.variable for let in made.lets]
    lets = [*made.lets]
    if mentions((left, returned), outer) or any(mentions(let.value, outer) for let in lets):
        if any(step.axis not in _ONE_LEVEL for step in found.steps):
            return None
        above = normal.Path(normal.Variable(clause.variable), (_PARENT,) * len(found.steps))
        lets.insert(0, normal.Let(outer, above))
    if clause.variable in known:
        return None
    path = made.steps
    for condition in conditions:
        path = with_predicate(path, condition)
    return Fused(clause.variable, (*path, *found.steps), tuple(lets), left, made.count + 1)


def _conditions_on(
    variable: str, clauses: tuple[normal.Clause, ...]
) -> tuple[list[xpath.Expr], tuple[normal.Clause, ...]]:
    """Conditions on the outer variable that say all there is to say, out of a `where` that comes next."""
    if not clauses or not isinstance(clauses[0], normal.Where):
        return [], clauses
    condition = clauses[0].condition
    conditions: list[xpath.Expr] = []
    left: list[normal.Expr] = []
    for arg in condition.args if isinstance(condition, normal.And) else (condition,):
        one = needed(arg, Subject(variable, {}))
        # What comes after a condition that may fail is not asked before it.
        if one.exact and one.condition is not None and not left:
            conditions.append(one.condition)
        else:
            left.append(arg)
    if not left:
        return conditions, clauses[1:]
    rest = left[0] if len(left) == 1 else normal.And(tuple(left))
    return conditions, (normal.Where(rest), *clauses[1:])


def mentions(node: Any, name: str) -> bool:
    """Whether a variable is used somewhere."""
    if isinstance(node, tuple):
        return any(mentions(one, name) for one in node)
    if isinstance(node, normal.Variable):
        return node.name == name
    if not dataclasses.is_dataclass(node):
        return False
    return any(mentions(getattr(node, field.name), name) for field in dataclasses.fields(node))
