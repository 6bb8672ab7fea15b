"""From predicates to conditions that the machine decides at the earliest event."""

from __future__ import annotations

import dataclasses
import re
from typing import Literal

from penstock.plan import machine, normal
from penstock.plan.counting import FLIPPED, counted, place_of
from penstock.plan.hard import Hard
from penstock.plan.reach import Reach, reach_of
from penstock.plan.types import is_positional, type_of, uses_last, uses_position

_BRANCH_AXES: dict[normal.Axis, machine.StepAxis] = {
    "child": "child",
    "descendant": "descendant",
    "attribute": "attribute",
    "following-sibling": "following-sibling",
    "following": "following",
}
_UP_AXES: dict[normal.Axis, machine.UpAxis] = {"parent": "parent", "ancestor": "ancestor"}
_BEFORE_AXES: dict[normal.Axis, machine.BeforeAxis] = {
    "preceding-sibling": "preceding-sibling",
    "preceding": "preceding",
}
_WHEN: dict[Reach, machine.When] = {
    Reach.START: "start",
    Reach.END: "end",
    Reach.PARENT: "parent",
    Reach.DOCUMENT: "document",
}
_KEEP_ORDER: tuple[machine.Keep, ...] = ("nothing", "tape", "source")
_NODE = normal.KindTest("node")
_CONTEXT = normal.Context()
_OWN_NAME = normal.Call("local-name", (_CONTEXT,))
_SIZE, _POSITION = normal.Call("last", ()), normal.Call("position", ())
_LAST = (_SIZE, normal.Compare("=", _POSITION, _SIZE), normal.Compare("=", _SIZE, _POSITION))
# What XPath 1.0 reads as a number.
_NUMERAL = re.compile(r"[ \t\r\n]*-?(\d+(\.\d*)?|\.\d+)[ \t\r\n]*\Z", re.ASCII)

Last = machine.Value | machine.Place
"""What is asked of the last node of a path."""

NodeKind = Literal["document", "element", "attribute", "leaf", "mixed"]


