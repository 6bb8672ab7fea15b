"""The claims on duplicates and order: what queries alone say, and what a schema adds."""

from __future__ import annotations

import pytest

from penstock.plan import normal as xpath
from penstock.plan.xquery.claims import Claims, may_nest, path_claims, return_claims
from penstock.plan.xquery.schema_graph import SchemaGraph

# The Book DTD of XQuery's use cases: sections hold sections, figures hold none.
BOOK = SchemaGraph(
    {
        "book": ["title", "author", "section"],
        "section": ["title", "p", "figure", "section"],
        "figure": ["title", "image"],
    }
)


def path(text: str) -> tuple[xpath.Step, ...]:
    """`/a//b` as steps."""
    steps = []
    for part in text.replace("//", "/~").split("/")[1:]:
        axis = "descendant" if part.startswith("~") else "child"
        local = part.lstrip("~")
        steps.append(xpath.Step(axis, xpath.NameTest("", None if local == "*" else local)))  # type: ignore[arg-type]
    return tuple(steps)


@pytest.mark.parametrize(
    ("text", "alone", "with_schema"),
    [
        ("/book/section", Claims(1, 4), Claims(1, 4)),
        # One step from the document: nothing can come before it, or twice.
        ("//section", Claims(1, 4), Claims(1, 4)),
        ("/book//section", Claims(1, 4), Claims(1, 4)),
        # Titles of sections within sections come before the titles after them.
        ("/book//section/title", Claims(1, None), Claims(1, None)),
        ("//figure/title", Claims(1, None), Claims(1, 5)),
        ("//section//figure", Claims(None, None), Claims(None, None)),
        ("//book//section", Claims(None, None), Claims(2, 5)),
        ("//figure//title", Claims(None, None), Claims(2, 5)),
        ("//*//title", Claims(None, None), Claims(None, None)),
    ],
)
def test_paths(text: str, alone: Claims, with_schema: Claims) -> None:
    assert path_claims(path(text)) == alone
    assert path_claims(path(text), BOOK) == with_schema


@pytest.mark.parametrize(
    ("binding", "rest", "alone", "with_schema"),
    [
        # The paper's second query: two closures lead to a figure, in the binding alone, whose nodes are made distinct.
        ("//section//figure", "/title", Claims(1, 4), Claims(1, 4)),
        # Its third: claims 1 and 3 are enough for all but the last.
        ("//section", "/title", Claims(3, 4), Claims(3, 4)),
        ("//section", "//figure", Claims(3, 4), Claims(3, 4)),
        ("//section", "//figure/title", Claims(3, None), Claims(3, 5)),
        ("/book", "//section//title", Claims(None, None), Claims(None, None)),
    ],
)
def test_return_paths(binding: str, rest: str, alone: Claims, with_schema: Claims) -> None:
    assert return_claims(path(binding), path(rest)) == alone
    assert return_claims(path(binding), path(rest), BOOK) == with_schema


def test_which_bindings_may_hold_each_other() -> None:
    assert [may_nest(path(text)) for text in ("/book/section", "//section", "//figure")] == [False, True, True]
    assert [may_nest(path(text), BOOK) for text in ("/book/section", "//section", "//figure")] == [False, True, False]


def test_no_claim_is_about_steps_that_are_not_downward() -> None:
    up = (*path("/a"), xpath.Step("parent", xpath.KindTest("node")))
    assert path_claims(up) == Claims(None, None)
    assert may_nest(up)
