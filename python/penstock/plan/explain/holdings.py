"""What a query holds in memory, and what follows for endless input."""

from __future__ import annotations

from collections.abc import Iterator

from penstock.plan import machine
from penstock.plan.explain.conditions import step_conditions
from penstock.plan.explain.moments import START, Wait, later
from penstock.plan.explain.timing import Timing
from penstock.plan.explain.view import ConditionView, Verdict

_KEPT: dict[machine.Keep, str] = {"nothing": "", "tape": "the nodes", "source": "the nodes and the source"}


def holdings(program: machine.Program, timing: Timing) -> tuple[str, ...]:
    """What is held at most, apart from the open elements' names and the conditions that wait."""
    held = [_candidate(program.sink, origin, timing) for origin in _selected(program.sink)]
    for number, step in enumerate(program.steps, start=1):
        if step.keep != "nothing":
            held.append(f"{_KEPT[step.keep]} of each {timing.name(number) or 'element'} that may match, until its end")
    if program.keep != "nothing":
        held.append(f"{_KEPT[program.keep]} of the whole document")
    if isinstance(program.sink, machine.Aggregate):
        # Sums of fractions depend on the order: they are made in that of the document.
        is_ordered = program.sink.function in ("sum", "avg") and not program.sink.running
        held.append("one number" + (", and those that come while one before them is undecided" if is_ordered else ""))
    return tuple(dict.fromkeys(filter(None, held)))


def verdict(program: machine.Program, timing: Timing) -> tuple[Verdict, str]:
    """Which kind of query it is, and why."""
    if program.keep != "nothing":
        reasons = "; ".join(dict.fromkeys(_far_reasons(program)))
        return "document", f"{_KEPT[program.keep]} of the whole document are held ({reasons})"
    wait = _longest_wait(program, timing)
    if wait.is_far:
        return "document", _far(program, timing, wait)
    if wait.moment in ("parent", "ancestor"):
        unnamed = ("its parent", "that parent") if wait.moment == "parent" else ("an enclosing element", "that element")
        until, bound = (wait.of, f"one {wait.of}") if wait.of else unnamed
        return "element", f"results may be undecided until the end of {until}; memory is bounded by {bound}"
    kept = [
        timing.name(number) or "element" for number, step in enumerate(program.steps, start=1) if step.keep != "nothing"
    ]
    if kept:
        names = " and one ".join(dict.fromkeys(kept))
        return "element", f"it is evaluated at the end of {kept[0]}; memory is bounded by one {names}"
    return "streams", _streams(program.sink, timing)


def _far(program: machine.Program, timing: Timing, wait: Wait) -> str:
    if wait.moment == "end":
        return "a result is the document element, as large as the document"
    conditions = [view for number in range(1, len(program.steps) + 1) for view in step_conditions(timing, number)]
    deciding = ", ".join(dict.fromkeys(f"[{text}]" for view in conditions for text in _far_parts(view)))
    until = "the document's end" if wait.moment == "document" else f"the end of {wait.of}, the document element"
    return f"results may be undecided until {until}, because of {deciding}"


def _far_parts(view: ConditionView) -> Iterator[str]:
    """The innermost conditions that may stay undecided as long as the document goes on."""
    if view.latest.is_far:
        inner = [text for part in view.parts for text in _far_parts(part)]
        yield from inner or [view.text]


def _streams(sink: machine.Sink, timing: Timing) -> str:
    match sink:
        case machine.Nodes():
            elements = [
                timing.name(origin.step) or "element" for origin in sink.origins if timing.is_element(origin.step)
            ]
            if elements:
                return f"memory is bounded by one {' or '.join(dict.fromkeys(elements))}"
            return "each result leaves as soon as it is read"
        case machine.Aggregate():
            return "only the number so far is held"
        case _:
            return "nothing of the document is held"


def _selected(sink: machine.Sink) -> tuple[machine.Origin, ...]:
    return sink.origins if isinstance(sink, machine.Nodes | machine.Aggregate) else ()


def _candidate(sink: machine.Sink, origin: machine.Origin, timing: Timing) -> str:
    """What is held of a node that may become a result."""
    if isinstance(origin, machine.Tail):
        return ""
    name = timing.name(origin.step) or "node"
    undecided = timing.trunk(timing.way(origin.step)).latest.moment != "start"
    if isinstance(sink, machine.Aggregate):
        if sink.function != "count" and timing.is_element(origin.step):
            return f"the text of each {name} while it is open"
        return f"a mark for each {name} that is undecided" if undecided else ""
    if timing.is_element(origin.step):
        return f"the source of each {name} until it is delivered or dropped"
    if timing.step(origin.step).axis == "attribute":
        name = f"@{name}"
    return f"each {name} until it is delivered or dropped" if undecided else ""


def _longest_wait(program: machine.Program, timing: Timing) -> Wait:
    """How long results stay undecided; for a truth, how long the marks of its branches do."""
    if isinstance(program.sink, machine.Truth):
        waits = [timing.own(number).latest for number in range(1, len(program.steps) + 1)]
        return later(START, *(wait for wait in waits if wait.moment == "document"))
    waits = [START]
    for origin in _selected(program.sink):
        waits.append(timing.trunk(timing.way(origin.step)).latest)
        if isinstance(program.sink, machine.Nodes):
            waits.append(timing.result_end(origin.step))
    return max(waits, key=lambda wait: (wait.is_far, wait.rank))


def _far_reasons(program: machine.Program) -> Iterator[str]:
    """Why parts of the program are left to the evaluator at the document's end."""
    match program.sink:
        case machine.Final() | machine.Query():
            yield program.sink.reason
        case machine.Nodes() | machine.Aggregate():
            yield from (origin.reason for origin in program.sink.origins if isinstance(origin, machine.Tail))
        case machine.Truth():
            yield from _evaluations(program.sink.condition)
    for step in program.steps:
        yield from _evaluations(step.condition)


def _evaluations(condition: machine.Condition | None) -> Iterator[str]:
    match condition:
        case machine.Eval(when="document"):
            yield condition.reason
        case machine.All() | machine.Any():
            for arg in condition.args:
                yield from _evaluations(arg)
        case machine.Not():
            yield from _evaluations(condition.arg)
