"""Variables called by numbers, so that queries which differ only in what they call them are the same."""

from __future__ import annotations

import dataclasses
from typing import Any

from penstock.plan import machine
from penstock.plan.xquery import normal


def renamed(expr: normal.Expr, names: dict[str, str] | None = None) -> normal.Expr:
    """The same with variables named in the order in which they are met; `names` are those that are known.

    >>> renamed(normal.Variable("b")) == renamed(normal.Variable("x"))
    True
    """
    found: normal.Expr = _renamed(expr, {} if names is None else names)
    return found


def _renamed(node: Any, names: dict[str, str]) -> Any:
    if isinstance(node, tuple):
        return tuple(_renamed(one, names) for one in node)
    if not dataclasses.is_dataclass(node) or isinstance(node, type):
        return node
    changes: dict[str, Any] = {}
    for field in dataclasses.fields(node):
        value = getattr(node, field.name)
        if _names_variables(node, field.name):
            changes[field.name] = (
                tuple(_name(one, names) for one in value) if isinstance(value, tuple) else _name(value, names)
            )
        else:
            changes[field.name] = _renamed(value, names)
    return dataclasses.replace(node, **changes)


def _names_variables(node: Any, field: str) -> bool:
    return field in ("variable", "variables", "position") or (field == "name" and isinstance(node, normal.Variable))


def _name(name: str | None, names: dict[str, str]) -> str | None:
    if name is None or name == machine.GIVEN:
        return name
    return names.setdefault(name, f"v{len(names)}")
