"""Conditions, put into words."""

from __future__ import annotations

from penstock.plan import machine
from penstock.plan.explain.labels import branch_text, position_text, side_text, test_text, value_text
from penstock.plan.explain.moments import START, Wait
from penstock.plan.explain.timing import Timing
from penstock.plan.explain.view import ConditionView
from penstock.plan.text import query_text


def step_conditions(timing: Timing, number: int) -> tuple[ConditionView, ...]:
    """The conditions on the nodes of a step; all of them must hold."""
    return _conjuncts(timing, timing.step(number).condition, number)


def condition_view(timing: Timing, condition: machine.Condition, number: int) -> ConditionView:
    """A condition on the nodes of the step `number`."""
    latest = timing.condition(condition, number).latest
    match condition:
        case machine.Known():
            return ConditionView("true()" if condition.value else "false()", "known beforehand", latest)
        case machine.All() | machine.Any():
            name = "and" if isinstance(condition, machine.All) else "or"
            parts = tuple(condition_view(timing, arg, number) for arg in condition.args)
            decisive = "false" if name == "and" else "true"
            return ConditionView(
                name, f"as soon as a part is {decisive}, else when all are decided", latest, parts=parts
            )
        case machine.Not():
            part = condition_view(timing, condition.arg, number)
            return ConditionView("not", "when its part is decided", latest, parts=(part,))
        case machine.Is():
            return ConditionView(f"self::{test_text(condition.test)}", "at the start tag", latest)
        case machine.Value():
            when = _at(latest, timing, number)
            if latest not in (START, timing.condition(condition, number).true_from):
                when = f"as soon as its text tells, at the latest {when}"
            return ConditionView(value_text(condition.test), when, latest)
        case machine.Position():
            return ConditionView(position_text(condition), "at the start tag: counted as siblings come", latest)
        case machine.Place():
            when = "at the start tag: counted over the whole document"
            return ConditionView(position_text(condition), when, latest)
        case machine.Eval():
            return ConditionView(
                query_text(condition.expr), _at(latest, timing, number), latest, "evaluator", condition.reason
            )
        case machine.Exists():
            return _exists(timing, condition.step, latest)
        case machine.Up():
            text = side_text(condition.axis, timing.step(condition.step))
            when = (
                "at the start tag: known from the elements that are open"
                if latest.moment == "start"
                else f"with its own conditions, at the latest {latest.phrase()}"
            )
            return _with_parts(timing, condition.step, text, when, latest)
        case machine.Before():
            text = side_text(condition.axis, timing.step(condition.step))
            when = "at the start tag: known from what came before"
            if latest.moment != "start":
                when = f"known from what came before, but for its own conditions: at the latest {latest.phrase()}"
            return _with_parts(timing, condition.step, text, when, latest)


def _exists(timing: Timing, branch: int, latest: Wait) -> ConditionView:
    step = timing.step(branch)
    name = test_text(step.test)
    own = timing.own(branch).true_from.moment
    is_text_tested = isinstance(step.condition, machine.Value) and timing.is_element(branch)
    comes = "ends" if own == "end" else "is certain" if is_text_tested else "comes"
    if step.axis == "attribute":
        when = "at the start tag"
    elif step.axis == "following-sibling":
        when = f"while later siblings come: as soon as a matching {name} {comes}, else {latest.phrase()}"
    elif own in ("ancestor", "document") or (own == "parent" and step.axis != "child"):
        when = f"with the conditions below, at the latest {latest.phrase()}"
    elif step.start == machine.DOCUMENT or step.axis == "following":
        where = " after it" if step.axis == "following" else " anywhere" if step.axis == "descendant" else ""
        when = f"as soon as a matching {name} {comes}{where}, else {latest.phrase()}"
    elif own == "parent":
        when = latest.phrase()
    else:
        when = f"as soon as a matching {name} {comes}, else {latest.phrase()}"
    return _with_parts(timing, branch, branch_text(step), when, latest)


def _with_parts(timing: Timing, number: int, text: str, when: str, latest: Wait) -> ConditionView:
    """A condition along a step, with the conditions on that step's nodes; a test of their value is written with it."""
    condition = timing.step(number).condition
    if isinstance(condition, machine.Value):
        return ConditionView(value_text(condition.test, text), when, latest)
    return ConditionView(text, when, latest, parts=_conjuncts(timing, condition, number))


def _conjuncts(timing: Timing, condition: machine.Condition | None, number: int) -> tuple[ConditionView, ...]:
    match condition:
        case None:
            return ()
        case machine.All():
            return tuple(view for arg in condition.args for view in _conjuncts(timing, arg, number))
        case _:
            return (condition_view(timing, condition, number),)


def _at(latest: Wait, timing: Timing, number: int) -> str:
    if number != machine.DOCUMENT and not timing.is_element(number) and latest.moment == "start":
        return "as soon as it is read"
    return latest.phrase()
