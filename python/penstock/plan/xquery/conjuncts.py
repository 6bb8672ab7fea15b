"""The conditions of a FLWOR that a pattern can take over."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

from penstock.plan import normal as xpath
from penstock.plan.xquery import normal
from penstock.plan.xquery.flawless import cannot_fail
from penstock.plan.xquery.needed import Needed, Subject, needed, with_predicate
from penstock.plan.xquery.sure import NODE, ROOT, Sure, is_sure_condition, sure_value


@dataclass(frozen=True, slots=True)
class Conjuncts:
    """`clauses` are those that are left; `conditions` what the pattern asks of a binding, in order of evaluation."""

    clauses: tuple[normal.Clause, ...]
    conditions: tuple[Needed, ...]

    @property
    def doubts(self) -> tuple[xpath.Path, ...]:
        """The paths from a binding whose values are compared as numbers."""
        return tuple(dict.fromkeys(doubt for one in self.conditions for doubt in one.doubts))

    def patterns(self, path: tuple[xpath.Step, ...]) -> list[tuple[xpath.Step, ...]]:
        """The path with all conditions; and, for each doubt, with that doubt and the conditions before it."""
        patterns: list[tuple[xpath.Step, ...]] = []
        for one in self.conditions:
            patterns += [with_predicate(path, _no_numeral(doubt)) for doubt in one.doubts]
            if one.condition is not None:
                path = with_predicate(path, one.condition)
        return [path, *patterns]


def _no_numeral(doubt: xpath.Path) -> xpath.Expr:
    """Some node of the path has a value that is neither below zero nor not below it."""
    own = xpath.Context()
    tests = tuple(xpath.Call("not", (xpath.Compare(comparison, own, xpath.Number(0.0)),)) for comparison in ("<", ">="))
    condition = xpath.And(tests)
    if doubt.steps[-1].axis == "self":
        return condition
    return xpath.Path(doubt.start, with_predicate(doubt.steps, condition))


def absorbed(variable: str, clauses: tuple[normal.Clause, ...], *, untyped: bool) -> Conjuncts:
    """Takes conditions on the variable out of clauses, as far as nothing before them can fail or gathers tuples.

    `untyped`: its nodes are neither comments nor instructions.
    """
    taking = _Taking(variable, untyped=untyped)
    left: list[normal.Clause] = []
    for place, clause in enumerate(clauses):
        if taking.is_done:
            left += clauses[place:]
            break
        left += taking.clause(clause)
    return Conjuncts(tuple(left), tuple(taking.conditions))


class _Taking:
    def __init__(self, variable: str, *, untyped: bool) -> None:
        self.variable = variable
        self.untyped = untyped
        self.paths: dict[str, normal.Expr] = {}
        # Variables of further `for` clauses, and the paths they range over.
        self.inner: dict[str, normal.Expr] = {}
        # Nodes that variables stand for, whatever they are.
        self.known: dict[str, Sure] = {ROOT: NODE, variable: NODE}
        self.conditions: list[Needed] = []
        self.is_done = False

    def clause(self, clause: normal.Clause) -> list[normal.Clause]:
        """What is left of a clause."""
        match clause:
            case normal.Let(variable=name, value=value):
                self._unbind(name)
                if self._is_path(value):
                    self.paths[name] = value
                elif not cannot_fail(value):
                    self.is_done = True
                return [clause]
            case normal.For(variable=name, domain=domain, allowing_empty=False, position=None) if self._is_path(domain):
                self._unbind(name)
                self.inner[name] = domain
                self.known[name] = NODE
                self._need(needed(normal.Call("exists", (domain,)), self._subject))
                return [clause]
            case normal.For(variable=name, domain=domain, position=None) if self._gives_nodes(domain):
                self._unbind(name)
                self.known[name] = NODE
                return [clause]
            case normal.Where():
                return self._where(clause)
            case _:
                self.is_done = True
                return [clause]

    @property
    def _subject(self) -> Subject:
        return Subject(self.variable, self.paths, self.untyped)

    def _unbind(self, name: str) -> None:
        self.paths.pop(name, None)
        self.inner.pop(name, None)
        self.known.pop(name, None)
        if name == self.variable:
            self.is_done = True

    def _is_path(self, expr: normal.Expr) -> bool:
        found = self._subject.way(expr)
        return found is not None and found.exact

    def _gives_nodes(self, expr: normal.Expr) -> bool:
        value = sure_value(expr, self.known)
        return value is not None and value.is_nodes

    def _need(self, one: Needed) -> None:
        self.conditions.append(one)

    def _where(self, clause: normal.Where) -> list[normal.Clause]:
        args = clause.condition.args if isinstance(clause.condition, normal.And) else (clause.condition,)
        left: list[normal.Expr] = []
        for place, arg in enumerate(args):
            one = needed(arg, self._subject, numbers=True)
            if one.condition is None and not one.exact:
                one = self._of_inner(arg) or one
                exact = False
            else:
                exact = one.exact
            self._need(one)
            if not exact:
                left.append(arg)
            if one.may_fail and not is_sure_condition(arg, self.known):
                self.is_done = True
                left += args[place + 1 :]
                break
        if not left:
            return []
        return [normal.Where(left[0] if len(left) == 1 else normal.And(tuple(left)))]

    def _of_inner(self, arg: normal.Expr) -> Needed | None:
        """A condition on the variable of a further `for` must hold of one of the nodes that it ranges over."""
        for name, domain in self.inner.items():
            inner = needed(arg, Subject(name, {}))
            if inner.condition is not None:
                some = needed(normal.Quantified(False, name, domain, arg), self._subject)
                return dataclasses.replace(some, exact=False, doubts=())
        return None
