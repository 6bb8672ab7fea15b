"""What is known of an expression without a document: its type, and what it needs to know of where it is evaluated."""

from __future__ import annotations

from penstock.plan import normal
from penstock.syntax.functions import FUNCTIONS


def type_of(expr: normal.Expr) -> normal.ExprType:
    """The static type; "any" only for a conditional whose branches differ."""
    match expr:
        case normal.Path() | normal.Filter() | normal.Union() | normal.Context() | normal.Root() | normal.Variable():
            # Variables range over nodes: the domain of a quantifier is a node-set.
            return "nodes"
        case normal.Number() | normal.Arithmetic() | normal.Negate():
            return "number"
        case normal.String():
            return "string"
        case normal.Or() | normal.And() | normal.Compare() | normal.Quantified():
            return "boolean"
        case normal.Call():
            return FUNCTIONS[expr.name].result
        case normal.If():
            then, otherwise = type_of(expr.then), type_of(expr.otherwise)
            return then if then == otherwise else "any"


def operands(expr: normal.Expr) -> tuple[normal.Expr, ...]:
    """The expressions within another that are evaluated in the same context: all but predicates."""
    match expr:
        case normal.Path():
            return (expr.start,)
        case normal.Filter():
            return (expr.base,)
        case normal.Union() | normal.Or() | normal.And() | normal.Call():
            return expr.args
        case normal.Compare() | normal.Arithmetic():
            return (expr.left, expr.right)
        case normal.Negate():
            return (expr.arg,)
        case normal.If():
            return (expr.condition, expr.then, expr.otherwise)
        case normal.Quantified():
            return (expr.domain, expr.satisfies)
        case _:
            return ()


def uses_position(expr: normal.Expr) -> bool:
    """Whether the value depends on the context position; what nested predicates ask does not count."""
    return _calls(expr, _POSITION)


def uses_last(expr: normal.Expr) -> bool:
    """Whether the value depends on the context size; what nested predicates ask does not count."""
    return _calls(expr, _LAST)


def uses_focus(expr: normal.Expr) -> bool:
    """Whether the value depends on the context node, position or size."""
    match expr:
        case normal.Context():
            return True
        case normal.Call(name="position" | "last" | "lang"):
            return True
        case normal.Call(name="id"):
            # Its document is that of the context node, the same for all expressions of a query.
            return uses_focus(expr.args[0])
        case _:
            return any(uses_focus(operand) for operand in operands(expr))


def is_positional(predicate: normal.Expr) -> bool:
    """Whether a predicate may select by position: its value may be a number, or it asks for position or size."""
    return type_of(predicate) in ("number", "any") or _calls(predicate, _POSITION_OR_LAST)


_POSITION = frozenset({"position"})
_LAST = frozenset({"last"})
_POSITION_OR_LAST = _POSITION | _LAST


def _calls(expr: normal.Expr, names: frozenset[str]) -> bool:
    """Asked of every predicate of every query: most are paths from the context node, and those are seen at once."""
    if isinstance(expr, normal.Path) and isinstance(expr.start, normal.Context):
        return False
    if isinstance(expr, normal.Call) and expr.name in names:
        return True
    for operand in operands(expr):  # noqa: SIM110 - a generator would take longer than most expressions
        if _calls(operand, names):
            return True
    return False
