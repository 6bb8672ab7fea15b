"""From the normal form to a program of the machine: which part of a query streams, and what waits for what."""

from __future__ import annotations

import dataclasses

from penstock.plan import machine, normal
from penstock.plan.conditions import Conditions, any_sibling
from penstock.plan.counting import place_of
from penstock.plan.hard import Hard
from penstock.plan.reach import Reach, reach_of
from penstock.plan.types import type_of

_INWARD = frozenset({"child", "descendant", "descendant-or-self", "self", "attribute", "namespace"})
_FORWARD: dict[normal.Axis, machine.StepAxis] = {
    "child": "child",
    "descendant": "descendant",
    "descendant-or-self": "descendant-or-self",
    "attribute": "attribute",
    "following-sibling": "following-sibling",
    "following": "following",
}


def lower(expr: normal.Expr, *, running: bool = False, deliver_empty: bool = False) -> machine.Program:
    """The program of a query. What the machine cannot decide by itself is left to the evaluator."""
    try:
        steps, sink, keep = _streamed(expr, running)
    except Hard as hard:
        steps, sink, keep = _at_end(expr, running, str(hard))
    return machine.Program(steps, sink, keep, deliver_empty)


def evaluated(expr: normal.Expr, *, deliver_empty: bool = False) -> machine.Program:
    """The program that leaves everything to the evaluator at the document's end: the measure of all others."""
    steps, sink, keep = _at_end(expr, False, "everything is left to the evaluator")
    return machine.Program(steps, sink, keep, deliver_empty)


_Lowered = tuple[tuple[machine.Step, ...], machine.Sink, machine.Keep]


def _at_end(expr: normal.Expr, running: bool, reason: str) -> _Lowered:
    match expr, type_of(expr):
        case normal.Call(name="count" | "sum" | "avg" | "min" | "max" as function, args=(nodes,)), _ if running:
            tail = machine.Tail(machine.DOCUMENT, nodes, "document", reason)
            return (), machine.Aggregate(function, (tail,), True), "tape"
        case _, "nodes":
            return (), machine.Nodes((machine.Tail(machine.DOCUMENT, expr, "document", reason),)), "source"
        case _, "any":
            return (), machine.Final(expr, reason), "source"
        case _:
            return (), machine.Final(expr, reason), "tape"


def _streamed(expr: normal.Expr, running: bool) -> _Lowered:
    lowering = _Lowering()
    sink: machine.Sink
    match expr, type_of(expr):
        case normal.Call(name="count" | "sum" | "avg" | "min" | "max" as function, args=(nodes,)), _ if (
            type_of(nodes) == "nodes"
        ):
            sink = machine.Aggregate(function, lowering.origins(nodes), running)
        case _, "nodes":
            sink = machine.Nodes(lowering.origins(expr))
        case _, "boolean":
            sink = machine.Truth(lowering.conditions.document(expr))
        case _:
            raise Hard("its value is computed from the whole document")
    return tuple(lowering.conditions.steps), sink, lowering.conditions.keep


class _Lowering:
    """Lowers the paths whose nodes are delivered."""

    def __init__(self) -> None:
        self.conditions = Conditions()

    def origins(self, expr: normal.Expr) -> tuple[machine.Origin, ...]:
        paths = expr.args if isinstance(expr, normal.Union) else (expr,)
        origins = tuple(self._origin(path) for path in paths)
        if len(origins) > 1 and any(isinstance(origin, machine.Tail) for origin in origins):
            # The same node could come from a step and from an evaluation.
            raise Hard("a part of the union is evaluated")
        return origins

    def _origin(self, expr: normal.Expr) -> machine.Origin:
        match expr:
            case normal.Path(start=normal.Root() | normal.Context()):
                return self._path(expr.steps)
            case normal.Filter():
                return machine.Selected(self._placed(expr))
            case normal.Path(start=normal.Filter() as start):
                return self._path(expr.steps, self._placed(start))
            case _:
                raise Hard("not a path from the document")

    def _placed(self, expr: normal.Filter) -> int:
        """The step whose nodes are those of the path at some places, counted over the whole document."""
        origin = self._origin(expr.base)
        if not isinstance(origin, machine.Selected):
            raise Hard("a position among nodes that are evaluated")
        steps = self.conditions.steps
        at = origin.step
        while at != machine.DOCUMENT:
            step = steps[at - 1]
            if step.axis in ("self", "attribute") or not (
                step.condition is None or self.conditions.is_immediate(step.condition)
            ):
                raise Hard("a position among nodes that are not certain at their start tag")
            at = step.start
        last = steps[origin.step - 1]
        conditions = [] if last.condition is None else [last.condition]
        for predicate in expr.predicates:
            place = place_of(predicate)
            if place is None:
                raise Hard("a predicate on the nodes of a whole path")
            conditions.append(machine.Place(*place))
        steps[origin.step - 1] = dataclasses.replace(last, condition=machine.All(tuple(conditions)))
        return origin.step

    def _path(self, steps: tuple[normal.Step, ...], at: int = machine.DOCUMENT) -> machine.Origin:
        while steps:
            saved = self.conditions.save()
            try:
                at, steps = self._step(at, steps)
            except Hard as hard:
                self.conditions.restore(saved)
                return self._tail(at, steps, str(hard))
        return machine.Selected(at)

    def _step(self, at: int, steps: tuple[normal.Step, ...]) -> tuple[int, tuple[normal.Step, ...]]:
        """Adds the next step and returns it with those that are left."""
        if sibling := any_sibling(steps):
            return self.conditions.add_step(at, "descendant", sibling, "trunk", counts_siblings=True), steps[2:]
        step, rest = steps[0], steps[1:]
        if at == machine.DOCUMENT and step.axis == "self" and step.test == normal.KindTest("node"):
            return self.conditions.add_step(at, "self", step, "trunk"), rest
        axis = _FORWARD.get(step.axis)
        if axis is None or (at == machine.DOCUMENT and axis == "attribute"):
            raise Hard(f"the {step.axis} axis")
        if axis == "descendant-or-self" and step.test == normal.KindTest("node") and not rest:
            raise Hard("the document node is among the results")
        if at != machine.DOCUMENT and self.conditions.steps[at - 1].axis == "attribute":
            raise Hard("a step from an attribute")
        return self.conditions.add_step(at, axis, step, "trunk"), rest

    def _tail(self, at: int, rest: tuple[normal.Step, ...], reason: str) -> machine.Origin:
        """The rest of a path, evaluated for each node found so far."""
        if at == machine.DOCUMENT:
            raise Hard(reason)
        anchor = self.conditions.steps[at - 1]
        if anchor.axis not in ("child", "descendant") or not isinstance(anchor.test, normal.NameTest):
            raise Hard(f"{reason}, after a step that an evaluation cannot start from")
        if any(step.axis not in _INWARD for step in rest):
            # Such nodes could be found from several anchors, long after the first.
            raise Hard(reason)
        expr = normal.Path(normal.Context(), rest)
        if reach_of(expr, content=True) <= Reach.END:
            self.conditions.keep_content(at, "source")
            return machine.Tail(at, expr, "end", reason)
        raise Hard(f"{reason}, in a part that reaches beyond the nodes found so far")
