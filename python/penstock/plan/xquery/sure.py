"""What is known of values: little, but enough to be sure that they do not fail.

An error drops all that a query gives for a document. So what may fail must not be left out where the query asks for it,
nor asked for where it does not, nor before the document has ended. All this errs on the side of no.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

from penstock.plan.xquery import normal

_DOWNWARD = frozenset(("child", "descendant", "descendant-or-self", "self", "attribute"))
_FOCUS = "."
ROOT = "/"
"""What is known of the document node, if expressions may look that far, and along any axis."""


@dataclass(frozen=True, slots=True)
class Sure:
    """What is known of a value that there certainly is."""

    is_nodes: bool = False
    """All items are nodes."""
    is_atomic: bool = False
    """None is."""
    is_text: bool = False
    """All items are nodes or strings, so they can be compared with each other."""
    is_numeric: bool = False
    """All items are numbers."""
    is_single: bool = False
    """There is at most one item."""
    has_attributes: bool = False
    """Some items may be attributes, which may not be copied anywhere."""


NODE = Sure(is_nodes=True, is_text=True, is_single=True)
_STRING = Sure(is_atomic=True, is_text=True, is_single=True)
_NUMBER = Sure(is_atomic=True, is_numeric=True, is_single=True)
_TRUTH = Sure(is_atomic=True, is_single=True)
_EMPTY = Sure(is_nodes=True, is_atomic=True, is_text=True, is_numeric=True, is_single=True)

Known: TypeAlias = Mapping[str, Sure]
"""By the name of the variable; the context item is one too."""


def sure_value(expr: normal.Expr, known: Known) -> Sure | None:
    """What is known of an expression's value; None if it may fail, or may look beyond the binding."""
    match expr:
        case normal.Constant(type=kind):
            return {"string": _STRING, "untypedAtomic": _STRING, "boolean": _TRUTH}.get(kind, _NUMBER)
        case normal.Variable(name=name):
            return known.get(name)
        case normal.Context():
            return known.get(_FOCUS)
        case normal.Root():
            return known.get(ROOT)
        case normal.Sequence(items=items):
            return _joined([sure_value(item, known) for item in items])
        case normal.Path():
            return _path(expr, known)
        case normal.Filter():
            return _filter(expr, known)
        case normal.Each() | normal.Mapped():
            return _mapped(expr, known)
        case normal.Union(args=args):
            return _nodes(args, known)
        case normal.Intersect(left=left, right=right) | normal.Except(left=left, right=right):
            return _nodes((left, right), known)
        case normal.Or(args=args) | normal.And(args=args):
            return _TRUTH if all(is_sure_condition(arg, known) for arg in args) else None
        case normal.Compare(left=left, right=right):
            return _TRUTH if _are_comparable(left, right, known) else None
        case normal.CompareValues(left=left, right=right):
            is_sure = _are_comparable(left, right, known) and all(
                _has(arg, known, "is_single") for arg in (left, right)
            )
            return _TRUTH if is_sure else None
        case normal.CompareNodes(left=left, right=right):
            return _TRUTH if all(_has(arg, known, "is_nodes", "is_single") for arg in (left, right)) else None
        case normal.Call():
            return _call(expr, known)
        case normal.If(condition=condition, then=then, otherwise=otherwise):
            return (
                _either(sure_value(then, known), sure_value(otherwise, known))
                if is_sure_condition(condition, known)
                else None
            )
        case normal.Quantified(variable=name, domain=domain, satisfies=satisfies):
            value = sure_value(domain, known)
            is_sure = value is not None and is_sure_condition(
                satisfies, {**known, name: replace(value, is_single=True)}
            )
            return _TRUTH if is_sure else None
        case normal.Flwor():
            return _flwor(expr, known)
        case normal.Yielding(flwor=flwor):
            return sure_value(flwor, known)
        case normal.Element():
            return NODE if _is_filled(expr, known) else None
        case normal.Text(content=content):
            return None if sure_value(content, known) is None else NODE
        case (
            normal.Comment(content=normal.Constant())
            | normal.Instruction(target=normal.Constant(), content=normal.Constant())
        ):
            return NODE
        case _:
            return None


