"""A path that turns back is replaced by one that looks forward.

`/p/c/ancestor::b/d` selects the `d` of every `b` that has such a `c` below it, so it is the same as
`//b[.//c[parent::p[not(parent::*)]]]/d`: the way that led to `c` becomes a condition on `c`, told backwards.
Conditions on what is above or before a node are answered in one pass (chapter 7 of the XSQ thesis), while a path
that turns back would select nodes that have gone by. Positions along the way forbid it: they count differently.
"""

from __future__ import annotations

import dataclasses
from typing import TypeAlias

from penstock.plan import normal
from penstock.plan.construct import flattened
from penstock.plan.types import is_positional

_INVERSE: dict[normal.Axis, normal.Axis] = {
    "child": "parent",
    "descendant": "ancestor",
    "descendant-or-self": "ancestor-or-self",
    "self": "self",
    "following-sibling": "preceding-sibling",
    "following": "preceding",
    "parent": "child",
    "ancestor": "descendant",
    "ancestor-or-self": "descendant-or-self",
    "preceding-sibling": "following-sibling",
    "preceding": "following",
}
_REVERSE: frozenset[normal.Axis] = frozenset(
    {"parent", "ancestor", "ancestor-or-self", "preceding-sibling", "preceding"}
)
_OF_ATTRIBUTE: dict[normal.Axis, normal.Axis] = {
    "parent": "self",
    "ancestor": "ancestor-or-self",
    "ancestor-or-self": "ancestor-or-self",
}
_NODE = normal.KindTest("node")
_NO_PARENT_ELEMENT = normal.Call(
    "not", (normal.Path(normal.Context(), (normal.Step("parent", normal.NameTest(None, None)),)),)
)


_ANY_DESCENDANT = normal.Step("descendant-or-self", _NODE)
_Steps: TypeAlias = tuple[normal.Step, ...]
# A path that turns back twice to nodes of any kind becomes four; there is an end to that.
_MOST_PATHS = 8


def look_forward(expr: normal.Expr) -> normal.Expr:
    """Rewrites the paths whose nodes are the query's result; conditions may look in any direction as they are."""
    match expr:
        case normal.Path(start=normal.Root() | normal.Context()):
            return _path(expr)
        case normal.Union():
            return flattened(normal.Union, map(look_forward, expr.args))
        case normal.Call(name="count" | "sum" | "avg" | "min" | "max" | "exists" | "empty" | "boolean"):
            return normal.Call(expr.name, tuple(look_forward(arg) for arg in expr.args))
        case _:
            return expr


def _path(path: normal.Path) -> normal.Expr:
    found = _forward(path.steps)
    if found is None:
        return path
    paths = tuple(normal.Path(normal.Root(), steps) for steps in found)
    return paths[0] if len(paths) == 1 else normal.Union(paths)


def _forward(steps: _Steps) -> tuple[_Steps, ...] | None:
    """Paths from the root that never turn back and together select the same, or None if there are none."""
    turn = next((index for index, step in enumerate(steps) if step.axis in _REVERSE), None)
    if turn is None:
        return (steps,)
    rewritten = _turn(steps[:turn], steps[turn])
    if rewritten is None:
        return None
    found: list[_Steps] = []
    for way in rewritten:
        further = _forward((*way, *steps[turn + 1 :]))
        if further is None or len(found) + len(further) > _MOST_PATHS:
            return None
        found.extend(further)
    return tuple(found)


def _turn(way: _Steps, back: normal.Step) -> tuple[_Steps, ...] | None:
    """The paths from the root that select what `way/back` selects, or None if that cannot be said."""
    if not way or any(map(is_positional, back.predicates)):
        return None
    last = way[-1]
    if last.axis == "child" and back.axis == "parent" and len(way) > 1:
        return _turn_at_child(way, back)
    if any(is_positional(predicate) for step in way for predicate in step.predicates):
        return None
    if last.axis == "attribute":
        rewritten = _turn_at_attribute(way, back)
        return None if rewritten is None else (rewritten,)
    if not _leads_through_the_tree(way):
        return None
    origin = normal.Step(_INVERSE[back.axis], last.test, (*last.predicates, *_origin(way)))
    predicates = (*back.predicates, normal.Path(normal.Context(), (origin,)))
    if back.test != _NODE or back.axis in ("preceding-sibling", "preceding"):
        return ((normal.Step("descendant", back.test, predicates),),)
    if back.axis == "ancestor-or-self" and not isinstance(last.test, normal.NameTest):
        return None
    return _element_or_document(predicates)


def _element_or_document(predicates: tuple[normal.Expr, ...]) -> tuple[_Steps, ...]:
    """What is above a node is an element or the document."""
    element = normal.Step("descendant", normal.NameTest(None, None), predicates)
    return (element,), (normal.Step("self", _NODE, predicates),)


def _turn_at_child(way: _Steps, back: normal.Step) -> tuple[_Steps, ...] | None:
    """The parent of a child is where one came from: `p/c/..` is `p[c]`. Positions of `c` stay what they are."""
    owner, child = way[-2], way[-1]
    predicates = (*owner.predicates, normal.Path(normal.Context(), (child,)), *_is(back.test), *back.predicates)
    if owner.test != _NODE:
        return ((*way[:-2], dataclasses.replace(owner, predicates=predicates)),)
    if way[:-1] != (_ANY_DESCENDANT,):
        return None
    return _element_or_document(predicates)


def _is(test: normal.Test) -> tuple[normal.Expr, ...]:
    """The condition that a node passes the test."""
    return () if test == _NODE else (normal.Path(normal.Context(), (normal.Step("self", test),)),)


def _leads_through_the_tree(way: _Steps) -> bool:
    """Whether `way` can be told backwards: it starts at the root and meets no attribute and not the root again."""
    if any(step.axis not in _INVERSE for step in way):
        return False
    # Told backwards, the first step's test is asked of any node: one that the root passes would let it in.
    return not way or (way[0].axis in ("child", "descendant") and (len(way) == 1 or way[0].test != _NODE))


def _turn_at_attribute(way: _Steps, back: normal.Step) -> _Steps | None:
    """`p/@a/..` is `p[@a]`, and an attribute's ancestors are its element and that one's ancestors."""
    axis = _OF_ATTRIBUTE.get(back.axis)
    if axis is None or len(way) < 2 or back.axis == "ancestor-or-self":
        return None
    owner, attribute = way[-2], way[-1]
    has = normal.Path(normal.Context(), (attribute,))
    test = normal.NameTest(None, None) if owner.test == _NODE else owner.test
    owner = dataclasses.replace(owner, test=test, predicates=(*owner.predicates, has))
    if axis != "self":
        return (*way[:-2], owner, dataclasses.replace(back, axis=axis))
    owner = dataclasses.replace(owner, predicates=(*owner.predicates, *_is(back.test), *back.predicates))
    return (*way[:-2], owner)


def _origin(way: _Steps) -> tuple[normal.Expr, ...]:
    """What must hold of the last node of `way` beyond its own test: that the way leads there from the root."""
    last = way[-1]
    if len(way) == 1:
        return (_NO_PARENT_ELEMENT,) if last.axis == "child" else ()
    before = way[-2]
    back = normal.Step(_INVERSE[last.axis], before.test, (*before.predicates, *_origin(way[:-1])))
    return (normal.Path(normal.Context(), (back,)),)
