"""Steps and conditions in the notation of XPath, without the conditions below them."""

from __future__ import annotations

import re

from penstock.plan import machine, normal
from penstock.plan.text import query_text

_EDGES: dict[machine.StepAxis, str] = {
    "self": "/self::",
    "child": "/",
    "descendant": "//",
    "descendant-or-self": "/descendant-or-self::",
    "attribute": "/@",
    "following-sibling": "/following-sibling::",
    "following": "/following::",
}
_RELATIVE: dict[machine.StepAxis, str] = {
    "self": "self::",
    "child": "",
    "descendant": ".//",
    "descendant-or-self": "descendant-or-self::",
    "attribute": "@",
    "following-sibling": "following-sibling::",
    "following": "following::",
}
_ANY_NODE = normal.KindTest("node")


def test_text(test: normal.Test) -> str:
    """A test without its axis."""
    return query_text(normal.Path(normal.Context(), (normal.Step("child", test),)))


def edge_text(axis: machine.StepAxis) -> str:
    """What is written between two steps of a path."""
    return _EDGES[axis]


def branch_text(step: machine.Step) -> str:
    """A step of a condition, as it is written in a predicate."""
    prefix = _EDGES[step.axis] if step.start == machine.DOCUMENT else _RELATIVE[step.axis]
    return prefix + test_text(step.test)


def side_text(axis: machine.UpAxis | machine.BeforeAxis, step: machine.Step) -> str:
    """A step against the direction of reading."""
    if axis == "parent" and step.test == _ANY_NODE:
        return ".."
    return f"{axis}::{test_text(step.test)}"


def value_text(test: machine.ValueTest, subject: str = ".") -> str:
    """A test of a value: that of the node itself, or of the nodes along `subject`."""
    match test:
        case machine.TextTest():
            return f"{subject} {test.comparison} {query_text(normal.String(test.value))}"
        case machine.NumberTest():
            return f"{subject} {test.comparison} {_number(test.value)}"
        case machine.PartTest():
            return f"{test.function}({subject}, {query_text(normal.String(test.value))})"


def position_text(position: machine.Position | machine.Place) -> str:
    """A test of a node's place."""
    return f"position() {position.comparison} {_number(position.value)}"


def one_line(text: str) -> str:
    """A text of several lines as one; spaces within a line may matter and stay."""
    return re.sub(r"\s*[\r\n]\s*", " ", text.strip())


def _number(value: float) -> str:
    negative = normal.Negate(normal.Number(-value)) if value < 0 else normal.Number(value)
    return query_text(negative)