def _has(expr: normal.Expr, known: Known, *wanted: str) -> bool:
    value = sure_value(expr, known)
    return value is not None and all(getattr(value, name) for name in wanted)


def _are_comparable(left: normal.Expr, right: normal.Expr, known: Known) -> bool:
    """Whether comparing items of one with items of the other cannot fail."""
    return any(all(_has(arg, known, kind) for arg in (left, right)) for kind in ("is_text", "is_numeric"))


def is_sure_condition(expr: normal.Expr, known: Known) -> bool:
    """Whether it certainly is true or false: several atomic values are neither."""
    value = sure_value(expr, known)
    return value is not None and (value.is_nodes or value.is_single)


def _joined(values: list[Sure | None]) -> Sure | None:
    joined: Sure | None = _EMPTY
    for value in values:
        joined = _either(joined, value)
    return joined if joined is None or len(values) < 2 else replace(joined, is_single=False)


def _either(one: Sure | None, other: Sure | None) -> Sure | None:
    if one is None or other is None:
        return None
    return Sure(
        one.is_nodes and other.is_nodes,
        one.is_atomic and other.is_atomic,
        one.is_text and other.is_text,
        one.is_numeric and other.is_numeric,
        one.is_single and other.is_single,
        one.has_attributes or other.has_attributes,
    )


def _nodes(args: tuple[normal.Expr, ...], known: Known) -> Sure | None:
    joined = _joined([sure_value(arg, known) for arg in args])
    return joined if joined is not None and joined.is_nodes else None


def _path(expr: normal.Path, known: Known) -> Sure | None:
    value = sure_value(expr.start, known)
    for step in expr.steps:
        if value is None or not value.is_nodes or not (step.axis in _DOWNWARD or ROOT in known):
            return None
        if not all(is_sure_condition(predicate, {**known, _FOCUS: NODE}) for predicate in step.predicates):
            return None
        stays = step.axis in ("self", "descendant-or-self")
        is_one = step.axis == "self" or _is_one_attribute(step) or any(map(_is_place, step.predicates))
        value = Sure(
            is_nodes=True,
            is_text=True,
            is_single=value.is_single and is_one,
            has_attributes=step.axis == "attribute" or (stays and value.has_attributes),
        )
    return value


def _is_one_attribute(step: normal.Step) -> bool:
    test = step.test
    return (
        step.axis == "attribute"
        and isinstance(test, normal.NameTest)
        and test.local is not None
        and test.uri is not None
    )


def _is_place(predicate: normal.Expr) -> bool:
    return isinstance(predicate, normal.Constant) and predicate.type == "integer"


def _filter(expr: normal.Filter, known: Known) -> Sure | None:
    value = sure_value(expr.base, known)
    if value is None:
        return None
    inside = {**known, _FOCUS: replace(value, is_single=True)}
    if not all(is_sure_condition(predicate, inside) for predicate in expr.predicates):
        return None
    return replace(value, is_single=value.is_single or any(map(_is_place, expr.predicates)))


def _mapped(expr: normal.Each | normal.Mapped, known: Known) -> Sure | None:
    base = sure_value(expr.base, known)
    if base is None or (isinstance(expr, normal.Each) and not base.is_nodes):
        return None
    value = sure_value(expr.step, {**known, _FOCUS: replace(base, is_single=True)})
    if value is None or (isinstance(expr, normal.Each) and not (value.is_nodes or value.is_atomic)):
        return None
    return replace(value, is_single=value.is_single and base.is_single)


def _call(expr: normal.Call, known: Known) -> Sure | None:
    rule = _CALLS.get(expr.name)
    values = [sure_value(arg, known) for arg in expr.args]
    sure = [value for value in values if value is not None]
    if expr.name in ("position", "last"):
        return _NUMBER if _FOCUS in known else None
    return None if rule is None or len(sure) < len(values) else rule(sure)


