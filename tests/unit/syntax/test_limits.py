"""Long and deep queries are refused, not suffered."""

import json
import sys

import pytest

from penstock.errors import QueryError
from penstock.kernel.expressions import encode_expression
from penstock.plan.build import build
from penstock.syntax.limits import QueryLimits
from penstock.syntax.printer import to_text
from penstock.syntax.xpath import parse

# How a query is nested n levels deep, and the greatest n that the default limit of 200 allows.
NESTED = {
    "parentheses": (lambda n: "(" * n + "a" + ")" * n, 199),
    "predicates": (lambda n: "a[" * n + "a" + "]" * n, 99),
    "filters": (lambda n: "(" * n + "a" + ")[1]" * n, 198),
    "comparisons in predicates": (lambda n: "a[b = " * n + "1" + "]" * n, 66),
    "calls": (lambda n: "not(" * n + "a" + ")" * n, 199),
    "sums": (lambda n: "1 + " * n + "1", 199),
    "comparisons": (lambda n: "1 = " * n + "1", 199),
    "signs": (lambda n: "-" * n + "1", 199),
    "conditions": (lambda n: "if (a) then " * n + "a" + " else b" * n, 199),
    "alternatives": (lambda n: "if (a) then b else " * n + "a", 199),
    "quantifiers": (lambda n: "some $x in a satisfies " * n + "a", 199),
    "bindings": (lambda n: "some $x in a" + ", $x in a" * (n - 1) + " satisfies a", 199),
    "unions": (lambda n: "(a|" * n + "a" + ")" * n, 199),
    "paths": (lambda n: "(" * n + "a" + ")/b" * n, 199),
}


@pytest.mark.parametrize("kind", NESTED)
def test_the_deepest_query_allowed_goes_all_the_way(kind: str) -> None:
    nested, most = NESTED[kind]
    tree = parse(nested(most))
    assert parse(to_text(tree)) == tree
    expr = build(tree, {})
    assert expr == build(tree, {})
    assert hash(expr) == hash(build(tree, {}))
    assert json.loads(json.dumps(encode_expression(expr)))


@pytest.mark.parametrize("kind", NESTED)
@pytest.mark.parametrize("excess", [1, 50, 2_500])
def test_deeper_queries_are_refused(kind: str, excess: int) -> None:
    nested, most = NESTED[kind]
    with pytest.raises(QueryError) as caught:
        parse(nested(most + excess), QueryLimits(max_length=1_000_000))
    assert caught.value.code == "PNST0002"


@pytest.mark.parametrize("kind", ["and", "or", "|", "/", "[1]"])
def test_length_is_not_depth(kind: str) -> None:
    query = "a" + "[1]" * 5_000 if kind == "[1]" else f" {kind} ".join(["a"] * 5_000)
    assert build(parse(query), {}) is not None


def test_no_recursion_error_even_with_a_limit_beyond_the_stack() -> None:
    limits = QueryLimits(max_length=10_000_000, max_depth=1_000_000)
    with pytest.raises(QueryError) as caught:
        parse("(" * sys.getrecursionlimit() + "a", limits)
    assert caught.value.code == "PNST0002"
    tree = parse("1 + " * (2 * sys.getrecursionlimit()) + "1", limits)
    with pytest.raises(QueryError) as caught:
        build(tree, {})
    assert caught.value.code == "PNST0002"


def test_long_queries_are_refused() -> None:
    assert parse(" " * 65_535 + "a")
    with pytest.raises(QueryError) as caught:
        parse(" " * 65_536 + "a")
    assert caught.value.code == "PNST0001"
    with pytest.raises(QueryError, match="6 characters, more than the 5 allowed"):
        parse("//book", QueryLimits(max_length=5))


@pytest.mark.timeout(10)
@pytest.mark.parametrize(
    "query", ["'" + "a''" * 20_000, "(:" * 30_000, "a" * 60_000 + ":", "1" * 60_000 + "e", "[" * 60_000]
)
def test_hostile_texts_are_refused_fast(query: str) -> None:
    with pytest.raises(QueryError):
        parse(query)
