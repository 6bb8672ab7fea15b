"""Expressions that cannot fail, whatever the document: leaving out their evaluation loses no error."""

from __future__ import annotations

from penstock.plan.xquery import normal
from penstock.plan.xquery.needed import Subject, needed

_SAFE_CALLS = frozenset(("count", "exists", "empty", "true", "false", "position", "last"))


def cannot_fail(expr: normal.Expr) -> bool:
    """Whether an expression certainly has a value; errs on the side of no."""
    match expr:
        case normal.Constant() | normal.Variable() | normal.Context() | normal.Root():
            return True
        case normal.Sequence():
            return all(map(cannot_fail, expr.items))
        case normal.Path():
            return gives_nodes(expr.start) and all(_plain(step) for step in expr.steps)
        case normal.Call() if expr.name in _SAFE_CALLS:
            return all(map(cannot_fail, expr.args))
        case normal.Element():
            parts = (part for attribute in expr.attributes for part in attribute.parts)
            # Attributes may come where they must not: only constants and elements are known to be none.
            return all(isinstance(part, normal.Constant) for part in parts) and all(
                isinstance(part, normal.Constant) or (isinstance(part, normal.Element) and cannot_fail(part))
                for part in expr.content
            )
        case _:
            return False


def gives_nodes(start: normal.Expr) -> bool:
    """Whether a path may start here: from the document, or from a variable of a path."""
    return isinstance(start, normal.Root | normal.Context)


def _plain(step: normal.Step) -> bool:
    return all(_safe(predicate) for predicate in step.predicates)


def _safe(predicate: normal.Expr) -> bool:
    if isinstance(predicate, normal.Constant) or predicate == normal.Call("last", ()):
        return True
    return not needed(predicate, Subject(None, {})).may_fail
