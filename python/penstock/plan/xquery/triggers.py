"""Nodes without which a query gives nothing and cannot fail."""

from __future__ import annotations

from penstock.plan import normal as xpath
from penstock.plan.xquery import normal
from penstock.plan.xquery.conjuncts import absorbed
from penstock.plan.xquery.flawless import cannot_fail
from penstock.plan.xquery.needed import way

# They give nothing for nothing, and ask nothing of what they get but that it has a value.
_STRICT_CALLS = frozenset(("data", "distinct-values", "reverse", "unordered", "innermost", "outermost"))
_EMPTY_SAYS_NOTHING = frozenset(("exists", "boolean"))


def trigger(expr: normal.Expr, *, deliver_empty: bool) -> list[xpath.Path] | None:
    """Paths of which one must select something; none if the query never gives anything, None if nothing can be said."""
    match expr:
        case normal.Sequence():
            return _any(expr.items, deliver_empty)
        case normal.Union():
            return _any(expr.args, deliver_empty)
        case normal.Path(start=normal.Root() | normal.Context()):
            steps = way(expr.steps, {}).steps
            return [xpath.Path(xpath.Root(), steps)] if steps else None
        case normal.Path():
            return trigger(expr.start, deliver_empty=deliver_empty)
        case normal.Filter() | normal.Each() | normal.Mapped():
            return trigger(expr.base, deliver_empty=deliver_empty)
        case normal.Intersect() | normal.Except() if cannot_fail(expr.right):
            return trigger(expr.left, deliver_empty=deliver_empty)
        case normal.If() if cannot_fail(expr.condition):
            return _any((expr.then, expr.otherwise), deliver_empty)
        case normal.Call(name=name, args=(arg,)) if name in _STRICT_CALLS:
            return trigger(arg, deliver_empty=deliver_empty)
        case normal.Call(name=name, args=(arg,)) if name in _EMPTY_SAYS_NOTHING and not deliver_empty:
            return trigger(arg, deliver_empty=deliver_empty)
        case normal.Yielding():
            return trigger(expr.flwor, deliver_empty=deliver_empty)
        case normal.UnlessBarren(constructor=normal.Element() as element):
            return _within(element)
        case normal.Flwor():
            return _flwor(expr, deliver_empty)
        case _:
            return None


def _any(exprs: tuple[normal.Expr, ...], deliver_empty: bool) -> list[xpath.Path] | None:
    found: list[xpath.Path] = []
    for expr in exprs:
        one = trigger(expr, deliver_empty=deliver_empty)
        if one is None:
            return None
        found += one
    return found


def _within(element: normal.Element) -> list[xpath.Path] | None:
    """One of the FLWORs in a constructor must yield something, and the rest must not fail."""
    found: list[xpath.Path] = []
    if not all(isinstance(part, normal.Constant) for one in element.attributes for part in one.parts):
        return None
    for part in element.content:
        match part:
            case normal.Yielding():
                one = trigger(part.flwor, deliver_empty=True)
            case normal.Element() if not cannot_fail(part):
                one = _within(part)
            case _ if cannot_fail(part) and not isinstance(part, normal.Path):
                one = []
            case _:
                one = None
        if one is None:
            return None
        found += one
    return found


def _flwor(expr: normal.Flwor, deliver_empty: bool) -> list[xpath.Path] | None:
    for place, clause in enumerate(expr.clauses):
        match clause:
            case normal.Let() if cannot_fail(clause.value):
                continue
            case normal.For(allowing_empty=False):
                paths = trigger(clause.domain, deliver_empty=True)
                if paths is None or not isinstance(clause.domain, normal.Path) or clause.position is not None:
                    return paths
                if not way(clause.domain.steps, {}).exact or len(paths) != 1 or place:
                    return paths
                left = absorbed(clause.variable, expr.clauses[place + 1 :], untyped=False)
                return [xpath.Path(xpath.Root(), steps) for steps in left.patterns(paths[0].steps)]
            case normal.For() | normal.Let():
                return None
            case _:
                break
    return trigger(expr.returned, deliver_empty=deliver_empty)
