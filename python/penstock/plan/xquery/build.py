"""From an XQuery tree to its normal form: names and variables resolved, calls checked, abbreviations gone."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from penstock.errors import QueryError
from penstock.plan.xquery import normal
from penstock.plan.xquery.calls import Calls
from penstock.plan.xquery.constructing import Constructing
from penstock.plan.xquery.names import QueryNames
from penstock.plan.xquery.options import prolog
from penstock.plan.xquery.types import may_be_position
from penstock.syntax import ast
from penstock.syntax.cursor import closest
from penstock.syntax.xquery import ast as xq

if TYPE_CHECKING:
    from collections.abc import Mapping

    from penstock.plan.normal import Axis, ComparisonOperator

_COMPARISONS: dict[str, ComparisonOperator] = {
    "eq": "=", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">=",
}  # fmt: skip
_GREATEST_INTEGER = (1 << 63) - 1
_MOST_DIGITS = 35
_ANY_NODE = normal.KindTest("node")
_AFTER_ANY_DESCENDANT: dict[Axis, Axis] = {
    "child": "descendant",
    "descendant": "descendant",
    "self": "descendant-or-self",
    "descendant-or-self": "descendant-or-self",
}


def build(module: xq.Module, namespaces: Mapping[str, str], query: str | None = None) -> normal.Expr:
    """The normal form of a query. `namespaces` and `query` are as for XPath's `penstock.plan.build.build`.

    >>> from penstock.syntax.xquery.prolog import parse
    >>> build(parse("for $a in //a return $a"), {}).returned
    Variable(name='a')
    """
    names = prolog(module, namespaces, query)
    try:
        return _Builder(names, query, module.empty_greatest).module(module)
    except RecursionError:
        raise QueryError("PNST0002", "the query is nested too deeply", query=query, span=module.span) from None


class _Builder(Calls, Constructing):
    """Walks one tree; what it does with calls and with constructors is in the classes it is made of."""

    def __init__(self, names: QueryNames, query: str | None, empty_greatest: bool) -> None:
        self.names = names
        self.query = query
        self.empty_greatest = empty_greatest
        self.scope: list[str] = []

    def module(self, module: xq.Module) -> normal.Expr:
        """The body; variables of the prolog are bound around it."""
        if not module.variables:
            return self.expression(module.body)
        for place, one in enumerate(module.variables):
            if any(one.variable == other.variable for other in module.variables[:place]):
                raise self.error("XQST0049", f"the variable ${one.variable} is declared twice", one.span)
        return self.flwor(xq.Flwor(module.variables, module.body, span=module.span))

    def expression(self, tree: ast.Expr) -> normal.Expr:
        match tree:
            case xq.Numeral():
                return self.numeral(tree)
            case ast.String():
                return normal.Constant("string", tree.value)
            case ast.Variable():
                return self.variable(tree)
            case xq.ContextItem():
                return normal.Context()
            case ast.Root():
                return normal.Root()
            case xq.Sequence():
                items = tuple(map(self.expression, tree.items))
                return normal.Sequence(items)
            case ast.Path():
                start = normal.Context() if tree.start is None else self.expression(tree.start)
                return path(start, tuple(map(self.step, tree.steps)))
            case xq.ExpressionStep():
                return normal.Each(self.expression(tree.base), self.expression(tree.step))
            case ast.Filter():
                return normal.Filter(self.expression(tree.base), tuple(map(self.expression, tree.predicates)))
            case ast.If():
                condition = self.expression(tree.condition)
                return normal.If(condition, self.expression(tree.then), self.expression(tree.otherwise))
            case ast.Quantified():
                return self.quantified(tree)
            case xq.Flwor():
                return self.flwor(tree)
            case ast.Call():
                return self.call(tree)
            case xq.Cast():
                kind = self.atomic_type(tree.type)
                arg = self.expression(tree.arg)
                return (normal.Castable if tree.castable else normal.Cast)(kind, arg, tree.optional)
            case xq.Element() | xq.DirectComment() | xq.DirectInstruction() | xq.Computed():
                return self.constructor(tree)
            case _:
                return self.operator(tree)

    def numeral(self, tree: xq.Numeral) -> normal.Expr:
        is_large = tree.kind == "integer" and int(tree.text) > _GREATEST_INTEGER
        kind = "decimal" if is_large else tree.kind
        if kind == "decimal" and len(tree.text) > _MOST_DIGITS:
            raise self.error("FOAR0002", f"a number has more than {_MOST_DIGITS - 1} digits", tree.span)
        return normal.Constant(kind, tree.text)

    def operator(self, tree: ast.Expr) -> normal.Expr:
        match tree:
            case ast.Or():
                return normal.Or(tuple(map(self.expression, tree.args)))
            case ast.And():
                return normal.And(tuple(map(self.expression, tree.args)))
            case ast.Union():
                return normal.Union(tuple(map(self.expression, tree.args)))
            case ast.Compare(operator="contains"):
                return self.some_contains(tree)
            case ast.Compare(operator="=" | "!=" | "<" | "<=" | ">" | ">=" as comparison):
                return normal.Compare(comparison, self.expression(tree.left), self.expression(tree.right))
            case ast.Arithmetic():
                return normal.Arithmetic(tree.operator, self.expression(tree.left), self.expression(tree.right))
            case ast.Negate():
                return normal.Negate(self.expression(tree.arg))
            case xq.Plus():
                return normal.Negate(self.expression(tree.arg), positive=True)
            case xq.Binary():
                return self.binary(tree)
            case _:
                raise TypeError(f"no expression of XQuery: {type(tree).__name__}")

    def binary(self, tree: xq.Binary) -> normal.Expr:
        left, right = self.expression(tree.left), self.expression(tree.right)
        match tree.operator:
            case "is" | "<<" | ">>":
                return normal.CompareNodes(tree.operator, left, right)
            case "to":
                return normal.Range(left, right)
            case "idiv":
                return normal.Arithmetic("idiv", left, right)
            case "||":
                return normal.Call("concat", (left, right))
            case "intersect":
                return normal.Intersect(left, right)
            case "except":
                return normal.Except(left, right)
            case "!":
                return normal.Mapped(left, right)
            case _:
                return normal.CompareValues(_COMPARISONS[tree.operator], left, right)

    def some_contains(self, tree: ast.Compare) -> normal.Expr:
        """The papers' `LINE contains "love"`: some LINE contains it."""
        test = normal.Call("contains", (normal.Variable("#part"), self.expression(tree.right)))
        return normal.Quantified(False, "#part", self.expression(tree.left), test)

    def variable(self, tree: ast.Variable) -> normal.Expr:
        if tree.name not in self.scope:
            guess = closest(tree.name, self.scope)
            message = f"the variable ${tree.name} is not bound"
            raise self.error("XPST0008", message, tree.span, suggestion=guess and f"${guess}")
        return normal.Variable(tree.name)

    def step(self, tree: ast.Step) -> normal.Step:
        return normal.Step(tree.axis, self.names.test(tree), tuple(map(self.expression, tree.predicates)))

    def quantified(self, tree: ast.Quantified) -> normal.Expr:
        domain = self.expression(tree.domain)
        self.scope.append(tree.variable)
        satisfies = self.expression(tree.satisfies)
        self.scope.pop()
        return normal.Quantified(tree.every, tree.variable, domain, satisfies)

    def flwor(self, tree: xq.Flwor) -> normal.Expr:
        depth = len(self.scope)
        clauses: list[normal.Clause] = []
        for clause in tree.clauses:
            clauses += self.clause(clause)
        returned = self.expression(tree.returned)
        del self.scope[depth:]
        return normal.Flwor(tuple(clauses), returned)

    def clause(self, tree: xq.Clause) -> list[normal.Clause]:
        match tree:
            case xq.For():
                if tree.position == tree.variable:
                    raise self.error("XQST0089", f"${tree.variable} is bound twice by one clause", tree.span)
                domain = self.expression(tree.domain)
                self.scope += [tree.variable] if tree.position is None else [tree.variable, tree.position]
                return [normal.For(tree.variable, tree.position, domain, tree.allowing_empty)]
            case xq.Let():
                value = self.expression(tree.value)
                self.scope.append(tree.variable)
                return [normal.Let(tree.variable, value)]
            case xq.Where():
                return [normal.Where(self.expression(tree.condition))]
            case xq.OrderBy():
                return [normal.OrderBy(tuple(map(self.order_key, tree.keys)))]
            case xq.GroupBy():
                return self.group_by(tree)
            case xq.Count():
                self.scope.append(tree.variable)
                return [normal.Count(tree.variable)]

    def order_key(self, tree: xq.OrderKey) -> normal.OrderKey:
        empty_greatest = self.empty_greatest if tree.empty_greatest is None else tree.empty_greatest
        return normal.OrderKey(self.expression(tree.key), tree.descending, empty_greatest)

    def group_by(self, tree: xq.GroupBy) -> list[normal.Clause]:
        clauses: list[normal.Clause] = []
        for key in tree.keys:
            if key.value is not None:
                clauses.append(normal.Let(key.variable, self.expression(key.value)))
                self.scope.append(key.variable)
            elif key.variable not in self.scope:
                raise self.error("XQST0094", f"the variable ${key.variable} is not bound by a clause", key.span)
        return [*clauses, normal.GroupBy(tuple(key.variable for key in tree.keys))]


def path(start: normal.Expr, steps: tuple[normal.Step, ...]) -> normal.Expr:
    """Steps from a start: one path where there were several, `//` fused with its step."""
    if isinstance(start, normal.Path):
        steps = (*start.steps, *steps)
        start = start.start
    kept: list[normal.Step] = []
    for step in steps:
        axis = _AFTER_ANY_DESCENDANT.get(step.axis)
        if axis and kept and _is_any_descendant(kept[-1]) and not any(map(may_be_position, step.predicates)):
            kept[-1] = dataclasses.replace(step, axis=axis)
        else:
            kept.append(step)
    return normal.Path(start, tuple(kept))


def _is_any_descendant(step: normal.Step) -> bool:
    return step.axis == "descendant-or-self" and step.test == _ANY_NODE and not step.predicates
