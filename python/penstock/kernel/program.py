"""Writes a program in the form that the engine reads (`crates/engine/src/machine/program.rs`)."""

from __future__ import annotations

import json
from typing import Any

from penstock.kernel.expressions import encode_expression, encode_test
from penstock.kernel.xquery import encode_query
from penstock.plan import machine

VERSION = 1


def encode_program(program: machine.Program) -> bytes:
    """The program as versioned data."""
    return _text(_program(program)).encode()


def _program(program: machine.Program) -> dict[str, Any]:
    data: dict[str, Any] = {
        "version": VERSION,
        "steps": [_step(step) for step in program.steps],
        "sink": _sink(program.sink),
        "keep": program.keep,
        "deliver_empty": program.deliver_empty,
    }
    if program.shared is not None:
        data["shared"] = {"pattern": _program(program.shared.pattern), "work": _work(program.shared.work)}
    return data


def _text(data: Any) -> str:
    return json.dumps(data, separators=(",", ":"), allow_nan=False)


def _work(work: machine.Work) -> dict[str, Any]:
    match work:
        case machine.Bindings():
            # As texts: the engine knows equal queries by them, and reads each once.
            query, doubts = _text(encode_query(work.query)), [_text(encode_query(path)) for path in work.doubts]
            residual = None if work.residual is None else _text(encode_query(work.residual))
            tests = [_test(test) for test in work.tests]
            known = {"query": query, "doubts": doubts, "residual": residual, "is_prompt": work.is_prompt}
            return {"kind": "bindings", **known, "tests": tests}
        case machine.OwnQuery():
            return {"kind": "query"}
        case machine.Verified():
            return {"kind": work.gives, "expr": encode_expression(work.expr)}


def _test(test: machine.Test) -> dict[str, Any]:
    operator: Any = test.operator if test.operator[0].isalpha() else {"compares": test.operator}
    literal = {"kind": test.literal.type, "literal": test.literal.value}
    return {"value": _text(encode_query(test.value)), "test": operator, **literal}


def _step(step: machine.Step) -> dict[str, Any]:
    return {
        "from": step.start,
        "axis": step.axis,
        "test": encode_test(step.test),
        "role": step.role,
        "condition": None if step.condition is None else _condition(step.condition),
        "keep": step.keep,
    }


def _condition(condition: machine.Condition) -> dict[str, Any]:
    match condition:
        case machine.Known():
            return {"op": "known", "value": condition.value}
        case machine.All():
            return {"op": "and", "args": [_condition(arg) for arg in condition.args]}
        case machine.Any():
            return {"op": "or", "args": [_condition(arg) for arg in condition.args]}
        case machine.Not():
            return {"op": "not", "arg": _condition(condition.arg)}
        case machine.Exists():
            return {"op": "exists", "step": condition.step}
        case machine.Is():
            return {"op": "is", "test": encode_test(condition.test)}
        case machine.Value():
            return {"op": "value", "test": _value_test(condition.test)}
        case machine.Up():
            return {"op": "up", "axis": condition.axis, "step": condition.step}
        case machine.Before():
            return {"op": "before", "axis": condition.axis, "step": condition.step}
        case machine.Position():
            return {"op": "position", "comparison": condition.comparison, "value": condition.value}
        case machine.Place():
            return {"op": "place", "comparison": condition.comparison, "value": condition.value}
        case machine.Eval():
            expr = encode_expression(condition.expr)
            return {"op": "eval", "expr": expr, "when": condition.when, "counted": condition.counted}


def _value_test(test: machine.ValueTest) -> dict[str, Any]:
    match test:
        case machine.TextTest():
            return {"fn": "text", "comparison": test.comparison, "value": test.value}
        case machine.NumberTest():
            return {"fn": "number", "comparison": test.comparison, "value": test.value}
        case machine.PartTest():
            return {"fn": test.function, "value": test.value}


def _origin(origin: machine.Origin) -> dict[str, Any]:
    match origin:
        case machine.Selected():
            return {"kind": "step", "step": origin.step}
        case machine.Tail():
            return {"kind": "tail", "step": origin.step, "expr": encode_expression(origin.expr), "when": origin.when}


def _sink(sink: machine.Sink) -> dict[str, Any]:
    match sink:
        case machine.Nodes():
            return {"kind": "nodes", "origins": [_origin(origin) for origin in sink.origins]}
        case machine.Aggregate():
            origins = [_origin(origin) for origin in sink.origins]
            return {"kind": "aggregate", "function": sink.function, "origins": origins, "running": sink.running}
        case machine.Truth():
            return {"kind": "truth", "condition": _condition(sink.condition)}
        case machine.Final():
            return {"kind": "value", "expr": encode_expression(sink.expr)}
        case machine.Query():
            return {"kind": "query", "query": encode_query(sink.query)}
