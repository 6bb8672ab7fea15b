"""From a program to what there is to say about it."""

from __future__ import annotations

from penstock.plan import machine, normal
from penstock.plan.explain.conditions import condition_view, step_conditions
from penstock.plan.explain.holdings import holdings, verdict
from penstock.plan.explain.labels import edge_text, one_line, test_text
from penstock.plan.explain.moments import Bounds
from penstock.plan.explain.timing import Timing
from penstock.plan.explain.view import PathView, QueryView, RestView, Result, StepView
from penstock.plan.indexable import is_indexable
from penstock.plan.text import query_text
from penstock.plan.xquery.sharing import told_of_paths

_DOCUMENT = "document"
_KEEPS: dict[machine.Keep, str] = {"nothing": "", "tape": "its nodes", "source": "its nodes and its source"}


def describe(name: str, query: str, program: machine.Program) -> QueryView:
    """Everything that `explain` shows of one query."""
    # The messages of some queries are made as soon as the machine is certain of a binding: it runs their pattern.
    work = None if program.shared is None else program.shared.work
    is_prompt = isinstance(work, machine.Bindings) and work.is_prompt
    run = program.shared.pattern if program.shared is not None and is_prompt else program
    timing = Timing(run)
    result, gives = _result(program.sink)
    judged, because = verdict(run, timing)
    delivered = _delivered(run.sink, timing)
    return QueryView(
        id=name,
        query=query,
        result=result,
        gives=gives,
        delivered=delivered
        if run is program
        else f"in a feed for each binding {delivered}, else at the document's end",
        paths=_paths(run, timing),
        holds=holdings(run, timing),
        verdict=judged,
        because=because,
        among_many=_among_many(program),
    )


def _among_many(program: machine.Program) -> tuple[str, ...]:
    """What becomes of the query in a broker with many, which works them out together."""
    if is_indexable(program):
        return ("exact: an index finds the nodes",)
    says: tuple[str, ...] = ("streamed: each document is read for it",)
    if program.shared is not None and is_indexable(program.shared.pattern):
        says = program.shared.says
    return (*says, *told_of_paths(program.sink.query)) if isinstance(program.sink, machine.Query) else says


def _result(sink: machine.Sink) -> tuple[Result, str]:
    match sink:
        case machine.Nodes():
            return "nodes", "each node that is selected"
        case machine.Aggregate(running=True):
            return "running aggregate", f"the {sink.function} so far, whenever it changes"
        case machine.Aggregate():
            return "aggregate", f"the {sink.function} of the nodes that are selected"
        case machine.Truth():
            return "truth", "true or false"
        case machine.Final():
            return "value", "the value of an expression"
        case machine.Query():
            return "items", "each item of the query's value"


# When results come


def _delivered(sink: machine.Sink, timing: Timing) -> str:
    match sink:
        case machine.Nodes():
            return _each([_origin_delivered(origin, timing) for origin in sink.origins])
        case machine.Aggregate(running=True):
            return "with each node: " + _each(
                [_origin_delivered(origin, timing, sink.function) for origin in sink.origins]
            )
        case machine.Truth():
            bounds = timing.condition(sink.condition, machine.DOCUMENT)
            if bounds.true_from.moment == "start":
                return (
                    "true as soon as it is certain; false at the document's end" if bounds.latest.is_far else "at once"
                )
            if bounds.false_from.moment == "start":
                return "false as soon as it is certain; true at the document's end"
            return "at the document's end"
        case _:
            return "at the document's end"


def _each(phrases: list[str]) -> str:
    return "; or ".join(dict.fromkeys(phrases))


def _origin_delivered(origin: machine.Origin, timing: Timing, function: machine.Function | None = None) -> str:
    if origin.step == machine.DOCUMENT:
        return "at the document's end"
    bounds = timing.trunk(timing.way(origin.step))
    if isinstance(origin, machine.Tail):
        return _between(f"at the end of the {timing.name(origin.step)} it is found in", bounds)
    if timing.is_element(origin.step) and function != "count":
        return _between("at its end tag", bounds)
    if timing.is_element(origin.step) or timing.step(origin.step).axis == "attribute":
        whose = "its" if timing.is_element(origin.step) else "its element's"
        return _between(f"at {whose} start tag", bounds, ends="start")
    return _between("as soon as it is read", bounds, ends="start")


def _between(earliest: str, bounds: Bounds, ends: str = "end") -> str:
    """A node is delivered when it is complete and certain."""
    at_once = ("start",) if ends == "start" else ("start", "end")
    if bounds.latest.moment in at_once:
        return earliest
    if bounds.true_from == bounds.latest:
        return bounds.latest.phrase()
    first = earliest if bounds.true_from.moment in at_once else bounds.true_from.phrase()
    return f"{first} at the earliest, {bounds.latest.phrase()} at the latest"


# The machine


def _paths(program: machine.Program, timing: Timing) -> tuple[PathView, ...]:
    document = StepView("", _DOCUMENT, keeps=_KEEPS[program.keep])
    match program.sink:
        case machine.Nodes() | machine.Aggregate():
            return tuple(_path(origin, document, timing) for origin in program.sink.origins)
        case machine.Truth():
            condition = condition_view(timing, program.sink.condition, machine.DOCUMENT)
            return (PathView((StepView("", _DOCUMENT, (condition,), document.keeps),)),)
        case machine.Final():
            rest = RestView(query_text(program.sink.expr), "at the document's end", "document", program.sink.reason)
            return (PathView((document,), rest),)
        case machine.Query():
            rest = RestView(one_line(program.sink.text), "at the document's end", "document", program.sink.reason)
            return (PathView((document,), rest),)


def _path(origin: machine.Origin, document: StepView, timing: Timing) -> PathView:
    steps = (document, *_steps(timing.way(origin.step), timing))
    if isinstance(origin, machine.Selected):
        return PathView(steps)
    when = timing.end(origin.step)
    return PathView(steps, RestView(query_text(origin.expr), when.phrase(), when.moment, origin.reason))


def _steps(numbers: tuple[int, ...], timing: Timing) -> list[StepView]:
    """The steps of a path; `/descendant-or-self::node()/a` is shown as `//a`."""
    views: list[StepView] = []
    through_all = False
    for place, number in enumerate(numbers):
        step = timing.step(number)
        is_last = place == len(numbers) - 1
        if _passes_all(step) and not is_last and timing.step(numbers[place + 1]).axis in ("child", "attribute"):
            through_all = True
            continue
        edge = "/" * through_all + edge_text(step.axis)
        views.append(StepView(edge, test_text(step.test), step_conditions(timing, number), _KEEPS[step.keep]))
        through_all = False
    return views


def _passes_all(step: machine.Step) -> bool:
    every = step.axis == "descendant-or-self" and step.test == normal.KindTest("node")
    return every and step.condition is None and step.keep == "nothing"
