"""Places and counts: to compare a count with a constant is to ask whether there is an n-th node."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from penstock.plan import machine, normal

if TYPE_CHECKING:
    from collections.abc import Callable

FLIPPED: dict[normal.ComparisonOperator, normal.ComparisonOperator] = {
    "=": "=",
    "!=": "!=",
    "<": ">",
    "<=": ">=",
    ">": "<",
    ">=": "<=",
}
"""The same comparison with its sides changed."""


def place_of(predicate: normal.Expr) -> tuple[normal.ComparisonOperator, float] | None:
    """How a predicate compares the position with a constant, if that is all it does.

    >>> place_of(normal.Number(2.0))
    ('=', 2.0)
    """
    match predicate:
        case normal.Number(value=value):
            return "=", value
        case normal.Compare(left=normal.Call(name="position"), right=normal.Number(value=value)):
            return predicate.comparison, value
        case normal.Compare(left=normal.Number(value=value), right=normal.Call(name="position")):
            return FLIPPED[predicate.comparison], value
        case _:
            return None


def counted(
    comparison: normal.ComparisonOperator, constant: float, reaches: Callable[[int], machine.Condition]
) -> machine.Condition:
    """The condition that a count compares so. `reaches(n)`: there are n nodes or more, n being at least 1."""
    if math.isinf(constant):
        return machine.Known(comparison == "!=" or comparison.startswith("<" if constant > 0 else ">"))

    def at_least(number: int) -> machine.Condition:
        return reaches(number) if number > 0 else machine.Known(True)

    match comparison:
        case ">=":
            return at_least(math.ceil(constant))
        case ">":
            return at_least(math.floor(constant) + 1)
        case "<":
            return machine.Not(at_least(math.ceil(constant)))
        case "<=":
            return machine.Not(at_least(math.floor(constant) + 1))
        case "=" | "!=":
            equal: machine.Condition = machine.Known(False)
            if constant == 0.0:
                equal = machine.Not(at_least(1))
            elif constant > 0 and constant.is_integer():
                equal = machine.All((at_least(int(constant)), machine.Not(at_least(int(constant) + 1))))
            return equal if comparison == "=" else machine.Not(equal)