class Conditions:
    """Collects the steps of one program while its predicates are lowered."""

    def __init__(self) -> None:
        self.steps: list[machine.Step] = []
        self.keep: machine.Keep = "nothing"
        self._counting_siblings: set[int] = set()

    def save(self) -> tuple[list[machine.Step], machine.Keep]:
        return list(self.steps), self.keep

    def restore(self, saved: tuple[list[machine.Step], machine.Keep]) -> None:
        self.steps, self.keep = list(saved[0]), saved[1]
        self._counting_siblings = {number for number in self._counting_siblings if number <= len(self.steps)}

    def document(self, expr: normal.Expr) -> machine.Condition:
        """The condition that an expression is true of the document node."""
        return self._truth(expr, machine.DOCUMENT)

    def add_step(
        self,
        start: int,
        axis: machine.StepAxis,
        step: normal.Step,
        role: machine.Role,
        value: Last | None = None,
        *,
        counts_siblings: bool = False,
    ) -> int:
        """Adds a step with the conditions of its predicates (and one on its value); returns its number.

        `counts_siblings`: positions are those among siblings although the axis is another, as in `//a[1]`.
        """
        self.steps.append(machine.Step(start, axis, step.test, role))
        number = len(self.steps)
        if counts_siblings or axis == "child":
            self._counting_siblings.add(number)
        if step.predicates:
            self._set_condition(number, self._predicates(number, step, value))
        elif value is not None:
            self._set_condition(number, value)
        return number

    def _set_condition(self, number: int, condition: machine.Condition | None) -> None:
        own = self.steps[number - 1]
        self.steps[number - 1] = machine.Step(own.start, own.axis, own.test, own.role, condition, own.keep)

    def keep_content(self, number: int, keep: machine.Keep) -> None:
        """An evaluation needs the content of the nodes that the step matches."""
        if number == machine.DOCUMENT:
            self.keep = max(self.keep, keep, key=_KEEP_ORDER.index)
        else:
            step = self.steps[number - 1]
            self.steps[number - 1] = dataclasses.replace(step, keep=max(step.keep, keep, key=_KEEP_ORDER.index))

    def _kind(self, number: int) -> NodeKind:
        if number == machine.DOCUMENT:
            return "document"
        step = self.steps[number - 1]
        if step.axis == "self":
            return "document"
        if step.axis == "attribute":
            return "attribute"
        if isinstance(step.test, normal.NameTest):
            return "element"
        return "mixed" if step.test == _NODE else "leaf"

    def _may_be_document(self, number: int) -> bool:
        return number == machine.DOCUMENT or (
            self.steps[number - 1].axis == "descendant-or-self" and self.steps[number - 1].test == _NODE
        )

    # Predicates of a step

    def _predicates(self, number: int, step: normal.Step, value: Last | None) -> machine.Condition | None:
        conditions: list[machine.Condition] = []
        counted = list(map(is_positional, step.predicates))
        for index, predicate in enumerate(step.predicates):
            if counted[index]:
                conditions.append(self._position(number, step, index, conditions))
            else:
                conditions.append(self._truth(predicate, number))
        if value is not None:
            conditions.append(value)
        return _conjunction(conditions if any(counted) else self._soonest_first(conditions))

    def _soonest_first(self, conditions: list[machine.Condition]) -> list[machine.Condition]:
        """What is known at once comes first: it may spare the rest."""
        if len(conditions) < 2:
            return conditions
        return sorted(conditions, key=lambda condition: not self.is_immediate(condition))

    def _position(
        self, number: int, step: normal.Step, index: int, before: list[machine.Condition]
    ) -> machine.Condition:
        """A predicate that counts: among siblings, and only if those before it are known at the start tag."""
        predicate = step.predicates[index]
        place = place_of(predicate)
        if number not in self._counting_siblings:
            own = self.steps[number - 1]
            if (own.start, own.axis) == (machine.DOCUMENT, "descendant") and place and self._are_immediate(before):
                return machine.Place(*place)
            raise Hard("positions along an axis other than child")
        if _is_last(predicate):
            if any(is_positional(earlier) for earlier in step.predicates[:index]):
                raise Hard("last() after another position")
            later = normal.Step("following-sibling", step.test, step.predicates[:index])
            return machine.Not(self._first_step(number, (later,), None))
        if uses_last(predicate) or not self._are_immediate(before):
            raise Hard("a position that depends on what comes later")
        if place:
            return machine.Position(*place)
        if type_of(predicate) == "any" or reach_of(predicate) > Reach.START or self._kind(number) != "element":
            raise Hard("a computed position")
        if type_of(predicate) == "number":
            predicate = normal.Compare("=", normal.Call("position", ()), predicate)
        return machine.Eval(predicate, "start", counted=True, reason="a computed position")

    def _are_immediate(self, conditions: list[machine.Condition]) -> bool:
        return all(self.is_immediate(condition) for condition in conditions)

    def is_immediate(self, condition: machine.Condition) -> bool:
        """Whether the machine knows it at the element's start tag."""
        match condition:
            case machine.Known() | machine.Is() | machine.Position() | machine.Place():
                return True
            case machine.All() | machine.Any():
                return all(self.is_immediate(arg) for arg in condition.args)
            case machine.Not():
                return self.is_immediate(condition.arg)
            case machine.Exists():
                return self.steps[condition.step - 1].axis == "attribute"
            case machine.Eval():
                return condition.when == "start"
            case _:
                return False

    # Boolean expressions

    def _truth(self, expr: normal.Expr, number: int) -> machine.Condition:
        saved = self.save()
        try:
            return self._decided(expr, number)
        except Hard as hard:
            self.restore(saved)
            return self._evaluated(expr, number, str(hard))

    def _evaluated(self, expr: normal.Expr, number: int, reason: str) -> machine.Condition:
        kind = self._kind(number)
        reach = reach_of(expr)
        if kind in ("leaf", "mixed") or uses_last(expr) or uses_position(expr):
            raise Hard("a condition on a node that is not an element")
        if kind == "attribute":
            if reach > Reach.END:
                raise Hard("a condition on what surrounds an attribute")
            return machine.Eval(expr, "start", reason=reason)
        if kind == "document":
            raise Hard(reason)
        if reach == Reach.PARENT:
            step = self.steps[number - 1]
            if step.axis == "child" and step.role != "side":
                self.keep_content(step.start, "tape")
            else:
                reach = Reach.DOCUMENT
        if reach == Reach.END:
            self.keep_content(number, "tape")
        elif reach == Reach.DOCUMENT:
            self.keep_content(machine.DOCUMENT, "tape")
        return machine.Eval(expr, _WHEN[reach], reason=reason)

    def _decided(self, expr: normal.Expr, number: int) -> machine.Condition:
        match expr:
            case normal.Path():
                return self._some(expr, number, None)
            case normal.Compare():
                return self._comparison(expr, number)
            case normal.And():
                return machine.All(tuple(self._soonest_first([self._truth(arg, number) for arg in expr.args])))
            case normal.Or():
                return machine.Any(tuple(self._soonest_first([self._truth(arg, number) for arg in expr.args])))
            case normal.Call(name="true" | "false"):
                return machine.Known(expr.name == "true")
            case normal.Call(name="not" | "empty"):
                return machine.Not(self._truth(expr.args[0], number))
            case normal.Call(name="boolean" | "exists") if type_of(expr.args[0]) != "number":
                return self._truth(expr.args[0], number)
            case normal.Call(
                name="contains" | "starts-with" | "ends-with" as function, args=(what, normal.String(value=text))
            ):
                if not text:
                    return machine.Known(True)
                return self._of_first(what, number, machine.Value(machine.PartTest(function, text)))
            case normal.If():
                then = machine.All((self._truth(expr.condition, number), self._truth(expr.then, number)))
                # Lowered once more: a condition's steps serve one place.
                otherwise = machine.All(
                    (machine.Not(self._truth(expr.condition, number)), self._truth(expr.otherwise, number))
                )
                return machine.Any((then, otherwise))
            case normal.Union():
                return machine.Any(tuple(self._truth(arg, number) for arg in expr.args))
            case normal.Context() | normal.Root():
                return self._some(expr, number, None)
            case normal.String():
                return machine.Known(bool(expr.value))
            case _:
                raise Hard("a computed condition")

    def _comparison(self, expr: normal.Compare, number: int) -> machine.Condition:
        left, right, comparison = expr.left, expr.right, expr.comparison
        if isinstance(left, normal.Number | normal.String | normal.Negate):
            left, right, comparison = right, left, FLIPPED[comparison]
        constant = _constant(right)
        if constant is None:
            raise Hard("a comparison of two computed values")
        if _is_own_name(left) and comparison in ("=", "!=") and isinstance(constant, str) and constant:
            if self._kind(number) != "element":
                raise Hard("the name of a node that may not be an element")
            named = machine.Is(normal.NameTest(None, constant))
            return named if comparison == "=" else machine.Not(named)
        if isinstance(left, normal.Call) and left.name == "count" and isinstance(constant, float):
            return self._count(left.args[0], comparison, constant, number)
        test = _value_test(comparison, constant)
        if isinstance(test, machine.Known):
            return test
        match left:
            case normal.Call(name="string", args=(what,)) if (
                comparison == "=" and isinstance(constant, str) and constant
            ):
                return self._of_first(what, number, test)
            case normal.Call(name="number", args=(what,)) if comparison != "!=" and isinstance(
                test.test, machine.NumberTest
            ):
                return self._of_first(what, number, test)
        if type_of(left) != "nodes":
            raise Hard("a comparison of a computed value")
        return self._some(left, number, test)

    def _count(
        self, nodes: normal.Expr, comparison: normal.ComparisonOperator, constant: float, number: int
    ) -> machine.Condition:
        return counted(comparison, constant, lambda least: self._nth(nodes, number, least))

    def _nth(self, nodes: normal.Expr, number: int, place: int) -> machine.Condition:
        """There is a node at this place, counted from 1."""
        if place == 1:
            return self._some(nodes, number, None)
        match nodes:
            case normal.Path(start=normal.Context(), steps=(normal.Step(axis="child") as step,)):
                nth = dataclasses.replace(step, predicates=(*step.predicates, normal.Number(float(place))))
                return self._first_step(number, (nth,), None)
            case normal.Path(start=normal.Root()):
                return self._placed(nodes.steps, machine.Place("=", float(place)))
            case normal.Path(start=normal.Context()) if number == machine.DOCUMENT:
                return self._placed(nodes.steps, machine.Place("=", float(place)))
        raise Hard("a count")

    def _placed(self, steps: tuple[normal.Step, ...], place: machine.Place) -> machine.Condition:
        """Some node of the path from the document has this place among them all; they must be certain at once."""
        found = condition = self._first_step(machine.DOCUMENT, steps, place)
        while isinstance(condition, machine.Exists):
            own = self.steps[condition.step - 1].condition
            parts = own.args if isinstance(own, machine.All) else (own,)
            later = [part for part in parts if part is not None and not self.is_immediate(part)]
            if not later:
                return found
            if len(later) > 1 or place in parts:
                break
            condition = later[0]
        raise Hard("a count of nodes that are not certain at their start tag")

    # Paths

    def _some(self, nodes: normal.Expr, number: int, value: Last | None) -> machine.Condition:
        """Some node of the path exists (with such a value)."""
        match nodes:
            case normal.Path(start=normal.Context()):
                return self._first_step(number, nodes.steps, value)
            case normal.Context():
                return machine.Known(True) if value is None else value
            case _ if self._kind(number) == "attribute":
                raise Hard("a path from an attribute")
            case normal.Path(start=normal.Root()):
                return self._first_step(machine.DOCUMENT, nodes.steps, value)
            case normal.Root() if value is None:
                return machine.Known(True)
            case normal.Union():
                return machine.Any(tuple(self._some(arg, number, value) for arg in nodes.args))
            case _:
                raise Hard("nodes that are computed")

    def _of_first(self, nodes: normal.Expr, number: int, value: machine.Value) -> machine.Condition:
        """The first node exists and has such a value: what a string function says of a node-set."""
        match nodes:
            case normal.Context():
                return value
            case normal.Call(name="string", args=(inner,)):
                return self._of_first(inner, number, value)
            case normal.Path(start=normal.Context(), steps=(normal.Step(predicates=()) as step,)):
                if (
                    step.axis == "attribute"
                    and isinstance(step.test, normal.NameTest)
                    and None not in (step.test.uri, step.test.local)
                ):
                    return self._some(nodes, number, value)
                if step.axis == "child":
                    first = dataclasses.replace(step, predicates=(normal.Number(1.0),))
                    return self._first_step(number, (first,), value)
        raise Hard("the first of several nodes")

    def _first_step(self, number: int, steps: tuple[normal.Step, ...], value: Last | None) -> machine.Condition:
        """Existence along a path from a node of the step `number`: a step's rest is a condition on its nodes."""
        if number != machine.DOCUMENT and self.steps[number - 1].axis == "attribute":
            raise Hard("a path from an attribute")
        if sibling := any_sibling(steps):
            follow = normal.Path(normal.Context(), steps[2:]) if steps[2:] else None
            return machine.Exists(
                self._reached(number, "descendant", sibling, "branch", follow, value, counts_siblings=True)
            )
        step, rest = steps[0], steps[1:]
        return self._along(number, step, normal.Path(_CONTEXT, rest) if rest else None, value)

    def _along(
        self, number: int, step: normal.Step, follow: normal.Path | None, value: Last | None
    ) -> machine.Condition:
        if axis := _BRANCH_AXES.get(step.axis):
            if axis not in ("child", "descendant") and self._kind(number) == "document":
                return machine.Known(False)
            return machine.Exists(self._reached(number, axis, step, "branch", follow, value))
        if step.axis in ("self", "descendant-or-self", "ancestor-or-self"):
            own = self._self(number, step, follow, value)
            if step.axis == "self":
                return own
            further = dataclasses.replace(step, axis="descendant" if step.axis == "descendant-or-self" else "ancestor")
            return machine.Any((own, self._along(number, further, follow, value)))
        if up := _UP_AXES.get(step.axis):
            return self._above(number, up, step, follow, value)
        if before := _BEFORE_AXES.get(step.axis):
            if self._kind(number) == "document":
                return machine.Known(False)
            return machine.Before(before, self._reached(machine.DOCUMENT, "descendant", step, "side", follow, value))
        raise Hard(f"the {step.axis} axis")

    def _above(
        self,
        number: int,
        axis: machine.UpAxis,
        step: normal.Step,
        follow: normal.Path | None,
        value: Last | None,
    ) -> machine.Condition:
        if self._kind(number) == "document":
            return machine.Known(False)
        if (
            step.test == _NODE
            and not step.predicates
            and follow is None
            and value is None
            and not self._may_be_document(number)
        ):
            return machine.Known(True)
        axis_from_document: machine.StepAxis = "descendant-or-self" if step.test == _NODE else "descendant"
        return machine.Up(axis, self._reached(machine.DOCUMENT, axis_from_document, step, "side", follow, value))

    def _reached(
        self,
        start: int,
        axis: machine.StepAxis,
        step: normal.Step,
        role: machine.Role,
        follow: normal.Path | None,
        value: Last | None,
        *,
        counts_siblings: bool = False,
    ) -> int:
        """Adds a step of a condition; what follows it in the path becomes one more condition on its nodes."""
        if role == "side" and any(map(is_positional, step.predicates)):
            raise Hard("positions along a reverse axis")
        if follow is None:
            return self.add_step(start, axis, step, role, value, counts_siblings=counts_siblings)
        number = self.add_step(start, axis, step, role, counts_siblings=counts_siblings)
        further = self._first_step(number, follow.steps, value)
        own = self.steps[number - 1].condition
        self._set_condition(number, further if own is None else machine.All((own, further)))
        return number

    def _self(
        self, number: int, step: normal.Step, follow: normal.Path | None, value: Last | None
    ) -> machine.Condition:
        if any(is_positional(predicate) for predicate in step.predicates):
            raise Hard("positions along the self axis")
        if number == machine.DOCUMENT and (
            step.test != _NODE or step.predicates or (follow is None and value is not None)
        ):
            # The condition may be asked of another node, on behalf of the document.
            if step.test != _NODE:
                return machine.Known(False)
            raise Hard("a condition on the document node")
        conditions: list[machine.Condition] = [] if step.test == _NODE else [machine.Is(step.test)]
        conditions.extend(self._truth(predicate, number) for predicate in step.predicates)
        if follow is not None:
            conditions.append(self._first_step(number, follow.steps, value))
        elif value is not None:
            conditions.append(value)
        return _conjunction(conditions) or machine.Known(True)


