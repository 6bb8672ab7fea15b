"""Queries whose messages can be made as soon as a binding is certain.

Each message is a constructor whose holes are filled from within its binding, and cannot fail: the engine's
`sharing/template.rs` decides in the same way.
"""

from __future__ import annotations

from penstock.plan import machine
from penstock.plan.xquery import normal

_CALLS = frozenset(("data", "count", "exists", "empty"))


def is_prompt(program: machine.Program) -> bool:
    """Whether a feed gets the messages of a query before the document has ended."""
    work = None if program.shared is None else program.shared.work
    if not isinstance(work, machine.Bindings) or work.doubts:
        return False
    match work.query:
        case normal.Flwor(
            clauses=(normal.For(variable=name, position=None, domain=normal.Variable(machine.GIVEN)),),
            returned=normal.Element() as element,
        ):
            return _is_filled(element, name)
        case _:
            return False


def _is_filled(element: normal.Element, variable: str) -> bool:
    names = [(one.name.uri, one.name.local) for one in element.attributes]
    if len(set(names)) < len(names):
        return False
    values = [part for one in element.attributes for part in one.parts]
    return all(_is_text(part, variable) for part in values) and all(
        _is_content(part, variable) for part in element.content
    )


def _is_text(part: normal.Expr, variable: str) -> bool:
    return _is_string(part) or _is_path(part, variable, attributes=True) or _is_value(part, variable)


def _is_content(part: normal.Expr, variable: str) -> bool:
    if isinstance(part, normal.Element):
        return _is_filled(part, variable)
    return _is_string(part) or _is_path(part, variable, attributes=False) or _is_value(part, variable)


def _is_string(part: normal.Expr) -> bool:
    return isinstance(part, normal.Constant) and part.type == "string"


def _is_value(part: normal.Expr, variable: str) -> bool:
    match part:
        case normal.Call(name=name, args=(arg,)) if name in _CALLS:
            return _is_path(arg, variable, attributes=True)
        case _:
            return False


def _is_path(part: normal.Expr, variable: str, *, attributes: bool) -> bool:
    """A path downward without predicates; as content it leads to elements and texts."""
    if not isinstance(part, normal.Path) or part.start != normal.Variable(variable):
        return False
    axes = ("child", "descendant", "attribute") if attributes else ("child", "descendant")
    return all(
        step.axis in axes
        and not step.predicates
        and (attributes or isinstance(step.test, normal.NameTest) or step.test.kind == "text")
        for step in part.steps
    )
