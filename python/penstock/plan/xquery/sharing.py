"""Which part of a query an index can find for all subscriptions at once, and what is then left to do.

`for $b in P where C return T` has a binding for each node of `P[C]`. That is a pattern: an index finds its nodes for
all subscriptions together. What is left is `for $b in $given return T`, the same for all that differ only in `P` and
`C`.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

from penstock.plan import machine
from penstock.plan import normal as xpath
from penstock.plan.trigger import VERIFIED
from penstock.plan.xquery import normal
from penstock.plan.xquery.comparing import compared
from penstock.plan.xquery.conjuncts import absorbed
from penstock.plan.xquery.flawless import cannot_fail
from penstock.plan.xquery.fusing import fused
from penstock.plan.xquery.needed import way
from penstock.plan.xquery.paths import path_lines
from penstock.plan.xquery.predicates import without_predicates
from penstock.plan.xquery.prompt import is_prompt
from penstock.plan.xquery.renamed import renamed
from penstock.plan.xquery.triggers import trigger


@dataclass(frozen=True, slots=True)
class Plan:
    """The pattern, as XPath, and what is done with what it selects; `says` tells people."""

    pattern: xpath.Expr
    work: machine.Work
    says: tuple[str, ...]


_GIVEN = normal.Variable(machine.GIVEN)


def plan(expr: normal.Expr, *, deliver_empty: bool) -> Plan | None:
    """The plan of a query; None if it may give something on any document."""
    bound = _bound(expr)
    if bound is None:
        return _triggered(expr, deliver_empty=deliver_empty)
    work = bound.work
    if isinstance(work, machine.Bindings):
        prompt = is_prompt(work, bound.pattern, deliver_empty=deliver_empty)
        work = compared(dataclasses.replace(work, query=renamed(work.query), is_prompt=prompt))
    return dataclasses.replace(bound, work=work)


def told_of_paths(expr: normal.Expr) -> tuple[str, ...]:
    """What there is to say of each path of a query; found out when someone asks, not for each subscription."""
    bound = _bound(expr)
    work = None if bound is None else bound.work
    return path_lines(expr, work.query if isinstance(work, machine.Bindings) else None)


def _triggered(expr: normal.Expr, *, deliver_empty: bool) -> Plan | None:
    paths = trigger(expr, deliver_empty=deliver_empty)
    if not paths:
        return None
    return Plan(_union(paths), machine.OwnQuery(), (VERIFIED,))


def _bound(expr: normal.Expr) -> Plan | None:
    """The plan of a path, of a FLWOR over one, or of a constructor around that."""
    match expr:
        case normal.Path() | normal.Union():
            each = normal.For("node", None, expr, allowing_empty=False)
            return _flwor(normal.Flwor((each,), normal.Variable("node")))
        case normal.Flwor():
            return _flwor(expr)
        case normal.UnlessBarren(constructor=normal.Element(content=content) as element):
            places = [place for place, part in enumerate(content) if isinstance(part, normal.Yielding)]
            rest = dataclasses.replace(
                element, content=tuple(part for part in content if not isinstance(part, normal.Yielding))
            )
            if len(places) != 1 or not cannot_fail(rest):
                return None
            yielding = content[places[0]]
            inner = _flwor(yielding.flwor) if isinstance(yielding, normal.Yielding) else None
            return None if inner is None else _around(inner, element, places[0])
        case _:
            return None


def _around(inner: Plan, element: normal.Element, place: int) -> Plan:
    """The same within a constructor."""

    def enclosed(query: normal.Expr) -> normal.Expr:
        content = (*element.content[:place], normal.Yielding(query), *element.content[place + 1 :])
        return normal.UnlessBarren(dataclasses.replace(element, content=content))

    if not isinstance(inner.work, machine.Bindings):
        return inner
    residual = None if inner.work.residual is None else enclosed(inner.work.residual)
    work = dataclasses.replace(inner.work, query=enclosed(inner.work.query), residual=residual)
    return dataclasses.replace(inner, work=work)


def _flwor(expr: normal.Expr) -> Plan | None:
    if not isinstance(expr, normal.Flwor) or not expr.clauses:
        return None
    expr = without_predicates(expr)
    first, rest = expr.clauses[0], expr.clauses[1:]
    if not isinstance(first, normal.For) or first.allowing_empty:
        return None
    paths = _domain(first.domain)
    if paths is None:
        return None
    bound = dataclasses.replace(first, domain=_GIVEN)
    if first.position is not None:
        # Places are counted before conditions are asked.
        query = normal.Flwor((bound, *rest), expr.returned)
        pattern = _union([xpath.Path(xpath.Root(), path) for path in paths])
        return Plan(pattern, machine.Bindings(query), (_says(rest),))
    found = fused(first.variable, paths[0], expr) if len(paths) == 1 else None
    lets: tuple[normal.Let, ...] = ()
    is_fused = found is not None and found.count > 1
    if found is not None and is_fused:
        bound, paths = dataclasses.replace(bound, variable=found.variable), [found.steps]
        lets, rest = found.lets, found.clauses
    left = absorbed(bound.variable, rest, untyped=_untyped(paths))
    query = normal.Flwor((bound, *lets, *left.clauses), expr.returned)
    patterns = [xpath.Path(xpath.Root(), steps) for path in paths for steps in left.patterns(path)]
    residual = normal.Flwor((bound, *lets, *rest), expr.returned) if left.doubts else None
    work = machine.Bindings(query, tuple(map(_given_path, left.doubts)), residual)
    says = [_says(left.clauses)]
    if is_fused:
        says.insert(1, "several variables are one pattern: no binding of an outer one holds another (claim 4)")
    return Plan(_union(patterns), work, tuple(says))


def _says(clauses: tuple[normal.Clause, ...]) -> str:
    if any(isinstance(clause, normal.Where) for clause in clauses):
        return "verified: an index finds bindings, and the evaluator checks each"
    return "exact: an index finds the bindings, and messages are made for them alone"


def _untyped(paths: list[tuple[xpath.Step, ...]]) -> bool:
    """Comments and instructions are strings, and are not compared with numbers."""
    tests = [path[-1].test for path in paths]
    return all(isinstance(test, xpath.NameTest) or test.kind == "text" for test in tests)


def _domain(domain: normal.Expr) -> list[tuple[xpath.Step, ...]] | None:
    """The steps of the paths whose nodes are bound; None if an index may not find exactly them."""
    paths = domain.args if isinstance(domain, normal.Union) else (domain,)
    found: list[tuple[xpath.Step, ...]] = []
    for path in paths:
        if not isinstance(path, normal.Path) or not isinstance(path.start, normal.Root | normal.Context):
            return None
        one = way(path.steps, {})
        if not one.exact or not one.steps:
            return None
        found.append(one.steps)
    return found


def _given_path(path: xpath.Path) -> normal.Expr:
    """A path from the node of a pattern that compares numbers."""
    steps = tuple(normal.Step(step.axis, step.test) for step in path.steps)
    return normal.Path(_GIVEN, steps)


def _union(paths: list[xpath.Path]) -> xpath.Expr:
    return paths[0] if len(paths) == 1 else xpath.Union(tuple(paths))