def any_sibling(steps: tuple[normal.Step, ...]) -> normal.Step | None:
    """The step `a[1]` of a path that begins with `//a[1]`, which was not fused: its positions are among siblings."""
    if steps[0].axis != "descendant-or-self":
        return None
    match steps:
        case (normal.Step("descendant-or-self", normal.KindTest("node"), ()), normal.Step(axis="child") as step, *_):
            return step
        case _:
            return None


def _conjunction(conditions: list[machine.Condition]) -> machine.Condition | None:
    if len(conditions) <= 1:
        return conditions[0] if conditions else None
    return machine.All(tuple(conditions))


def _is_own_name(expr: normal.Expr) -> bool:
    return isinstance(expr, normal.Call) and expr == _OWN_NAME


def _is_last(predicate: normal.Expr) -> bool:
    return predicate in _LAST


def _constant(expr: normal.Expr) -> str | float | None:
    match expr:
        case normal.Number() | normal.String():
            return expr.value
        case normal.Negate(arg=normal.Number(value=value)):
            return -value
        case _:
            return None


def _value_test(comparison: normal.ComparisonOperator, constant: str | float) -> machine.Value | machine.Known:
    """How a node's string value is compared: as strings only for `=` and `!=` with a string."""
    if isinstance(constant, str):
        if comparison in ("=", "!="):
            return machine.Value(machine.TextTest(comparison, constant))
        if not _NUMERAL.match(constant):
            return machine.Known(False)
        constant = float(constant)
    return machine.Value(machine.NumberTest(comparison, constant))
