"""From syntax tree to normal form: names resolved, calls and types checked, sugar and abbreviations gone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.errors import QueryError
from penstock.plan import construct, normal
from penstock.plan.names import Names
from penstock.plan.refusals import collation, unsupported_function
from penstock.plan.types import type_of, uses_focus
from penstock.syntax import ast
from penstock.syntax.cursor import closest
from penstock.syntax.functions import (
    COLLATED,
    FUNCTION_NAMESPACE,
    FUNCTION_PREFIXES,
    FUNCTIONS,
    UNSUPPORTED_FUNCTIONS,
    Signature,
)
from penstock.syntax.pattern import check_flags, check_pattern

if TYPE_CHECKING:
    from collections.abc import Mapping

    from penstock.span import Span

_ROOT = normal.Root()
_CONTEXT = normal.Context()
# No query can spell this variable.
_LEFT_OPERAND = "#left"


def build(tree: ast.Expr, namespaces: Mapping[str, str], query: str | None = None) -> normal.Expr:
    """The normal form of a query.

    `namespaces` maps prefixes to URIs; "" is for element names without a prefix. `query` is the text that `tree` came
    from: with it, errors tell line and column.

    >>> from penstock.syntax.xpath import parse
    >>> build(parse("//a"), {})
    Path(start=Root(), steps=(Step(axis='descendant', test=NameTest(uri='', local='a'), predicates=()),))
    """
    try:
        return _Builder(Names(namespaces, query), query).expression(tree)
    except RecursionError:
        # Only where the limit on nesting was set high, or the caller has used up the stack before.
        raise QueryError("PNST0002", "the query is nested too deeply", query=query, span=tree.span) from None


class _Builder:
    """Walks one tree. At most three Python frames for each level: `map` costs none where a comprehension would."""

    def __init__(self, names: Names, query: str | None) -> None:
        self.names = names
        self.query = query
        self.scope: list[str] = []

    def expression(self, tree: ast.Expr) -> normal.Expr:
        match tree:
            case ast.Path():
                return self.path(tree)
            case ast.Number():
                return normal.Number(tree.value)
            case ast.String():
                return normal.String(tree.value)
            case ast.Root():
                return _ROOT
            case ast.Variable():
                return self.variable(tree)
            case ast.Filter():
                base = self.nodes(tree.base, "a predicate", "XPTY0004")
                return construct.filtered(base, tuple(map(construct.predicate, map(self.expression, tree.predicates))))
            case ast.Union():
                return construct.flattened(
                    normal.Union, [self.nodes(arg, "the operator '|'", "XPTY0004") for arg in tree.args]
                )
            case ast.Or():
                return construct.flattened(normal.Or, map(construct.truth, map(self.expression, tree.args)))
            case ast.And():
                return construct.flattened(normal.And, map(construct.truth, map(self.expression, tree.args)))
            case ast.Compare():
                return self.comparison(tree)
            case ast.Arithmetic():
                return normal.Arithmetic(tree.operator, self.expression(tree.left), self.expression(tree.right))
            case ast.Negate():
                return normal.Negate(self.expression(tree.arg))
            case ast.Call():
                return self.call(tree)
            case ast.If():
                condition = construct.truth(self.expression(tree.condition))
                return normal.If(condition, self.expression(tree.then), self.expression(tree.otherwise))
            case ast.Quantified():
                return self.quantified(tree)
            case _:
                raise TypeError(f"no expression of XPath: {type(tree).__name__}")

    def nodes(self, tree: ast.Expr, asker: str, code: str) -> normal.Expr:
        """An expression that has to be a node-set because `asker` needs one."""
        expr = self.expression(tree)
        found = type_of(expr)
        if found != "nodes":
            kind = "of no certain type" if found == "any" else f"a {found}"
            raise self.error(code, f"{asker} needs nodes, but this is {kind}", tree.span)
        return expr

    def variable(self, tree: ast.Variable) -> normal.Expr:
        if tree.name not in self.scope:
            guess = closest(tree.name, self.scope)
            message = f"the variable ${tree.name} is not bound"
            raise self.error("XPST0008", message, tree.span, suggestion=guess and f"${guess}")
        return normal.Variable(tree.name)

    def path(self, tree: ast.Path) -> normal.Expr:
        start: normal.Expr = _CONTEXT
        if tree.start is not None:
            start = self.nodes(tree.start, "a path", "XPTY0019")
        return construct.path(start, list(map(self.step, tree.steps)))

    def step(self, tree: ast.Step) -> normal.Step:
        if not tree.predicates:
            return normal.Step(tree.axis, self.names.test(tree))
        predicates = map(construct.predicate, map(self.expression, tree.predicates))
        return normal.Step(tree.axis, self.names.test(tree), tuple(predicates))

    def comparison(self, tree: ast.Compare) -> normal.Expr:
        left, right = self.expression(tree.left), self.expression(tree.right)
        if tree.operator == "contains":
            return _some_contains(left, right)
        return normal.Compare(tree.operator, left, right)

    def quantified(self, tree: ast.Quantified) -> normal.Expr:
        domain = self.nodes(tree.domain, "'every'" if tree.every else "'some'", "XPTY0004")
        self.scope.append(tree.variable)
        satisfies = construct.truth(self.expression(tree.satisfies))
        self.scope.pop()
        return normal.Quantified(tree.every, tree.variable, domain, satisfies)

    def call(self, tree: ast.Call) -> normal.Expr:
        signature = self.signature(tree)
        args: list[normal.Expr] = []
        for index, arg in enumerate(tree.args):
            if signature.argument(index) == "nodes":
                args.append(self.nodes(arg, f"{signature.name}()", "XPTY0004"))
            else:
                args.append(self.expression(arg))
        if signature.defaults_to_context and not args:
            args.append(normal.Context())
        match signature.name:
            case "not":
                args[0] = construct.truth(args[0])
            case "matches":
                self.check_matches(tree)
            case "exists":
                return normal.Call("boolean", tuple(args))
            case "empty":
                return normal.Call("not", tuple(args))
        return normal.Call(signature.name, tuple(args))

    def signature(self, tree: ast.Call) -> Signature:
        """The function that is called, by name and number of arguments."""
        prefix, _, name = tree.name.rpartition(":")
        uri = self.names.function_uri(prefix, tree.name_span)
        if uri in FUNCTION_PREFIXES.values():
            raise unsupported_function(f"the function {tree.name}()", tree, self.query)
        if uri != FUNCTION_NAMESPACE:
            raise self.error("XPST0017", f"there is no function {tree.name}()", tree.name_span)
        if name in UNSUPPORTED_FUNCTIONS:
            raise unsupported_function(f"the function {name}()", tree, self.query)
        signature = FUNCTIONS.get(name)
        if signature is None:
            guess = closest(name, FUNCTIONS)
            message = f"there is no function {name}()"
            raise self.error("XPST0017", message, tree.name_span, suggestion=guess and f"{guess}()")
        if len(tree.args) == COLLATED.get(name):
            raise collation(tree, self.query)
        if not signature.accepts(len(tree.args)):
            message = f"{name}() takes {signature.arity_text}, not {len(tree.args)}"
            raise self.error("XPST0017", message, tree.span)
        return signature

    def check_matches(self, tree: ast.Call) -> None:
        """A pattern or flags that stand in the query are checked now; those that come from documents cannot be."""
        flags = tree.args[2] if len(tree.args) == 3 else None
        if isinstance(flags, ast.String):
            check_flags(flags.value, self.query, flags.span)
        if isinstance(tree.args[1], ast.String) and not (isinstance(flags, ast.String) and "q" in flags.value):
            ignore_space = isinstance(flags, ast.String) and "x" in flags.value
            check_pattern(tree.args[1].value, self.query, tree.args[1].span, ignore_space=ignore_space)

    def error(self, code: str, message: str, span: Span, suggestion: str | None = None) -> QueryError:
        return QueryError(code, message, query=self.query, span=span, suggestion=suggestion)


def _some_contains(left: normal.Expr, right: normal.Expr) -> normal.Expr:
    """The papers' `LINE contains "love"`: some LINE contains it."""
    if type_of(left) != "nodes" or isinstance(left, normal.Context | normal.Variable | normal.Root):
        return normal.Call("contains", (left, right))
    if uses_focus(right):
        # Within a predicate of `left`, `right` would mean something else.
        test = normal.Call("contains", (normal.Variable(_LEFT_OPERAND), right))
        return normal.Quantified(False, _LEFT_OPERAND, left, test)
    test = normal.Call("contains", (normal.Context(), right))
    return normal.Call("boolean", (construct.filtered(left, (test,)),))
