"""The operators by precedence, and how a pending one is applied to its operands."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from penstock.span import Span
from penstock.syntax import ast

if TYPE_CHECKING:
    from collections.abc import Mapping

Shape: TypeAlias = Literal["or", "and", "union", "compare", "arithmetic", "negate"]


class Operator(NamedTuple):
    """A higher `precedence` binds tighter. `or`, `and` and `|` take all their operands at once."""

    symbol: str
    precedence: int
    shape: Shape

    @property
    def takes_many(self) -> bool:
        return self.shape in ("or", "and", "union")

    def binds_before(self, following: Operator) -> bool:
        """Whether this one, read first, takes the operand between the two."""
        if self.precedence == following.precedence:
            return not following.takes_many
        return self.precedence > following.precedence


class PendingOperator(NamedTuple):
    """An operator that waits for its last operand; `start` is where it stands."""

    operator: Operator
    start: int


NEGATE = Operator("-", 7, "negate")
UNION = Operator("|", 8, "union")
BINARY: Mapping[str, Operator] = {
    operator.symbol: operator
    for operator in (
        Operator("or", 1, "or"),
        Operator("and", 2, "and"),
        Operator("=", 3, "compare"),
        Operator("!=", 3, "compare"),
        # Sugar of the papers: LINE contains "love".
        Operator("contains", 3, "compare"),
        Operator("<", 4, "compare"),
        Operator("<=", 4, "compare"),
        Operator(">", 4, "compare"),
        Operator(">=", 4, "compare"),
        Operator("+", 5, "arithmetic"),
        Operator("-", 5, "arithmetic"),
        Operator("*", 6, "arithmetic"),
        Operator("div", 6, "arithmetic"),
        Operator("mod", 6, "arithmetic"),
        UNION,
    )
}
OPERATOR_WORDS = frozenset(symbol for symbol in BINARY if symbol.isalpha())


def apply(pending: list[PendingOperator], operands: list[ast.Expr]) -> None:
    """Take the last operator off `pending` and replace its operands by the expression they make."""
    operator, start = pending.pop()
    if operator.shape == "negate":
        arg = operands.pop()
        operands.append(ast.Negate(arg, span=Span(start, arg.span.end)))
        return
    count = 2
    while operator.takes_many and pending and pending[-1].operator is operator:
        pending.pop()
        count += 1
    args = tuple(operands[-count:])
    del operands[-count:]
    operands.append(_combine(operator, args, Span(args[0].span.start, args[-1].span.end)))


def _combine(operator: Operator, args: tuple[ast.Expr, ...], span: Span) -> ast.Expr:
    match operator.shape:
        case "or":
            return ast.Or(args, span=span)
        case "and":
            return ast.And(args, span=span)
        case "union":
            return ast.Union(args, span=span)
        case "compare":
            return ast.Compare(operator.symbol, *args, span=span)  # type: ignore[arg-type]
        case _:
            return ast.Arithmetic(operator.symbol, *args, span=span)  # type: ignore[arg-type]
