"""Conditions that compare what an evaluator finds for a binding with a literal.

Of `where count($b/author) > 2 and contains($b/title, 'x')` a pattern can hold nothing, but subscriptions that differ
only in such literals have the same work: what is compared is worked out once for each binding, whoever compares it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from penstock.plan import machine
from penstock.plan.xquery import normal

if TYPE_CHECKING:
    from collections.abc import Sequence

_MIRRORED: dict[str, machine.TestOperator] = {"=": "=", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}


def compared(work: machine.Bindings) -> machine.Bindings:
    """The same work with comparisons taken out of its query.

    Only those are taken that come before all other conditions: one that is not asked for does not fail.
    """
    if work.doubts or not isinstance(work.query, normal.Flwor):
        return work
    match work.query.clauses:
        case (normal.For(position=None, allowing_empty=False, domain=normal.Variable(machine.GIVEN)) as each, *rest):
            tests, left = _taken(each.variable, rest)
            query = normal.Flwor((each, *left), work.query.returned)
            return replace(work, query=query, tests=tests) if tests else work
        case _:
            return work


def _taken(variable: str, clauses: Sequence[normal.Clause]) -> tuple[tuple[machine.Test, ...], list[normal.Clause]]:
    """The comparisons, and the clauses that are left."""
    tests: list[machine.Test] = []
    left: list[normal.Clause] = []
    lets: list[normal.Clause] = [normal.Let(variable, normal.Variable(machine.GIVEN))]
    for place, clause in enumerate(clauses):
        if isinstance(clause, normal.Let):
            lets.append(clause)
            left.append(clause)
            continue
        if not isinstance(clause, normal.Where):
            return tuple(tests), [*left, *clauses[place:]]
        conditions = clause.condition.args if isinstance(clause.condition, normal.And) else (clause.condition,)
        for number, condition in enumerate(conditions):
            test = _test(condition, tuple(lets))
            if test is None:
                others = conditions[number:]
                rest = normal.Where(others[0] if len(others) == 1 else normal.And(others))
                return tuple(tests), [*left, rest, *clauses[place + 1 :]]
            tests.append(test)
    return tuple(tests), left


def _test(condition: normal.Expr, lets: tuple[normal.Clause, ...]) -> machine.Test | None:
    def test(value: normal.Expr, operator: machine.TestOperator, literal: normal.Constant) -> machine.Test:
        return machine.Test(normal.Flwor(lets, normal.Call("data", (value,))), operator, literal)

    match condition:
        case normal.Compare(comparison=comparison, left=value, right=normal.Constant() as literal):
            return test(value, comparison, literal)
        case normal.Compare(comparison=comparison, left=normal.Constant() as literal, right=value):
            return test(value, _MIRRORED[comparison], literal)
        case normal.Call(name=("contains" | "starts-with" | "ends-with") as function, args=(value, literal)) if (
            isinstance(literal, normal.Constant)
        ):
            return test(value, function, literal)
        case _:
            return None
