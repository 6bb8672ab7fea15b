"""Which programs an index can hold: paths downward whose predicates look downward."""

from __future__ import annotations

from penstock.plan import machine

_TRUNK = frozenset(("child", "descendant", "attribute"))
_BRANCH = _TRUNK | {"descendant-or-self"}


def is_indexable(program: machine.Program) -> bool:
    """Whether an index finds all results of a program; the engine's `index/pattern.rs` decides in the same way."""
    if not isinstance(program.sink, machine.Nodes):
        return False
    if not all(isinstance(origin, machine.Selected) for origin in program.sink.origins):
        return False
    return all(_holds(step, program) for step in program.steps)


def _holds(step: machine.Step, program: machine.Program) -> bool:
    axes = _TRUNK if step.role == "trunk" else _BRANCH
    return step.role != "side" and step.axis in axes and (step.condition is None or _decides(step.condition, program))


def _decides(condition: machine.Condition, program: machine.Program) -> bool:
    match condition:
        case machine.Exists():
            return program.steps[condition.step - 1].start != machine.DOCUMENT
        case machine.All() | machine.Any():
            return all(_decides(arg, program) for arg in condition.args)
        case machine.Not():
            return _decides(condition.arg, program)
        case machine.Up() | machine.Before() | machine.Eval():
            return False
        case _:
            return True
