"""Rewrites of the normal form: pure functions, one a file, in the order of `RULES`."""

from __future__ import annotations

from collections.abc import Callable

from penstock.plan import normal
from penstock.rules.look_forward import look_forward

RULES: tuple[Callable[[normal.Expr], normal.Expr], ...] = (look_forward,)


def rewrite(expr: normal.Expr) -> normal.Expr:
    """Applies every rule once, in order."""
    for rule in RULES:
        expr = rule(expr)
    return expr
