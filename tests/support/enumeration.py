"""All short paths over a small alphabet: what chance would seldom put together."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_ELEMENT_AXES = (
    "child",
    "descendant",
    "descendant-or-self",
    "self",
    "parent",
    "ancestor",
    "ancestor-or-self",
    "following-sibling",
    "preceding-sibling",
    "following",
    "preceding",
)
_TESTS = ("a", "*", "node()", "text()")
_PREDICATES = (
    "",
    "[1]",
    "[2]",
    "[last()]",
    "[@x]",
    "[b]",
    "[not(b)]",
    "[. = '1']",
    "[..]",
    "[../@x]",
    "[ancestor::a]",
    "[following::b]",
    "[preceding-sibling::*]",
    "[//b/@x]",
    "[b][1]",
    "[position() > 1][@x]",
    "[count(.//a) > 1]",
    "[preceding::a[1]/@x = @x]",
)

# Recursive, with text between, attributes at several depths, and nodes outside the root.
DOCUMENTS = (
    b"<!--c--><a x='1'>1<b/><b x='2'>1</b><a><b>2<a x='1'/></b>t<a/></a><?t d?><b/></a><!--d-->",
    b"<a><a x='2'><a><b x='1'>1</b></a><b/>1</a><b><a>1</a><a>2</a></b></a>",
    b"<b x='1'>1<a/>2<a x='1'>1</a><b><b><a/></b></b><c/></b>",
)


def steps(predicates: tuple[str, ...] = _PREDICATES) -> list[str]:
    """Every axis with every test and predicate."""
    elements = [f"{axis}::{test}{predicate}" for axis in _ELEMENT_AXES for test in _TESTS for predicate in predicates]
    return elements + [f"@{test}{predicate}" for test in ("x", "*", "node()") for predicate in predicates]


def paths_of_two() -> Iterator[str]:
    """Two steps, each with a predicate."""
    yield from (f"/{first}/{second}" for first, second in itertools.product(_first(steps()), steps()))


def paths_of_three() -> Iterator[str]:
    """Three plain steps."""
    plain = steps(("",))
    yield from map("/".join, itertools.product(("",), _first(plain), plain, plain))


def conditions() -> Iterator[str]:
    """Two plain steps within a predicate, alone and denied."""
    plain = steps(("",))
    for first, second in itertools.product(plain, plain):
        yield f"//*[{first}/{second}]"
        yield f"//node()[not({first}/{second} = 1)]"


def _first(all_steps: list[str]) -> list[str]:
    """Steps from the document node that may select something."""
    return [step for step in all_steps if step.startswith(("child::", "descendant"))]
