"""What there is to say about a query, as data: the text, the document and the picture are made from it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from penstock.plan.explain.moments import Moment, Wait

Verdict: TypeAlias = Literal["streams", "element", "document"]
Result: TypeAlias = Literal["nodes", "aggregate", "running aggregate", "truth", "value", "items"]
Decider: TypeAlias = Literal["machine", "evaluator"]


@dataclass(frozen=True, slots=True)
class ConditionView:
    """A condition, who decides it and when, and the conditions it is made of."""

    text: str
    decided: str
    latest: Wait
    by: Decider = "machine"
    reason: str = ""
    parts: tuple[ConditionView, ...] = ()


@dataclass(frozen=True, slots=True)
class StepView:
    """A step of a path that selects; the first is the document node, with an empty edge."""

    edge: str
    test: str
    conditions: tuple[ConditionView, ...] = ()
    keeps: str = ""


@dataclass(frozen=True, slots=True)
class RestView:
    """The part of a query that the evaluator computes on what was kept."""

    text: str
    when: str
    moment: Moment
    reason: str


@dataclass(frozen=True, slots=True)
class PathView:
    """The steps that lead to results, and what the evaluator does after them."""

    steps: tuple[StepView, ...]
    rest: RestView | None = None


@dataclass(frozen=True, slots=True)
class QueryView:
    id: str
    query: str
    result: Result
    gives: str
    delivered: str
    paths: tuple[PathView, ...]
    holds: tuple[str, ...]
    verdict: Verdict
    because: str
    among_many: tuple[str, ...]
