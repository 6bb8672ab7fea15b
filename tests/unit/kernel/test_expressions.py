"""The encoded form, field by field as the engine's types have them."""

import json
import math

import pytest

from penstock.kernel.expressions import encode_expression
from penstock.plan import normal
from penstock.plan.build import build
from penstock.syntax.xpath import parse

A = {
    "op": "path",
    "start": {"op": "context"},
    "steps": [{"axis": "child", "test": {"kind": "name", "uri": "", "local": "a"}, "predicates": []}],
}
ONE = {"op": "number", "value": 1.0}
X = {"op": "variable", "name": "x"}


@pytest.mark.parametrize(
    ("query", "encoded"),
    [
        ("1", ONE),
        ("'x'", {"op": "string", "value": "x"}),
        (".", {"op": "context"}),
        ("/", {"op": "root"}),
        ("a", A),
        ("(a)[1]", {"op": "filter", "base": A, "predicates": [ONE]}),
        ("a | a", {"op": "union", "args": [A, A]}),
        ("a or 1", {"op": "or", "args": [A, ONE]}),
        ("a and 1", {"op": "and", "args": [A, ONE]}),
        ("a <= 1", {"op": "compare", "comparison": "<=", "left": A, "right": ONE}),
        ("a mod 1", {"op": "arithmetic", "operator": "mod", "left": A, "right": ONE}),
        ("-a", {"op": "negate", "arg": A}),
        ("count(a)", {"op": "call", "name": "count", "args": [A]}),
        ("if (a) then a else 1", {"op": "if", "condition": A, "then": A, "otherwise": ONE}),
        (
            "every $x in a satisfies $x",
            {"op": "quantified", "every": True, "variable": "x", "domain": A, "satisfies": X},
        ),
    ],
)
def test_expressions(query: str, encoded: dict[str, object]) -> None:
    assert encode_expression(build(parse(query), {})) == encoded


@pytest.mark.parametrize(
    ("test", "encoded"),
    [
        ("node()", {"kind": "node"}),
        ("text()", {"kind": "text"}),
        ("comment()", {"kind": "comment"}),
        ("processing-instruction()", {"kind": "instruction", "target": None}),
        ("processing-instruction('t')", {"kind": "instruction", "target": "t"}),
        ("*", {"kind": "name", "uri": None, "local": None}),
        ("*:a", {"kind": "name", "uri": None, "local": "a"}),
        ("Q{urn:p}*", {"kind": "name", "uri": "urn:p", "local": None}),
    ],
)
def test_node_tests(test: str, encoded: dict[str, object]) -> None:
    (step,) = encode_expression(build(parse(f"following-sibling::{test}[1]"), {}))["steps"]
    assert step == {"axis": "following-sibling", "test": encoded, "predicates": [ONE]}


@pytest.mark.parametrize("value", [0.0, 0.1, 1 / 3, 5e-324, 1.7976931348623157e308, 12345678901234567890.0])
def test_finite_numbers_survive_json(value: float) -> None:
    assert json.loads(json.dumps(encode_expression(normal.Number(value))))["value"] == value


@pytest.mark.parametrize(("value", "dividend"), [(math.inf, 1.0), (-math.inf, -1.0), (math.nan, 0.0)])
def test_other_numbers_become_divisions(value: float, dividend: float) -> None:
    encoded = encode_expression(normal.Number(value))
    assert (encoded["op"], encoded["operator"]) == ("arithmetic", "div")
    assert (encoded["left"]["value"], encoded["right"]["value"]) == (dividend, 0.0)
    json.dumps(encoded, allow_nan=False)
