"""What the evaluator does about nodes that come twice or out of order, as far as the query tells.

Mirrors the rule of `crates/engine/src/xquery/path.rs`, which looks besides at how many nodes a step starts from.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from penstock.plan.xquery import normal

if TYPE_CHECKING:
    from collections.abc import Sequence

_LEVELS = frozenset(("child", "attribute"))
_BELOW = _LEVELS | {"descendant", "descendant-or-self"}
_BACKWARD = frozenset(("parent", "ancestor", "ancestor-or-self", "preceding", "preceding-sibling"))
_LEADS_TO_ONE = frozenset(("self", "parent"))


class Sorting(Enum):
    """What is done; as people read it."""

    NOTHING = "nothing is done"
    SORTED = "the evaluator sorts where a step has several starts"
    DISTINCT = "the evaluator sorts and removes duplicates where a step has several starts"
    ALWAYS = "the evaluator sorts and removes duplicates"


def sorting(steps: Sequence[normal.Step], *, several: bool) -> Sorting:
    """What is done along a path; `several`: it may start from more than one node.

    >>> child = normal.Step("child", normal.NameTest("", "a"))
    >>> below = normal.Step("descendant", normal.NameTest("", "a"))
    >>> [sorting(steps, several=False).name for steps in ([child, below], [below, child], [below, below])]
    ['NOTHING', 'SORTED', 'DISTINCT']
    """
    # What a variable of several nodes has is made distinct, and sorted, before it is used.
    done = {Sorting.DISTINCT} if several else set()
    # No node that is reached holds another.
    is_flat = not several
    for step in steps:
        if step.axis in _BACKWARD and (several or step.axis not in _LEADS_TO_ONE):
            done.add(Sorting.ALWAYS)
        elif several and not (is_flat and step.axis in _BELOW):
            done.add(Sorting.SORTED if step.axis in _LEVELS else Sorting.DISTINCT)
        several = several or not leads_to_one(step)
        is_flat = not several or (is_flat and step.axis in _LEVELS)
    found = [one for one in (Sorting.ALWAYS, Sorting.DISTINCT, Sorting.SORTED) if one in done]
    return found[0] if found else Sorting.NOTHING


def leads_to_one(step: normal.Step) -> bool:
    """Whether a step leads from a node to one at most."""
    if step.axis in _LEADS_TO_ONE or any(map(_is_place, step.predicates)):
        return True
    match step:
        case normal.Step("attribute", normal.NameTest(uri=str(), local=str())):
            return True
        case _:
            return False


def _is_place(predicate: normal.Expr) -> bool:
    match predicate:
        case normal.Constant(type="integer") | normal.Call(name="last"):
            return True
        case _:
            return False