_Rule: TypeAlias = Callable[[list[Sure]], "Sure | None"]


def _always(given: Sure) -> _Rule:
    return lambda _: given


def _of_conditions(values: list[Sure]) -> Sure | None:
    return _TRUTH if all(value.is_nodes or value.is_single for value in values) else None


def _of_single(given: Sure) -> _Rule:
    return lambda values: given if all(value.is_single for value in values) else None


def _of_strings(given: Sure) -> _Rule:
    return lambda values: given if all(value.is_single and value.is_text for value in values) else None


def _of_nodes(values: list[Sure]) -> Sure | None:
    return _STRING if all(value.is_single and value.is_nodes for value in values) else None


def _data(values: list[Sure]) -> Sure | None:
    (value,) = values
    return Sure(is_atomic=True, is_text=value.is_text, is_single=value.is_single)


def _string_join(values: list[Sure]) -> Sure | None:
    first, *separator = values
    return _STRING if first.is_text and all(one == _STRING for one in separator) else None


_CALLS: dict[str, _Rule] = {
    "count": _always(_NUMBER),
    "exists": _always(_TRUTH),
    "empty": _always(_TRUTH),
    "true": _always(_TRUTH),
    "false": _always(_TRUTH),
    "not": _of_conditions,
    "boolean": _of_conditions,
    "data": _data,
    "string": _of_single(_STRING),
    "concat": _of_single(_STRING),
    "string-join": _string_join,
    "normalize-space": _of_strings(_STRING),
    "upper-case": _of_strings(_STRING),
    "lower-case": _of_strings(_STRING),
    "substring-before": _of_strings(_STRING),
    "substring-after": _of_strings(_STRING),
    "string-length": _of_strings(_NUMBER),
    "contains": _of_strings(_TRUTH),
    "starts-with": _of_strings(_TRUTH),
    "ends-with": _of_strings(_TRUTH),
    "name": _of_nodes,
    "local-name": _of_nodes,
    "namespace-uri": _of_nodes,
}


def _flwor(expr: normal.Flwor, known: Known) -> Sure | None:
    inside = dict(known)
    for clause in expr.clauses:
        match clause:
            case normal.For(variable=name, position=position, domain=domain):
                value = sure_value(domain, inside)
                if value is None:
                    return None
                inside[name] = replace(value, is_single=True)
                if position is not None:
                    inside[position] = _NUMBER
            case normal.Let(variable=name, value=let):
                value = sure_value(let, inside)
                if value is None:
                    return None
                inside[name] = value
            case normal.Where(condition=condition):
                if not is_sure_condition(condition, inside):
                    return None
            case normal.OrderBy(keys=keys):
                if not all(_has(key.key, inside, "is_text", "is_single") for key in keys):
                    return None
            case normal.Count(variable=name):
                inside[name] = _NUMBER
            case normal.GroupBy():
                return None
    returned = sure_value(expr.returned, inside)
    repeats = any(isinstance(clause, normal.For) for clause in expr.clauses)
    return None if returned is None else replace(returned, is_single=returned.is_single and not repeats)


def _is_filled(element: normal.Element, known: Known) -> bool:
    """Whether an element certainly can be made of its parts."""
    names = {(one.name.uri, one.name.local) for one in element.attributes}
    if len(names) < len(element.attributes):
        return False
    parts = (part for one in element.attributes for part in one.parts)
    if any(sure_value(part, known) is None for part in parts):
        return False
    for place, part in enumerate(element.content):
        value = sure_value(part, known)
        if value is None:
            return False
        if value.has_attributes and (place > 0 or names or not _is_of_one_element(part, known)):
            return False
    return True


def _is_of_one_element(part: normal.Expr, known: Known) -> bool:
    """Whether these are attributes of one element, which have different names."""
    return isinstance(part, normal.Path) and len(part.steps) == 1 and _has(part.start, known, "is_single")
