"""An explanation as JSON, for programs. `docs/explain.md` describes the keys."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from penstock.plan.explain.summary import counts
from penstock.plan.explain.view import ConditionView, PathView, QueryView, RestView, StepView

VERSION = 1


def as_json(views: Sequence[QueryView]) -> str:
    """One document for all queries. Keys are only ever added within a version."""
    document: dict[str, Any] = {
        "version": VERSION,
        "summary": {"queries": len(views), **dict(counts(views))},
        "queries": [_query(view) for view in views],
    }
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _query(view: QueryView) -> dict[str, Any]:
    return {
        "id": view.id,
        "query": view.query,
        "verdict": view.verdict,
        "because": view.because,
        "result": view.result,
        "gives": view.gives,
        "delivered": view.delivered,
        "holds": list(view.holds),
        "among_many": list(view.among_many),
        "paths": [_path(path) for path in view.paths],
    }


def _path(path: PathView) -> dict[str, Any]:
    return {
        "steps": [_step(step) for step in path.steps],
        "rest": None if path.rest is None else _rest(path.rest),
    }


def _step(step: StepView) -> dict[str, Any]:
    return {
        "edge": step.edge,
        "test": step.test,
        "keeps": step.keeps or None,
        "conditions": [_condition(condition) for condition in step.conditions],
    }


def _condition(condition: ConditionView) -> dict[str, Any]:
    return {
        "text": condition.text,
        "by": condition.by,
        "decided": condition.decided,
        "latest": condition.latest.moment,
        "reason": condition.reason or None,
        "parts": [_condition(part) for part in condition.parts],
    }


def _rest(rest: RestView) -> dict[str, Any]:
    return {"text": rest.text, "decided": rest.when, "latest": rest.moment, "reason": rest.reason or None}
