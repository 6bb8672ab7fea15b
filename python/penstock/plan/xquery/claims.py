"""When nodes that a path leads to come twice, or out of order: the claims of the paper on message brokers.

A path with one `//` at most leads to each node in one way; nodes that no `//` leads to are all at one depth, so none
holds another, and what is below them comes in their order. With more `//`, only a schema can say. What is done where
no claim helps is told in `penstock.plan.xquery.sorting`; the planner makes one pattern of several `for` clauses only
where the claims hold.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from penstock.plan import normal as xpath

if TYPE_CHECKING:
    from collections.abc import Sequence

    from penstock.plan.xquery.schema_graph import SchemaGraph

_CLOSURES = frozenset(("descendant", "descendant-or-self"))
_DOWNWARD = _CLOSURES | {"child", "attribute", "self"}


@dataclass(frozen=True, slots=True)
class Claims:
    """The numbers of the claims that prove it; None where none does."""

    unique: int | None
    ordered: int | None


def path_claims(steps: Sequence[xpath.Step], schema: SchemaGraph | None = None) -> Claims:
    """What holds of the nodes that a path leads to, step by step, from one node.

    They come in the order of the nodes that the last step starts from: that is their own order if the claims on order
    hold of all steps but the last.

    >>> step = xpath.Step("descendant", xpath.NameTest("", "section"))
    >>> path_claims([step]), path_claims([step, step])
    (Claims(unique=1, ordered=4), Claims(unique=None, ordered=None))
    """
    if not is_downward(steps):
        return Claims(None, None)
    return Claims(_unique(steps, schema), _ordered(steps[:-1], schema))


def return_claims(
    binding: Sequence[xpath.Step], rest: Sequence[xpath.Step], schema: SchemaGraph | None = None
) -> Claims:
    """What holds of pairs of a binding and a node that a path leads to from there, one binding after the other.

    Claim 3 asks for bindings that are found once each; where they are only made so, the path is left to itself.
    """
    alone = path_claims(rest, schema)
    if alone.unique is None or path_claims(binding, schema).unique is None:
        return alone
    return Claims(3, alone.ordered)


def may_nest(binding: Sequence[xpath.Step], schema: SchemaGraph | None = None) -> bool:
    """Whether one binding may hold another: then what is below them belongs to both, and comes in another order."""
    return not is_downward(binding) or _ordered(binding, schema) is None


def is_downward(steps: Sequence[xpath.Step]) -> bool:
    """The claims are about such paths alone."""
    return all(step.axis in _DOWNWARD for step in steps)


def _unique(steps: Sequence[xpath.Step], schema: SchemaGraph | None) -> int | None:
    closures = [step for step in steps if step.axis in _CLOSURES]
    if len(closures) <= 1:
        return 1
    if schema is not None and not any(schema.on_loop(_name(step)) for step in closures[:-1]):
        return 2
    return None


def _ordered(steps: Sequence[xpath.Step], schema: SchemaGraph | None) -> int | None:
    """What is below the nodes that the steps lead to comes in their order."""
    closures = [step for step in steps if step.axis in _CLOSURES]
    if not closures:
        return 4
    if schema is not None and not any(schema.on_same_loop(_name(step), _name(steps[-1])) for step in closures):
        return 5
    return None


def _name(step: xpath.Step) -> str | None:
    return step.test.local if isinstance(step.test, xpath.NameTest) else None
