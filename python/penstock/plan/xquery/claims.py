"""When nodes that a path leads to come twice, or out of order: the claims of the paper on message brokers.

A path with one `//` at most leads to each node in one way; nodes that no `//` leads to are all at one depth, so none
holds another. With more `//`, only a schema can say. The evaluator (`crates/engine/src/xquery/path.rs`) sorts, and
looks for nodes that come twice, only where these claims do not hold; the planner makes one pattern of several `for`
clauses only where they do.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from penstock.plan import normal as xpath

if TYPE_CHECKING:
    from collections.abc import Sequence

    from penstock.plan.xquery.schema_graph import SchemaGraph

_CLOSURES = frozenset(("descendant", "descendant-or-self"))


@dataclass(frozen=True, slots=True)
class Claims:
    """The numbers of the claims that prove it; None where none does."""

    unique: int | None
    ordered: int | None

    @property
    def text(self) -> str:
        """As people read it."""
        unique = "may come twice" if self.unique is None else f"each once (claim {self.unique})"
        ordered = "sorted" if self.ordered is None else f"in order (claim {self.ordered})"
        return f"{unique}, {ordered}"


def path_claims(steps: Sequence[xpath.Step], schema: SchemaGraph | None = None) -> Claims:
    """What holds of the nodes that a path from the document leads to.

    >>> step = xpath.Step("descendant", xpath.NameTest("", "section"))
    >>> path_claims([step]).text
    'each once (claim 1), sorted'
    """
    return Claims(_unique(steps, schema), _ordered(steps, schema))


def return_claims(
    binding: Sequence[xpath.Step], rest: Sequence[xpath.Step], schema: SchemaGraph | None = None
) -> Claims:
    """What holds of pairs of a binding and a node that a path leads to from there."""
    both = _unique(binding, schema) is not None and _unique(rest, schema) is not None
    return Claims(3 if both else None, _ordered(rest, schema) if len(rest) else 4)


def may_nest(binding: Sequence[xpath.Step], schema: SchemaGraph | None = None) -> bool:
    """Whether one binding may hold another: then what is below them belongs to both, and comes in another order."""
    return _ordered(binding, schema) is None


def _unique(steps: Sequence[xpath.Step], schema: SchemaGraph | None) -> int | None:
    closures = [step for step in steps if step.axis in _CLOSURES]
    if len(closures) <= 1:
        return 1
    if schema is not None and not any(schema.on_loop(_name(step)) for step in closures[:-1]):
        return 2
    return None


def _ordered(steps: Sequence[xpath.Step], schema: SchemaGraph | None) -> int | None:
    closures = [step for step in steps if step.axis in _CLOSURES]
    if not closures:
        return 4
    if schema is not None and not any(schema.on_same_loop(_name(step), _name(steps[-1])) for step in closures):
        return 5
    return None


def _name(step: xpath.Step) -> str | None:
    return step.test.local if isinstance(step.test, xpath.NameTest) else None
