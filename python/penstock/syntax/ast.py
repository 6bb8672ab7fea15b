"""Syntax trees. Abbreviations are written out (`//`, `@`, `..`); names are as the query spells them.

Spans do not take part in comparison: two trees are equal when they mean the same text, wherever it stood.
"""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, Literal, TypeAlias

from penstock.node import node
from penstock.syntax.xquery.ast import XQueryExpr

if TYPE_CHECKING:
    from penstock.span import Span

Axis: TypeAlias = Literal[
    "child",
    "descendant",
    "descendant-or-self",
    "self",
    "attribute",
    "parent",
    "ancestor",
    "ancestor-or-self",
    "following-sibling",
    "preceding-sibling",
    "following",
    "preceding",
    "namespace",
]
Kind: TypeAlias = Literal["node", "text", "comment", "processing-instruction"]
ComparisonOperator: TypeAlias = Literal["=", "!=", "<", "<=", ">", ">=", "contains"]
ArithmeticOperator: TypeAlias = Literal["+", "-", "*", "div", "mod"]


@node(frozen=True, slots=True)
class NameTest:
    """`a`, `p:a`, `*`, `*:a`, `p:*`, `Q{uri}a` or `Q{uri}*`. At most one of `prefix` and `uri` is given."""

    local: str
    prefix: str | None = None
    uri: str | None = None
    span: Span = field(compare=False, kw_only=True)


@node(frozen=True, slots=True)
class KindTest:
    """`node()`, `text()`, `comment()` or `processing-instruction(target)`."""

    kind: Kind
    target: str | None = None
    span: Span = field(compare=False, kw_only=True)


@node(frozen=True, slots=True)
class Step:
    """An axis, a node test, and predicates in their order."""

    axis: Axis
    test: NameTest | KindTest
    predicates: tuple[Expr, ...] = ()
    span: Span = field(compare=False, kw_only=True)


@node(frozen=True, slots=True)
class Number:
    """A number literal; it has no sign, and is infinite if it is too large for a double."""

    value: float
    span: Span = field(compare=False, kw_only=True)


@node(frozen=True, slots=True)
class String:
    """A string literal, without its quotes."""

    value: str
    span: Span = field(compare=False, kw_only=True)


@node(frozen=True, slots=True)
class Variable:
    """`$name`."""

    name: str
    span: Span = field(compare=False, kw_only=True)


@node(frozen=True, slots=True)
class Root:
    """`/`, alone or as the start of a path."""

    span: Span = field(compare=False, kw_only=True)


@node(frozen=True, slots=True)
class Path:
    """One step or more from `start`, or from the context node when that is None. `.` is a path of one step."""

    start: Expr | None
    steps: tuple[Step, ...]
    span: Span = field(compare=False, kw_only=True)


@node(frozen=True, slots=True)
class Filter:
    """Predicates on what is not a step: `(//a)[1]`, `$x[@id]`."""

    base: Expr
    predicates: tuple[Expr, ...]
    span: Span = field(compare=False, kw_only=True)


@node(frozen=True, slots=True)
class Union:
    """Two operands or more; so are `And` and `Or`. Parentheses make nested ones."""

    args: tuple[Expr, ...]
    span: Span = field(compare=False, kw_only=True)


@node(frozen=True, slots=True)
class And:
    """`a and b and c`."""

    args: tuple[Expr, ...]
    span: Span = field(compare=False, kw_only=True)


@node(frozen=True, slots=True)
class Or:
    """`a or b or c`."""

    args: tuple[Expr, ...]
    span: Span = field(compare=False, kw_only=True)


@node(frozen=True, slots=True)
class Compare:
    """A comparison; `contains` is the papers' `LINE contains "love"`."""

    operator: ComparisonOperator
    left: Expr
    right: Expr
    span: Span = field(compare=False, kw_only=True)


@node(frozen=True, slots=True)
class Arithmetic:
    """Arithmetic with two operands."""

    operator: ArithmeticOperator
    left: Expr
    right: Expr
    span: Span = field(compare=False, kw_only=True)


@node(frozen=True, slots=True)
class Negate:
    """`-a`."""

    arg: Expr
    span: Span = field(compare=False, kw_only=True)


@node(frozen=True, slots=True)
class Call:
    """A function call; `name_span` is the name alone, for errors about it."""

    name: str
    args: tuple[Expr, ...]
    name_span: Span = field(compare=False, kw_only=True)
    span: Span = field(compare=False, kw_only=True)


@node(frozen=True, slots=True)
class If:
    """`if (condition) then a else b`."""

    condition: Expr
    then: Expr
    otherwise: Expr
    span: Span = field(compare=False, kw_only=True)


@node(frozen=True, slots=True)
class Quantified:
    """`some` or `every` with one variable; several variables are nested."""

    every: bool
    variable: str
    domain: Expr
    satisfies: Expr
    span: Span = field(compare=False, kw_only=True)


XPathExpr: TypeAlias = (
    Number
    | String
    | Variable
    | Root
    | Path
    | Filter
    | Union
    | And
    | Or
    | Compare
    | Arithmetic
    | Negate
    | Call
    | If
    | Quantified
)
# A tree of XPath has none of the others; the languages share their expressions and their parser.
Expr: TypeAlias = XPathExpr | XQueryExpr


def operands(expr: Expr) -> tuple[Expr, ...]:
    """The expressions directly within another, but for its predicates."""
    match expr:
        case Path():
            return () if expr.start is None else (expr.start,)
        case Filter():
            return (expr.base,)
        case Union() | And() | Or() | Call():
            return expr.args
        case Compare() | Arithmetic():
            return (expr.left, expr.right)
        case Negate():
            return (expr.arg,)
        case If():
            return (expr.condition, expr.then, expr.otherwise)
        case Quantified():
            return (expr.domain, expr.satisfies)
        case _:
            return ()


def predicates(expr: Expr) -> tuple[Expr, ...]:
    """The predicates of a filter, or of all the steps of a path."""
    match expr:
        case Path():
            return tuple(predicate for step in expr.steps for predicate in step.predicates)
        case Filter():
            return expr.predicates
        case _:
            return ()
