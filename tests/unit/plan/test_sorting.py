"""What is left undone about duplicates and order is not needed: steps are taken on trees, and nothing is sorted."""

from __future__ import annotations

import itertools
import random

import pytest

from penstock.plan import normal as xpath
from penstock.plan.xquery import normal
from penstock.plan.xquery.claims import path_claims
from penstock.plan.xquery.sorting import Sorting, sorting

AXES = ("child", "descendant", "descendant-or-self", "parent", "ancestor", "following-sibling", "self")
DOWNWARD = frozenset(("child", "descendant", "descendant-or-self", "self"))
ANY = xpath.KindTest("node")


def tree(seed: int) -> list[int]:
    """The parent of each node, in document order."""
    chosen = random.Random(seed)
    parents = [-1]
    open_nodes = [0]
    for node in range(1, 12):
        del open_nodes[chosen.randint(1, len(open_nodes)) :]
        parents.append(open_nodes[-1])
        open_nodes.append(node)
    return parents


def ancestors(parents: list[int], node: int) -> list[int]:
    found = []
    while parents[node] >= 0:
        node = parents[node]
        found.append(node)
    return found


def along(parents: list[int], axis: str, node: int) -> list[int]:
    """In the order of the axis."""
    others = range(len(parents))
    below = [one for one in others if node in ancestors(parents, one)]
    return {
        "child": [one for one in below if parents[one] == node],
        "descendant": below,
        "descendant-or-self": [node, *below],
        "parent": ancestors(parents, node)[:1],
        "ancestor": ancestors(parents, node),
        "following-sibling": [one for one in others if one > node and parents[one] == parents[node]],
        "self": [node],
    }[axis]


@pytest.mark.parametrize("axes", [axes for count in (1, 2, 3) for axes in itertools.product(AXES, repeat=count)])
def test_what_is_not_done_is_not_needed(axes: tuple[xpath.Axis, ...]) -> None:
    done = sorting([normal.Step(axis, ANY) for axis in axes], several=False)
    claims = path_claims([xpath.Step(axis, ANY) for axis in axes])
    for seed in range(5):
        parents = tree(seed)
        for start in (0, 3):
            nodes = [start]
            for axis in axes:
                nodes = [one for node in nodes for one in along(parents, axis, node)]
            is_unique = len(set(nodes)) == len(nodes)
            is_ordered = sorted(nodes) == nodes
            assert is_unique or done not in (Sorting.NOTHING, Sorting.SORTED)
            assert is_ordered or done is not Sorting.NOTHING
            assert is_unique or claims.unique is None
            assert is_ordered or claims.ordered is None


@pytest.mark.parametrize(
    ("axes", "expected"),
    [
        (("child", "child"), Sorting.NOTHING),
        (("child", "descendant"), Sorting.NOTHING),
        (("child", "descendant", "attribute"), Sorting.SORTED),
        (("descendant", "descendant"), Sorting.DISTINCT),
        (("descendant", "child", "descendant"), Sorting.DISTINCT),
        (("child", "following-sibling"), Sorting.DISTINCT),
        (("child", "parent"), Sorting.ALWAYS),
        (("parent", "child"), Sorting.NOTHING),
        (("ancestor",), Sorting.ALWAYS),
    ],
)
def test_what_the_evaluator_does(axes: tuple[xpath.Axis, ...], expected: Sorting) -> None:
    assert sorting([normal.Step(axis, ANY) for axis in axes], several=False) is expected


def test_places_and_attributes_lead_to_one() -> None:
    first = normal.Step("descendant", ANY, (normal.Constant("integer", "1"),))
    attribute = normal.Step("attribute", normal.NameTest("", "a"))
    below = normal.Step("descendant", ANY)
    assert sorting((first, below), several=False) is Sorting.NOTHING
    assert sorting((attribute, normal.Step("parent", ANY)), several=False) is Sorting.NOTHING
    assert sorting((attribute,), several=True) is Sorting.DISTINCT
