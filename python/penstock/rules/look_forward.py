"""A path that turns back is replaced by one that looks forward.

`/p/c/ancestor::b/d` selects the `d` of every `b` that has such a `c` below it, so it is the same as
`//b[.//c[parent::p[not(parent::*)]]]/d`: the way that led to `c` becomes a condition on `c`, told backwards.
Conditions on what is above or before a node are answered in one pass (chapter 7 of the XSQ thesis), while a path
that turns back would select nodes that have gone by. Positions along the way forbid it: they count differently.
"""

from __future__ import annotations

import dataclasses

from penstock.plan import normal
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


def look_forward(expr: normal.Expr) -> normal.Expr:
    """Rewrites the paths whose nodes are the query's result; conditions may look in any direction as they are."""
    match expr:
        case normal.Path(start=normal.Root() | normal.Context()):
            return _path(expr)
        case normal.Union():
            return normal.Union(tuple(look_forward(arg) for arg in expr.args))
        case normal.Call(name="count" | "sum" | "avg" | "min" | "max" | "exists" | "empty" | "boolean"):
            return normal.Call(expr.name, tuple(look_forward(arg) for arg in expr.args))
        case _:
            return expr


def _path(path: normal.Path) -> normal.Path:
    steps = path.steps
    while (turn := next((index for index, step in enumerate(steps) if step.axis in _REVERSE), None)) is not None:
        rewritten = _turn(steps[:turn], steps[turn])
        if rewritten is None:
            return path
        steps = (*rewritten, *steps[turn + 1 :])
    return normal.Path(normal.Root(), steps)


def _turn(way: tuple[normal.Step, ...], back: normal.Step) -> tuple[normal.Step, ...] | None:
    """The steps from the root that select what `way/back` selects, or None if that cannot be said."""
    if not way or any(is_positional(predicate) for step in (*way, back) for predicate in step.predicates):
        return None
    if not _leads_through_the_tree(way[:-1]):
        return None
    last = way[-1]
    if last.axis == "attribute":
        return _turn_at_attribute(way, back)
    if back.test == _NODE or not _leads_through_the_tree(way):
        # A test that the document node passes would make it a result.
        return None
    origin = normal.Step(_INVERSE[back.axis], last.test, (*last.predicates, *_origin(way)))
    came_from = normal.Path(normal.Context(), (origin,))
    return (normal.Step("descendant", back.test, (*back.predicates, came_from)),)


def _leads_through_the_tree(way: tuple[normal.Step, ...]) -> bool:
    """Whether `way` can be told backwards: it starts at the root and meets no attribute and not the root again."""
    if any(step.axis not in _INVERSE for step in way):
        return False
    # Told backwards, the first step's test is asked of any node: one that the root passes would let it in.
    return not way or (way[0].axis in ("child", "descendant") and (len(way) == 1 or way[0].test != _NODE))


def _turn_at_attribute(way: tuple[normal.Step, ...], back: normal.Step) -> tuple[normal.Step, ...] | None:
    """`p/@a/..` is `p[@a]`, and an attribute's ancestors are its element and that one's ancestors."""
    axis = _OF_ATTRIBUTE.get(back.axis)
    if axis is None or len(way) < 2 or back.axis == "ancestor-or-self":
        return None
    owner, attribute = way[-2], way[-1]
    has = normal.Path(normal.Context(), (attribute,))
    owner = dataclasses.replace(owner, predicates=(*owner.predicates, has))
    return (*way[:-2], owner, dataclasses.replace(back, axis=axis))


def _origin(way: tuple[normal.Step, ...]) -> tuple[normal.Expr, ...]:
    """What must hold of the last node of `way` beyond its own test: that the way leads there from the root."""
    last = way[-1]
    if len(way) == 1:
        return (_NO_PARENT_ELEMENT,) if last.axis == "child" else ()
    before = way[-2]
    back = normal.Step(_INVERSE[last.axis], before.test, (*before.predicates, *_origin(way[:-1])))
    return (normal.Path(normal.Context(), (back,)),)
