"""A normal form as a query again, to show people what the planner made of theirs."""

from __future__ import annotations

from penstock.plan import normal
from penstock.span import Span
from penstock.syntax import ast
from penstock.syntax.printer import to_text

_NOWHERE = Span(0, 0)


def query_text(expr: normal.Expr) -> str:
    """XPath that means the same; names in a namespace are written `Q{uri}name`.

    >>> from penstock.plan.build import build
    >>> from penstock.syntax.xpath import parse
    >>> query_text(build(parse(".//p:a[string() = 'x']/."), {"p": "urn:p"}))
    "descendant::Q{urn:p}a[string(.) = 'x']"
    """
    return to_text(_tree(expr))


def _tree(expr: normal.Expr) -> ast.Expr:
    match expr:
        case normal.Number():
            return ast.Number(expr.value, span=_NOWHERE)
        case normal.String():
            return ast.String(expr.value, span=_NOWHERE)
        case normal.Variable():
            return ast.Variable(expr.name, span=_NOWHERE)
        case normal.Context():
            this = ast.Step("self", ast.KindTest("node", span=_NOWHERE), span=_NOWHERE)
            return ast.Path(None, (this,), span=_NOWHERE)
        case normal.Root():
            return ast.Root(span=_NOWHERE)
        case normal.Path():
            start = None if isinstance(expr.start, normal.Context) else _tree(expr.start)
            return ast.Path(start, tuple(map(_step, expr.steps)), span=_NOWHERE)
        case normal.Filter():
            return ast.Filter(_tree(expr.base), _trees(expr.predicates), span=_NOWHERE)
        case normal.Union():
            return ast.Union(_trees(expr.args), span=_NOWHERE)
        case normal.Or():
            return ast.Or(_trees(expr.args), span=_NOWHERE)
        case normal.And():
            return ast.And(_trees(expr.args), span=_NOWHERE)
        case normal.Compare():
            return ast.Compare(expr.comparison, _tree(expr.left), _tree(expr.right), span=_NOWHERE)
        case normal.Arithmetic():
            return ast.Arithmetic(expr.operator, _tree(expr.left), _tree(expr.right), span=_NOWHERE)
        case normal.Negate():
            return ast.Negate(_tree(expr.arg), span=_NOWHERE)
        case normal.Call():
            return ast.Call(expr.name, _trees(expr.args), name_span=_NOWHERE, span=_NOWHERE)
        case normal.If():
            return ast.If(_tree(expr.condition), _tree(expr.then), _tree(expr.otherwise), span=_NOWHERE)
        case normal.Quantified():
            domain, satisfies = _tree(expr.domain), _tree(expr.satisfies)
            return ast.Quantified(expr.every, expr.variable, domain, satisfies, span=_NOWHERE)


def _trees(exprs: tuple[normal.Expr, ...]) -> tuple[ast.Expr, ...]:
    return tuple(map(_tree, exprs))


def _step(step: normal.Step) -> ast.Step:
    return ast.Step(step.axis, _test(step.test), _trees(step.predicates), span=_NOWHERE)


def _test(test: normal.Test) -> ast.NameTest | ast.KindTest:
    if isinstance(test, normal.KindTest):
        kind: ast.Kind = "processing-instruction" if test.kind == "instruction" else test.kind
        return ast.KindTest(kind, test.target, span=_NOWHERE)
    local = "*" if test.local is None else test.local
    if test.uri is None:
        return ast.NameTest(local, None if test.local is None else "*", span=_NOWHERE)
    # No namespace is what a name without a prefix means, but `*` alone would mean any.
    return ast.NameTest(local, uri=test.uri if test.uri or test.local is None else None, span=_NOWHERE)
