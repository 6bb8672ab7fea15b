"""Writes a program in the form that the engine reads (`crates/engine/src/machine/program.rs`)."""

from __future__ import annotations

import json
from json.encoder import encode_basestring_ascii as _string
from typing import Any

from penstock.kernel.expressions import encode_expression, encode_test
from penstock.kernel.xquery import encode_query
from penstock.plan import machine, normal

VERSION = 1

_text = json.JSONEncoder(separators=(",", ":"), allow_nan=False).encode


def encode_program(program: machine.Program) -> bytes:
    """The program as versioned data."""
    return _program(program).encode()


# Steps and conditions are written as text at once: as dictionaries first, they took twice the time.


def _program(program: machine.Program) -> str:
    steps = ",".join(map(_step, program.steps))
    deliver_empty = "true" if program.deliver_empty else "false"
    shared = "" if program.shared is None else f',"shared":{_shared(program.shared)}'
    return (
        f'{{"version":{VERSION},"steps":[{steps}],"sink":{_sink(program.sink)},"keep":"{program.keep}",'
        f'"deliver_empty":{deliver_empty}{shared}}}'
    )


def _shared(shared: machine.Shared) -> str:
    return f'{{"pattern":{_program(shared.pattern)},"work":{_text(_work(shared.work))}}}'


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


def _step(step: machine.Step) -> str:
    condition = "null" if step.condition is None else _condition(step.condition)
    return (
        f'{{"from":{step.start},"axis":"{step.axis}","test":{_node_test(step.test)},"role":"{step.role}",'
        f'"condition":{condition},"keep":"{step.keep}"}}'
    )


def _node_test(test: normal.Test) -> str:
    if isinstance(test, normal.NameTest):
        uri = "null" if test.uri is None else _string(test.uri)
        local = "null" if test.local is None else _string(test.local)
        return f'{{"kind":"name","uri":{uri},"local":{local}}}'
    return _text(encode_test(test))


def _condition(condition: machine.Condition) -> str:
    match condition:
        case machine.Exists():
            return f'{{"op":"exists","step":{condition.step}}}'
        case machine.Value():
            return f'{{"op":"value","test":{_value_test(condition.test)}}}'
        case machine.All():
            return f'{{"op":"and","args":[{",".join(map(_condition, condition.args))}]}}'
        case machine.Any():
            return f'{{"op":"or","args":[{",".join(map(_condition, condition.args))}]}}'
        case machine.Not():
            return f'{{"op":"not","arg":{_condition(condition.arg)}}}'
        case machine.Known():
            return f'{{"op":"known","value":{_text(condition.value)}}}'
        case machine.Is():
            return f'{{"op":"is","test":{_node_test(condition.test)}}}'
        case machine.Up():
            return f'{{"op":"up","axis":"{condition.axis}","step":{condition.step}}}'
        case machine.Before():
            return f'{{"op":"before","axis":"{condition.axis}","step":{condition.step}}}'
        case machine.Position():
            return f'{{"op":"position","comparison":"{condition.comparison}","value":{_text(condition.value)}}}'
        case machine.Place():
            return f'{{"op":"place","comparison":"{condition.comparison}","value":{_text(condition.value)}}}'
        case machine.Eval():
            expr, counted = _text(encode_expression(condition.expr)), _text(condition.counted)
            return f'{{"op":"eval","expr":{expr},"when":"{condition.when}","counted":{counted}}}'


def _value_test(test: machine.ValueTest) -> str:
    match test:
        case machine.TextTest():
            return f'{{"fn":"text","comparison":"{test.comparison}","value":{_string(test.value)}}}'
        case machine.NumberTest():
            return f'{{"fn":"number","comparison":"{test.comparison}","value":{_text(test.value)}}}'
        case machine.PartTest():
            return f'{{"fn":"{test.function}","value":{_string(test.value)}}}'


def _origin(origin: machine.Origin) -> str:
    match origin:
        case machine.Selected():
            return f'{{"kind":"step","step":{origin.step}}}'
        case machine.Tail():
            expr = _text(encode_expression(origin.expr))
            return f'{{"kind":"tail","step":{origin.step},"expr":{expr},"when":"{origin.when}"}}'


def _origins(origins: tuple[machine.Origin, ...]) -> str:
    return ",".join(map(_origin, origins))


def _sink(sink: machine.Sink) -> str:
    match sink:
        case machine.Nodes():
            return f'{{"kind":"nodes","origins":[{_origins(sink.origins)}]}}'
        case machine.Aggregate():
            origins, running = _origins(sink.origins), _text(sink.running)
            return f'{{"kind":"aggregate","function":"{sink.function}","origins":[{origins}],"running":{running}}}'
        case machine.Truth():
            return f'{{"kind":"truth","condition":{_condition(sink.condition)}}}'
        case machine.Final():
            return f'{{"kind":"value","expr":{_text(encode_expression(sink.expr))}}}'
        case machine.Query():
            return f'{{"kind":"query","query":{_text(encode_query(sink.query))}}}'
