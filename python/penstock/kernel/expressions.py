"""Expressions of the normal form as the engine reads them: the serde form of `crates/engine/src/ir.rs`."""

from __future__ import annotations

import math
from typing import Any

from penstock.plan import normal


def encode_expression(expr: normal.Expr) -> dict[str, Any]:
    """Plain dictionaries, lists, strings and finite floats, ready for JSON.

    >>> encode_expression(normal.Negate(normal.Number(1.5)))
    {'op': 'negate', 'arg': {'op': 'number', 'value': 1.5}}
    """
    match expr:
        case normal.Number():
            return _number(expr.value)
        case normal.String():
            return {"op": "string", "value": expr.value}
        case normal.Variable():
            return {"op": "variable", "name": expr.name}
        case normal.Context():
            return {"op": "context"}
        case normal.Root():
            return {"op": "root"}
        case normal.Path():
            return {"op": "path", "start": encode_expression(expr.start), "steps": list(map(encode_step, expr.steps))}
        case normal.Filter():
            return {"op": "filter", "base": encode_expression(expr.base), "predicates": _all(expr.predicates)}
        case normal.Union():
            return {"op": "union", "args": _all(expr.args)}
        case normal.Or():
            return {"op": "or", "args": _all(expr.args)}
        case normal.And():
            return {"op": "and", "args": _all(expr.args)}
        case normal.Compare():
            left, right = encode_expression(expr.left), encode_expression(expr.right)
            return {"op": "compare", "comparison": expr.comparison, "left": left, "right": right}
        case normal.Arithmetic():
            left, right = encode_expression(expr.left), encode_expression(expr.right)
            return {"op": "arithmetic", "operator": expr.operator, "left": left, "right": right}
        case normal.Negate():
            return {"op": "negate", "arg": encode_expression(expr.arg)}
        case normal.Call():
            return {"op": "call", "name": expr.name, "args": _all(expr.args)}
        case normal.If():
            return {
                "op": "if",
                "condition": encode_expression(expr.condition),
                "then": encode_expression(expr.then),
                "otherwise": encode_expression(expr.otherwise),
            }
        case normal.Quantified():
            return {
                "op": "quantified",
                "every": expr.every,
                "variable": expr.variable,
                "domain": encode_expression(expr.domain),
                "satisfies": encode_expression(expr.satisfies),
            }


def encode_step(step: normal.Step) -> dict[str, Any]:
    """A step, with its axis, test and predicates."""
    return {"axis": step.axis, "test": encode_test(step.test), "predicates": _all(step.predicates)}


def encode_test(test: normal.Test) -> dict[str, Any]:
    """A node test; None stands for a wildcard."""
    if isinstance(test, normal.NameTest):
        return {"kind": "name", "uri": test.uri, "local": test.local}
    if test.kind == "instruction":
        return {"kind": "instruction", "target": test.target}
    return {"kind": test.kind}


def _all(exprs: tuple[normal.Expr, ...]) -> list[dict[str, Any]]:
    return list(map(encode_expression, exprs))


def _number(value: float) -> dict[str, Any]:
    if math.isfinite(value):
        return {"op": "number", "value": float(value)}
    # JSON has no infinities: divide by zero, which XPath defines.
    dividend = 0.0 if math.isnan(value) else math.copysign(1.0, value)
    left, right = {"op": "number", "value": dividend}, {"op": "number", "value": 0.0}
    return {"op": "arithmetic", "operator": "div", "left": left, "right": right}
