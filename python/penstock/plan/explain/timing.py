"""When the conditions of a program are decided, and how long its matches stay undecided."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

from penstock.plan import machine, normal
from penstock.plan.explain.labels import test_text
from penstock.plan.explain.moments import DOCUMENT_END, START, Bounds, Wait, exactly, later, sooner

_ANY_NODE = normal.KindTest("node")


class Timing:
    """Answers for one program; steps are given by their numbers."""

    def __init__(self, program: machine.Program) -> None:
        self._steps = program.steps

    def step(self, number: int) -> machine.Step:
        return self._steps[number - 1]

    # Nodes

    def is_element(self, number: int) -> bool:
        """Whether the step matches elements, perhaps among others."""
        step = self.step(number)
        return step.axis != "attribute" and (isinstance(step.test, normal.NameTest) or step.test == _ANY_NODE)

    def name(self, number: int) -> str | None:
        """What the step's nodes are called, if they have a name worth telling."""
        if number == machine.DOCUMENT or self.step(number).test == _ANY_NODE:
            return None
        return test_text(self.step(number).test)

    def end(self, number: int) -> Wait:
        """The end of the step's node; a node without content ends where it starts."""
        if self._is_document(number):
            return DOCUMENT_END
        if not self.is_element(number):
            return START
        return Wait("end", self.name(number), self._is_document_element(number))

    def result_end(self, number: int) -> Wait:
        """As `end`, but every element is said to be what one of them always is: the document element."""
        end = self.end(number)
        if self._is_document(number) or end == START:
            return end
        step = self.step(number)
        is_any = step.test in (_ANY_NODE, normal.NameTest(None, None)) and step.condition is None
        is_from_document = step.start == machine.DOCUMENT
        return dataclasses.replace(end, whole=end.whole or (is_any and is_from_document))

    def parent_end(self, number: int) -> Wait:
        if self._is_document(number) or self._is_document_element(number):
            return DOCUMENT_END
        step = self.step(number)
        if step.axis in ("child", "attribute") and step.start != machine.DOCUMENT:
            return Wait("parent", self.name(step.start), self._is_document_element(step.start))
        return Wait("parent")

    def _is_document(self, number: int) -> bool:
        return number == machine.DOCUMENT or self.step(number).axis == "self"

    def _is_document_element(self, number: int) -> bool:
        step = self.step(number)
        return step.start == machine.DOCUMENT and step.axis == "child"

    # Conditions

    def condition(self, condition: machine.Condition | None, number: int) -> Bounds:
        """When the condition on a node of the step is decided, seen from that node."""
        match condition:
            case None | machine.Known() | machine.Is() | machine.Position() | machine.Place():
                return exactly(START)
            case machine.All():
                parts = [self.condition(arg, number) for arg in condition.args]
                return Bounds(
                    later(*(part.true_from for part in parts)),
                    sooner(*(part.false_from for part in parts)),
                    later(*(part.latest for part in parts)),
                )
            case machine.Any():
                parts = [self.condition(arg, number) for arg in condition.args]
                return Bounds(
                    sooner(*(part.true_from for part in parts)),
                    later(*(part.false_from for part in parts)),
                    later(*(part.latest for part in parts)),
                )
            case machine.Not():
                inner = self.condition(condition.arg, number)
                return Bounds(inner.false_from, inner.true_from, inner.latest)
            case machine.Value():
                return self._value(condition.test, number)
            case machine.Eval():
                return exactly(self._evaluation(condition.when, number))
            case machine.Exists():
                return self._exists(condition.step, number)
            case machine.Up():
                return self._moved(condition.step, lambda wait: self._from_above(wait, condition, number))
            case machine.Before():
                return self._moved(condition.step, lambda wait: self._from_before(wait, condition, number))

    def _value(self, test: machine.ValueTest, number: int) -> Bounds:
        """A part of the text may settle it."""
        end = self.end(number)
        match test:
            case machine.PartTest(function="starts-with"):
                return Bounds(START, START, end)
            case machine.PartTest(function="contains") | machine.TextTest(comparison="!="):
                return Bounds(START, end, end)
            case machine.TextTest(comparison="="):
                return Bounds(end, START, end)
            case _:
                return exactly(end)

    def own(self, number: int) -> Bounds:
        """When the step's own condition is decided, seen from its node."""
        return self.condition(self.step(number).condition, number)

    def _moved(self, step: int, move: Callable[[Wait], Wait]) -> Bounds:
        own = self.own(step)
        return Bounds(move(own.true_from), move(own.false_from), move(own.latest))

    def _evaluation(self, when: machine.When, number: int) -> Wait:
        match when:
            case "start":
                return START
            case "end":
                return self.end(number)
            case "parent":
                return self.parent_end(number)
            case "document":
                return DOCUMENT_END

    def _exists(self, branch: int, number: int) -> Bounds:
        """True with the first match, false when no more can come."""
        step, own = self.step(branch), self.own(branch)
        if step.start == machine.DOCUMENT or step.axis == "following":
            true_from = own.true_from if own.true_from.moment in ("ancestor", "document") else START
            return Bounds(true_from, DOCUMENT_END, DOCUMENT_END)
        if step.axis == "attribute":
            return exactly(START)
        scope = self.parent_end(number) if step.axis == "following-sibling" else self.end(number)
        # The branch's parent is the node itself, or the parent of both.
        true_from = {"start": START, "end": START, "parent": scope}.get(own.true_from.moment, own.true_from)
        return Bounds(
            true_from, scope, later(scope, own.latest if own.latest.moment in ("ancestor", "document") else scope)
        )

    def _from_above(self, wait: Wait, condition: machine.Up, number: int) -> Wait:
        match wait.moment:
            case "end" if condition.axis == "parent":
                return self.parent_end(number)
            case "end":
                return Wait("ancestor", wait.of)
            case "parent":
                return Wait("ancestor")
            case _:
                return wait

    def _from_before(self, wait: Wait, condition: machine.Before, number: int) -> Wait:
        match wait.moment:
            case "end":
                return START
            case "parent" if condition.axis == "preceding-sibling":
                return self.parent_end(number)
            case "parent":
                return Wait("ancestor")
            case _:
                return wait

    # Paths that select

    def way(self, number: int) -> tuple[int, ...]:
        """The numbers of the steps that lead to a step, itself included."""
        numbers: list[int] = []
        while number != machine.DOCUMENT:
            numbers.append(number)
            number = self.step(number).start
        return tuple(reversed(numbers))

    def trunk(self, numbers: tuple[int, ...]) -> Bounds:
        """When it is certain that a path selects a node, seen from the node; `numbers` are the path's steps."""
        bounds = exactly(START)
        for number in numbers:
            step, own, before = self.step(number), self.own(number), bounds
            bounds = Bounds(
                later(own.true_from, _carried(before.true_from, step.axis)),
                sooner(own.false_from, _carried(before.false_from, step.axis)),
                later(own.latest, _carried(before.latest, step.axis)),
            )
        return bounds


def _carried(wait: Wait, axis: machine.StepAxis) -> Wait:
    """What waits for an event seen from one node, seen from the node that the axis leads to."""
    match wait.moment:
        case "end" if axis in ("following-sibling", "following"):
            return START
        case "end" if axis in ("child", "attribute"):
            return Wait("parent", wait.of, wait.whole)
        case "parent" if axis == "following-sibling":
            return wait
        case "end" | "parent":
            return Wait("ancestor", wait.of, wait.whole)
        case _:
            return wait
