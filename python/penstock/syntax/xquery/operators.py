"""The operators of XQuery by precedence, and what they make of their operands."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from penstock.syntax import ast
from penstock.syntax.xquery import ast as xq

if TYPE_CHECKING:
    from collections.abc import Mapping

    from penstock.span import Span


class Operator(NamedTuple):
    """A higher `precedence` binds tighter; an operator that is not `chains` stands once among its equals."""

    symbol: str
    precedence: int
    chains: bool = True


CASTS = 10
UNARY = 12
MAP = 13
MANY = frozenset(("or", "and", "|", "union"))
_LEVELS = (
    (1, True, "or"),
    (2, True, "and"),
    (3, False, "= != < <= > >= eq ne lt le gt ge is << >> contains"),
    (4, True, "||"),
    (5, False, "to"),
    (6, True, "+ -"),
    (7, True, "* div idiv mod"),
    (8, True, "| union"),
    (9, True, "intersect except"),
    (MAP, True, "!"),
)
BINARY: Mapping[str, Operator] = {
    symbol: Operator(symbol, precedence, chains)
    for precedence, chains, symbols in _LEVELS
    for symbol in symbols.split()
}
MINUS = Operator("unary -", UNARY)
PLUS = Operator("unary +", UNARY)


def combine(operator: Operator, args: tuple[ast.Expr, ...], span: Span) -> ast.Expr:
    """The expression that an operator makes of its operands."""
    match operator.symbol:
        case "unary -":
            return ast.Negate(args[0], span=span)
        case "unary +":
            return xq.Plus(args[0], span=span)
        case "or":
            return ast.Or(args, span=span)
        case "and":
            return ast.And(args, span=span)
        case "|" | "union":
            return ast.Union(args, span=span)
        case "=" | "!=" | "<" | "<=" | ">" | ">=" | "contains" as comparison:
            return ast.Compare(comparison, *args, span=span)
        case "+" | "-" | "*" | "div" | "mod" as arithmetic:
            return ast.Arithmetic(arithmetic, *args, span=span)
        case symbol:
            return xq.Binary(symbol, *args, span=span)  # type: ignore[arg-type]
